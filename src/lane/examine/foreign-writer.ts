import { ignoreLines } from "../../model/stores/ignore-line.ts";
import { writtenFields, markedDifferences, sameNames, type Canonicalizer } from "../../state/index.ts";
import { poll } from "./late-writes.ts";
import type { WorldState } from "../state/world-state.ts";
import type { SavedWorld } from "../state/saved-world.ts";

const LINES = 10;

/**
 * The cause of an unexpected write to a store. `itself`: a job in the target, or another client. `late`: an action, after its answer. `check`: the
 * check of a rule. `unknown`: the write did not happen again.
 */
export type Writer =
  | ({ readonly kind: "itself" | "unknown" } & Written)
  | { readonly kind: "late"; readonly fields: readonly string[] }
  | { readonly kind: "check"; readonly name: string };

/** The changes by an unexpected write: text lines for the differences, and the changed fields (for example `orders.status`). */
export interface Written {
  readonly lines: readonly string[];
  readonly fields: readonly string[];
}

export interface Seen {
  readonly mark: SavedWorld;
  /** Resolves to `true` if the lane's present state differs from the checkpoint. */
  readonly isOther: () => Promise<boolean>;
}

/**
 * Restores the checkpoint `times` times and waits `ms` milliseconds each time without sending a request. Resolves to `true` if the state changes each
 * time.
 */
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

/** Returns the differences between the present state and a checkpoint. Restores the checkpoint afterwards. */
export async function written(state: WorldState, canonicalizer: Canonicalizer, mark: SavedWorld): Promise<Written> {
  const after = structuredClone(canonicalizer.withoutLeftOut(await state.observed()));
  const now = canonicalizer.marked(await state.facts());
  await state.restore(mark);
  const before = canonicalizer.marked(await state.facts());
  const fields = writtenFields(canonicalizer.withoutLeftOut(await state.observed()), after);
  return { lines: markedDifferences(before, sameNames(before, now), LINES), fields };
}

/** Returns the tables that changed, as text, for example `db.jobs, db.sessions`. Returns an empty text if the lines name no table. */
function placesOf(lines: readonly string[]): string {
  const places = lines.flatMap((line) => /^[+-] systems\.(\S+) /.exec(line)?.[1] ?? []);
  return [...new Set(places)].join(", ");
}

/** Describes a write whose cause is neither an action nor a check. `when`: for example "while seqqa checked the root state". */
export function otherWriterText({ kind, lines }: Pick<Extract<Writer, Written>, "kind" | "lines">, when: string): string {
  const places = placesOf(lines);
  const what = `Something wrote to ${places === "" ? "a store" : places} ${when}`;
  return kind === "itself"
    ? `${what}, and again while no request was in progress. The cause is a timer or job of the target, or another client`
    : `${what}. seqqa did not find the cause, because nothing was written again while seqqa waited. Possible causes are unfinished work of an action, a timer or job of the target, or another client`;
}

export const OTHER_WRITER_HINT =
  'Switch off the timer or job in target.env, or ignore the columns that it writes (`ignore: ["table.column"]`). If an action writes after its answer, set `target.settle`.';

/** Returns a hint with the line of code that excludes the written fields from the state. Returns {@link OTHER_WRITER_HINT} if no fields are known. */
export function otherWriterHint(fields: readonly string[]): string {
  return fields.length === 0
    ? OTHER_WRITER_HINT
    : `Switch off the timer or job in target.env, or write ${ignoreLines(fields)}. If an action writes after its answer, set \`target.settle\`.`;
}
