import { markedDifferences, sameNames, type Canonicalizer } from "../../state/index.ts";
import { poll } from "./late-writes.ts";
import type { SavedWorld, WorldState } from "../state/world-state.ts";

/** Number of lines shown of a change. */
const LINES = 10;

/** The writer of a change that no request caused. `itself`: something in the target, or another client; `unknown`: it was not seen again. */
export type Writer =
  | { readonly kind: "itself" | "unknown"; readonly lines: readonly string[] }
  | { readonly kind: "late" }
  | { readonly kind: "check"; readonly name: string };

/** A saved state, and a function that detects another state. */
export interface Seen {
  readonly mark: SavedWorld;
  /** Resolves to `true` if the state differs from the saved one. */
  readonly isOther: () => Promise<boolean>;
}

/** Restores the state `times` times without sending a request, and resolves to `true` if it changes each time within `ms` milliseconds. */
export async function writesByItself(
  state: Pick<WorldState, "restore">,
  { mark, isOther }: Seen,
  ms: number,
  times: number,
): Promise<boolean> {
  for (let time = 0; time < times; time++) {
    await state.restore(mark);
    if (!(await poll(isOther, ms))) return false;
  }
  return true;
}

/** Returns the lines that differ from the state of a checkpoint, and restores it. */
export async function writtenLines(state: WorldState, canonicalizer: Canonicalizer, mark: SavedWorld): Promise<readonly string[]> {
  const now = canonicalizer.marked(await state.facts());
  await state.restore(mark);
  const before = canonicalizer.marked(await state.facts());
  return markedDifferences(before, sameNames(before, now), LINES);
}

/** Returns the written places, as `db.jobs, db.sessions`; empty if the lines do not name any. */
function placesOf(lines: readonly string[]): string {
  const places = lines.flatMap((line) => /^[+-] systems\.(\S+) /.exec(line)?.[1] ?? []);
  return [...new Set(places)].join(", ");
}

/** Describes a writer that is neither an action nor a check. `when`: a phrase such as "while the initial state was checked". */
export function otherWriterText({ kind, lines }: Extract<Writer, { readonly lines: readonly string[] }>, when: string): string {
  const places = placesOf(lines);
  const what = `${places === "" ? "A store" : places} was written to ${when}`;
  return kind === "itself"
    ? `${what}, and again while no request was sent: by the target's own timer or job, or by another client`
    : `${what}, and not again when seqqa waited for it: by late work of an action, the target's own timer or job, or another client`;
}

export const OTHER_WRITER_HINT =
  'Switch the job off in target.env, or leave what it writes out of the state (`ignore: ["table.column"]`, or `tables`). Late work of an action is waited for with `target.settle`.';
