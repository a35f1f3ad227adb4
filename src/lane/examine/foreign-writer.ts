import { markedDifferences, sameNames, type Canonicalizer } from "../../state/index.ts";
import { poll } from "./late-writes.ts";
import type { SavedWorld, WorldState } from "../state/world-state.ts";

const LINES = 10;

/**
 * The cause of an unexpected write. `itself`: a job in the target, or another client. `unknown`: the write did not happen again. `late`: an action
 * after its answer. `check`: the check of a rule.
 */
export type Writer =
  | { readonly kind: "itself" | "unknown"; readonly lines: readonly string[] }
  | { readonly kind: "late" }
  | { readonly kind: "check"; readonly name: string };

export interface Seen {
  readonly mark: SavedWorld;
  /** Resolves to `true` if the present state differs from the checkpoint. */
  readonly isOther: () => Promise<boolean>;
}

/** Restores the checkpoint `times` times without sending a request. Resolves to `true` if the state changes each time within `ms` milliseconds. */
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

/** Returns the lines that differ between the present state and a checkpoint, and restores the checkpoint. */
export async function writtenLines(state: WorldState, canonicalizer: Canonicalizer, mark: SavedWorld): Promise<readonly string[]> {
  const now = canonicalizer.marked(await state.facts());
  await state.restore(mark);
  const before = canonicalizer.marked(await state.facts());
  return markedDifferences(before, sameNames(before, now), LINES);
}

/** Returns the changed places, for example `db.jobs, db.sessions`. Empty if the lines name no place. */
function placesOf(lines: readonly string[]): string {
  const places = lines.flatMap((line) => /^[+-] systems\.(\S+) /.exec(line)?.[1] ?? []);
  return [...new Set(places)].join(", ");
}

/** Describes a write that neither an action nor a check made. `when`: a phrase such as "while the initial state was checked". */
export function otherWriterText({ kind, lines }: Extract<Writer, { readonly lines: readonly string[] }>, when: string): string {
  const places = placesOf(lines);
  const what = `${places === "" ? "A store" : places} was written to ${when}`;
  return kind === "itself"
    ? `${what}, and again while no request was sent: by the target's own timer or job, or by another client`
    : `${what}, and not again when seqqa waited for it: by late work of an action, the target's own timer or job, or another client`;
}

export const OTHER_WRITER_HINT =
  'Switch the job off in target.env, or leave what it writes out of the state (`ignore: ["table.column"]`, or `tables`). Late work of an action is waited for with `target.settle`.';
