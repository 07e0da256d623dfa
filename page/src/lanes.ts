// Lanes of values beside a list of nodes in order, as in `git log --graph`.
import type { GraphColumns } from "./types";

export interface Row {
  lane: number;
  /** Lanes that pass this row. */
  passing: number[];
  /** Lanes that end in this row's node. */
  ending: number[];
  /** Lanes that this row's node reads and that go on. */
  read: number[];
  /** Whether anything reads this row's node later. */
  goesOn: boolean;
}
export const MAX_LANES = 6;

/** Values that are given (parameters, inputs) have no lane: they would run along the whole graph. */
export function lanes(columns: GraphColumns): Row[] {
  const { inputs, op, texts } = columns;
  const isGiven = op.map((t) => texts[t] === "placeholder" || texts[t] === "get_attr");
  const lastUse = new Array<number>(op.length).fill(-1);
  inputs.forEach((from, n) => from.forEach((i) => (lastUse[i] = n)));
  const taken: (number | null)[] = [];
  const laneOf = new Map<number, number>();
  return op.map((_, n) => {
    const reads = [...new Set(inputs[n])].filter((i) => laneOf.has(i));
    const ending = reads.filter((i) => lastUse[i] === n).map((i) => laneOf.get(i)!);
    const read = reads.filter((i) => lastUse[i] !== n).map((i) => laneOf.get(i)!);
    const passing = taken.flatMap((owner, lane) => (owner !== null && !ending.includes(lane) ? [lane] : []));
    for (const lane of ending) taken[lane] = null;
    let lane = taken.indexOf(null);
    if (lane < 0) lane = taken.length;
    const goesOn = !isGiven[n] && lastUse[n]! > n;
    if (goesOn) (taken[lane] = n), laneOf.set(n, lane);
    return { lane: isGiven[n] ? -1 : lane, passing, ending, read, goesOn };
  });
}
