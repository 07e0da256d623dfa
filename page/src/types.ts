// The data of the page, as inspector/render/html/data.py writes it.

/** A place in the source: number of the file, line from 1. */
export type Place = [file: number, line: number];

export interface Index {
  tool_version: string;
  title: string;
  /** Of the report on graph breaks and recompilations, if there is one. */
  headline: string;
  recording: { name: string; target: string | null; started: string | null; partial: string | null;
    error?: string | null; settings: Record<string, unknown> };
  environment: Environment[];
  summary: Summary | null;
  reports: string[];
  /** Reports without a view of their own: kind and title. */
  pages: [kind: string, title: string][];
  graphs: GraphRow[];
  fusions: FusionRow[];
  kernels: KernelRow[];
  sources: SourceRow[];
  profile: Profile | null;
  lines: [file: number, line: number, time_ns: number][];
  files: string[];
}
export interface Environment {
  rank: number | null;
  versions: Record<string, string>;
  hardware: { gpus?: { name: string }[]; cores?: number; machine?: string };
}
export interface Summary {
  frames: number; graphs: number; operators: number; graph_breaks: number; distinct_graph_breaks: number;
  recompiles: number; recompile_limit_hits: number; compile_time_ns: number;
  compile_time_by_stage_ns: Record<string, number>;
}
export interface GraphRow { name: string; stage: string; direction: string | null; compile_id: string; nodes: number }
export interface FusionRow {
  name: string; graph: number | null; steps: number; bytes_moved: number | null; bytes_eager: number | null;
}
export interface KernelRow {
  name: string; language: string; kind: string; launches: number; bytes: number | null; flops: number | null;
  registers: number | null; spills: number | null; lines: Place[];
  time: { time_ns: number; calls: number; bytes: number; flops: number; share_of_ceiling: number; bound: string | null } | null;
}
export interface SourceRow { file: number; lines: number; owner: string }
export interface Profile {
  wall_ns: number; eager_ns: number | null; faster_than_eager: number | null;
  faster_than_eager_interval: [number, number] | null;
  busy_ns: number | null; idle_ns: number | null; idle_by_cause_ns: Record<string, number>;
  gains: Gain[]; stable: boolean; launches: number;
  device: { kind: string; name: string };
}
export interface Gain { at_most_ns: number; because: string; change: string; known: boolean; hidden_by_host: boolean }

/** Tokens of a line: length, class, length, class, … */
export type Tokens = (number | string)[];
export interface SourceText { numbers: number[]; lines: string[]; tokens: Tokens[] }

export interface GraphColumns {
  name: string[]; op: number[]; target: number[]; inputs: number[][]; tensor: number[]; dtype: number[];
  bytes: (number | null)[]; flops: (number | null)[]; stack: number[][]; module: number[]; aten: number[];
  earlier: string[][]; kernels: number[][]; backward: number[]; saved: number[];
  texts: string[]; frames: [file: number, line: number, name: number][];
}
/** As it is written: see inspector/render/html/graphs.py. */
export interface WrittenGraph extends Omit<GraphColumns, "name" | "stack" | "earlier"> {
  name: number[]; stack: number[]; stacks: number[][]; earlier: number[]; earlier_count: number[];
}
export interface Step {
  name: string; kind: string; nodes: number[]; reads: Record<string, number>; writes: Record<string, number>;
  bytes: number | null; bytes_moved: number | null; bytes_eager: number | null; flops: number | null;
  never_in_memory: string[];
  work?: {
    time_ns: number; p5_ns: number | null; p95_ns: number | null; bytes_per_s: number | null;
    flops_per_s: number | null; bound: string | null; share_of_ceiling: number | null; launches: Launch[];
  };
}
export interface Launch { name: string; median_ns: number; grid: number[]; block: number[]; registers: number | null; shared_bytes: number | null }
export interface NotFused {
  first: number; second: number; shared: string[]; saved_bytes_at_most: number | null; reason: string | null; change: string | null;
}
export interface Fusion { steps: Step[]; not_fused: NotFused[]; buffers: Record<string, string> }
export interface Config {
  values: Record<string, number>; num_warps: number | null; num_stages: number | null; occupancy: number | null;
  resources: { registers: number | null; spilled_registers: number | null; shared_bytes: number | null } | null;
  predicted_ns: number | null; error: string | null;
}
export interface KernelText {
  /** By form; of PTX and SASS with the source line that each line comes from, or 0. */
  texts: Record<string, [text: string, tokens: Tokens[], lines?: number[]]>;
  configs: Config[];
}

export interface Finding {
  rule: string; severity: string; message: string; file: string | null; line: number | null; column: number | null;
  end_line: number | null; end_column: number | null; function: string | null; records: number; why: string | null;
  output: string | null; fix: string | null; alternatives: (string | { text: string })[];
  example: { title: string; before: string; after: string; keeps: string | null; tested_on: string[] } | null;
  hints: string[]; notes: string[]; fingerprint: string; gb_id: string | null; gb_type: string | null;
  cost_ns: number | null; cost_kind: string | null; crossing_bytes: number | null; later: boolean;
  excerpt: { line: number; text: string }[];
  stack: { file: string; line: number; name: string | null; code: string | null; owner: string }[];
}
