import type { Database } from "better-sqlite3";
import { stateId } from "../../model/results/state-id.ts";
import { storedNodes } from "../rows/stored-nodes.ts";
import { readStore } from "./open-run.ts";
import { storedRunOf, type StoredExploration } from "./resumable-run.ts";
import { findRun } from "./runs.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

export interface StoredState {
  /** The id of the state, as reports print it. */
  readonly id: string;
  readonly exploration: StoredExploration;
  /** The actions from the root state to this state, along the path on which it was first found. */
  readonly path: readonly string[];
}

/**
 * Returns the states whose ids begin with the text `wanted`, from the given run, or else the last run.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function findStates(outputDir: string, run: string | undefined, wanted: string): readonly StoredState[] {
  const { read } = findRun(outputDir, run, (file) =>
    readStore(file, (db) => storedRunOf(db, file).explorations.flatMap((exploration) => statesOf(db, exploration, wanted))),
  );
  return read;
}

function statesOf(db: Database, exploration: StoredExploration, wanted: string): readonly StoredState[] {
  const found: { readonly node: number; readonly id: string }[] = [];
  const rows = db.prepare("SELECT id, lo, hi FROM nodes WHERE exploration = ? AND lo IS NOT NULL").raw().iterate(exploration.id);
  for (const row of rows) {
    const [node, lo, hi] = row as readonly [number, number, number];
    const id = stateId({ lo, hi });
    if (id.startsWith(wanted)) found.push({ node, id });
  }
  if (found.length === 0) return [];
  const nodes = storedNodes(db, exploration.id, exploration.actions.length);
  if (nodes === undefined) throw new DamagedRun("its stored states contradict each other");
  return found.map(({ node, id }) => {
    const path: string[] = [];
    for (let at = node; at > 0; at = nodes.parents[at]!) path.unshift(exploration.actions[nodes.parentActions[at]!]!);
    return { id, exploration, path };
  });
}
