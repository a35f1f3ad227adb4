/** One figure of a part. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure was measured on or is to be compared with. */
  readonly note?: string | undefined;
}

/** A part of the benchmarks: `npm run bench -- <name>` runs it in a process of its own. */
export type Part = () => Promise<readonly Row[]>;

/** The sizes that the project's figures are given for: `npm run bench -- --full`. Otherwise smaller ones, for a look. */
export const full: boolean = process.env["SEQQA_BENCH"] === "full";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
