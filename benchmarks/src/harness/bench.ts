/** What a bench may use: how large to go, and where to put files. */
export interface BenchContext {
  /** Smaller data and shorter rounds, for a look rather than a figure. */
  readonly quick: boolean;
  /** Of this run only; removed at its end. */
  readonly directory: string;
}

/** One measured figure. */
export interface Finding {
  /** The line of the targets that it answers, e.g. `7`. */
  readonly line: string;
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly target?: Target;
  /** The figures behind it, for people. */
  readonly detail?: string;
}

export type Unit = "×" | "exponent" | "statements" | "calls" | "ms" | "µs" | "/s" | "MB/s" | "MB" | "%";

export interface Target {
  readonly is: "at most" | "at least" | "exactly";
  readonly value: number;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  run(context: BenchContext): Promise<readonly Finding[]>;
}

export const atMost = (value: number): Target => ({ is: "at most", value });
export const atLeast = (value: number): Target => ({ is: "at least", value });
export const exactly = (value: number): Target => ({ is: "exactly", value });

/** Whether a figure holds its target; `undefined` without one. */
export function isMet({ value, target }: Finding): boolean | undefined {
  if (target === undefined) return undefined;
  if (target.is === "at most") return value <= target.value;
  return target.is === "at least" ? value >= target.value : value === target.value;
}
