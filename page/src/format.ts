// Numbers for people.
const TIMES: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
const SIZES: [number, string][] = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const COUNTS: [number, string][] = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

function scaled(value: number, units: [number, string][]): string {
  const [size, unit] = units.find(([size]) => Math.abs(value) >= size) ?? units.at(-1)!;
  const amount = value / size;
  const digits = size === 1 || Math.abs(amount) >= 100 ? 0 : Math.abs(amount) >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)}${unit && `\u00a0${unit}`}`;
}
type Maybe = number | null | undefined;
const or = (value: Maybe, text: (n: number) => string) => (value === null || value === undefined ? "–" : text(value));

export const duration = (ns: Maybe) => or(ns, (n) => (n ? scaled(n, TIMES) : "0"));
export const bytes = (n: Maybe) => or(n, (v) => scaled(v, SIZES));
export const flops = (n: Maybe) => or(n, (v) => `${scaled(v, COUNTS)}FLOP`.replace(/\s?(\w?)FLOP$/, "\u00a0$1FLOP"));
export const rate = (n: Maybe) => or(n, (v) => `${scaled(v, COUNTS)}B/s`.replace(/\s?([PTGMk]?)B\/s$/, "\u00a0$1B/s"));
export const flopRate = (n: Maybe) => or(n, (v) => `${scaled(v, COUNTS)}FLOP/s`.replace(/\s?([PTGMk]?)FLOP\/s$/, "\u00a0$1FLOP/s"));
export const percent = (share: Maybe) => or(share, (v) => (v > 0 && v < 0.01 ? "<1%" : `${Math.round(v * 100)}%`));
/** How near a kernel is to what limits it. */
export const ofPeak = (bound: string, share: number) =>
  bound === "launch" ? "launch-bound" : bound === "unknown" ? "–" : `${percent(share)} of ${{ memory: "bandwidth", cache: "L2", compute: "FLOP/s" }[bound] ?? bound}`;
export const number = (n: Maybe) => or(n, (v) => v.toLocaleString("en-US"));
export const count = (n: number, noun: string) => `${number(n)} ${n === 1 ? noun : `${noun}s`}`;
/** With a capital letter, unless it begins with a name from code. */
export const sentence = (text: string) => (/^[a-z]+[ ,:;]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text);
export const baseName = (file: string) => file.slice(file.lastIndexOf("/") + 1);
export const times = (x: number) => `${x < 10 ? x.toFixed(2) : x < 100 ? x.toFixed(1) : number(Math.round(x))}×`;
/** Functions that go on after a graph break, as torch calls them. */
export const functionName = (name: string) => name.replace(/^torch_dynamo_resume_in_(.+)_at_(\d+)$/, "$1 resumed at line $2");
/** Names of kernels, cut in the middle: both ends tell them apart. */
export const short = (text: string, most = 48) =>
  text.length <= most ? text : `${text.slice(0, most - 14)}…${text.slice(-13)}`;
