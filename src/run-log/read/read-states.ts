import type { Database } from "better-sqlite3";
import { FINDING } from "../../messages/lane-messages.ts";
import { SHORT_ID, stateId } from "../../model/results/state-id.ts";
import { lines, record } from "../rows/json-columns.ts";
import { readStore } from "./open-run.ts";
import { readGraph } from "./read-graph.ts";
import { storedRunOf, type StoredExploration } from "./resumable-run.ts";
import { findRun } from "./runs.ts";

/** The states and steps of an exploration, as its run log has them. */
export interface StatesOfRun {
  readonly name: string;
  /** Relative to the folder in which the command was started. */
  readonly file: string;
  readonly actions: readonly string[];
  /** Names of its rules. */
  readonly rules: readonly string[];
  /** The lines of the whole root state. */
  readonly root: readonly string[];
  /** By node. */
  readonly states: readonly StateOfRun[];
  /** The executed steps that led to a state. */
  readonly steps: readonly StepOfRun[];
}

export interface StateOfRun {
  /** The digits that reports print. */
  readonly id: string;
  /** The node that it was first opened from; -1: it is the root. */
  readonly parent: number;
  /** The index of the action that opened it; -1: it is the root. */
  readonly action: number;
  /** The differences from the root state. `undefined`: it was not kept. */
  readonly lines: readonly string[] | undefined;
}

export interface StepOfRun {
  readonly from: number;
  readonly to: number;
  readonly action: number;
  /** HTTP status; 0: the action did not return a response. */
  readonly status: number;
  /** It broke a rule. */
  readonly isFinding: boolean;
}

export interface FoundStates {
  readonly id: string;
  readonly explorations: readonly StatesOfRun[];
  /** See {@link Found.skipped}. */
  readonly skipped: readonly string[];
}

/**
 * Reads the states of a run; without an id of the last run. Explorations that failed before the first step are left out.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function readStates(outputDir: string, run: string | undefined): FoundStates {
  const { id, read, skipped } = findRun(outputDir, run, (file) =>
    readStore(file, (db) => storedRunOf(db, file).explorations.flatMap((exploration) => statesOf(db, exploration))),
  );
  return { id, explorations: read, skipped };
}

function statesOf(db: Database, { id, name, file, actions, beginning }: StoredExploration): readonly StatesOfRun[] {
  if (beginning === undefined) return [];
  const graph = readGraph(db, id);
  const kept = new Map<number, readonly string[]>();
  for (const row of db.prepare("SELECT node, lines FROM states WHERE exploration = ?").raw().iterate(id)) {
    const [node, text] = row as readonly [number, string];
    kept.set(node, lines(text));
  }
  const prints = db.prepare("SELECT lo, hi FROM nodes WHERE exploration = ? ORDER BY id").raw().all(id) as readonly (readonly [
    number | null,
    number | null,
  ])[];
  const steps: StepOfRun[] = [];
  graph.edges.some(
    () => true,
    (_edge, { from, to, action, status, bits }) => {
      if (to >= 0) steps.push({ from, to, action, status: status & 0xffff, isFinding: (bits & FINDING) !== 0 });
    },
  );
  const states = prints.map(([lo, hi], node) => ({
    id: lo === null || hi === null ? "" : stateId({ lo, hi }).slice(0, SHORT_ID),
    parent: graph.parents[node]!,
    action: graph.parentActions[node]!,
    lines: kept.get(node),
  }));
  const rules = db.prepare("SELECT document FROM explorations WHERE id = ?").pluck().get(id) as string;
  return [{ name, file, actions, rules: namesIn(rules), root: beginning.root.lines, states, steps }];
}

/** Returns the names of the rules in an exploration's document. */
function namesIn(document: string): readonly string[] {
  const { invariants } = record(document);
  return Array.isArray(invariants) ? invariants.map(String) : [];
}
