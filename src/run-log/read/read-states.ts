import type { Database } from "better-sqlite3";
import { FINDING } from "../../messages/lane-messages.ts";
import { SHORT_ID, stateId } from "../../model/results/state-id.ts";
import { lines, record } from "../rows/json-columns.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { readStore } from "./open-run.ts";
import { readGraph } from "./read-graph.ts";
import { storedRunOf, type StoredExploration } from "./resumable-run.ts";
import { findRun } from "./runs.ts";

export interface StatesOfRun {
  readonly name: string;
  /** The path of the exploration file, relative to the folder in which the command was started. */
  readonly file: string;
  /** `true` if the run left no state unexplored, apart from states behind findings. */
  readonly isWhole: boolean;
  readonly actions: readonly string[];
  /** The role of each action, in the order of `actions`. `undefined` for the world's own client. */
  readonly roles: readonly (string | undefined)[];
  readonly rules: readonly string[];
  /** The foreign keys of one column that the stores declare. */
  readonly references: RunHeader["references"];
  /** All lines of the root state. */
  readonly root: readonly string[];
  /** The states, in the order of the graph's nodes. */
  readonly states: readonly StateOfRun[];
  /** The executed steps. Steps that led to no state are left out. */
  readonly steps: readonly StepOfRun[];
}

export interface StateOfRun {
  /** The short id of the state, as reports print it. */
  readonly id: string;
  /** The node from which this state was first reached; -1 for the root state. */
  readonly parent: number;
  /** The index of the action that first reached this state; -1 for the root state. */
  readonly action: number;
  /** The lines in which this state differs from the root state; `undefined` if they were not stored. */
  readonly lines: readonly string[] | undefined;
}

export interface StepOfRun {
  readonly from: number;
  readonly to: number;
  readonly action: number;
  /** The HTTP status of the step; 0 if the action returned no response. */
  readonly status: number;
  /** `true` if the step broke a rule. */
  readonly isFinding: boolean;
  /** The stored answers of the step. `undefined` if the run log has none, or if all actions have the same role. */
  readonly answers?: readonly AnswerOfStep[] | undefined;
}

/** An answer that an action received. */
export interface AnswerOfStep {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** The body, which may be cut. */
  readonly body: string;
}

export interface FoundStates {
  readonly id: string;
  readonly explorations: readonly StatesOfRun[];
  /** The folder in which the run was started, relative to the folder of the run log's reports. `undefined` for runs of earlier versions. */
  readonly folder: string | undefined;
  /** Sentences that say why newer runs could not be read and were skipped. */
  readonly skipped: readonly string[];
}

/**
 * Reads the states of the given run, or else the last run. Explorations that failed before their first step are left out.
 * @param withAnswers `false` to leave out the answers of steps, which may need much memory
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function readStates(outputDir: string, run: string | undefined, withAnswers = true): FoundStates {
  const { id, read, skipped } = findRun(outputDir, run, (file) =>
    readStore(file, (db) => ({
      explorations: storedRunOf(db, file).explorations.flatMap((exploration) => statesOf(db, exploration, withAnswers)),
      folder: record(db.prepare("SELECT document FROM run").pluck().get() as string)["folder"] as string | undefined,
    })),
  );
  return { id, ...read, skipped };
}

function statesOf(
  db: Database,
  { id, name, file, actions, beginning, stopReason }: StoredExploration,
  withAnswers: boolean,
): readonly StatesOfRun[] {
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
  const document = record(db.prepare("SELECT document FROM explorations WHERE id = ?").pluck().get(id));
  const roles = rolesIn(document, actions);
  const answers = withAnswers && new Set(roles).size > 1 ? answersOf(db, id) : undefined;
  const steps: StepOfRun[] = [];
  graph.edges.some(
    () => true,
    (edge, { from, to, action, status, bits }) => {
      if (to < 0) return;
      steps.push({ from, to, action, status: status & 0xffff, isFinding: (bits & FINDING) !== 0, answers: answers?.get(edge) });
    },
  );
  const states = prints.map(([lo, hi], node) => ({
    id: lo === null || hi === null ? "" : stateId({ lo, hi }).slice(0, SHORT_ID),
    parent: graph.parents[node]!,
    action: graph.parentActions[node]!,
    lines: kept.get(node),
  }));
  return [
    {
      name,
      file,
      isWhole: stopReason === "exhausted",
      actions,
      roles,
      rules: namesIn(document),
      references: beginning.references,
      root: beginning.root.lines,
      states,
      steps,
    },
  ];
}

type Document = Readonly<Record<string, unknown>>;

function namesIn({ invariants }: Document): readonly string[] {
  return Array.isArray(invariants) ? invariants.map(String) : [];
}

function rolesIn({ coverage }: Document, actions: readonly string[]): StatesOfRun["roles"] {
  const counts = new Map(Object.entries((coverage as { readonly actions?: Readonly<Record<string, unknown>> } | undefined)?.actions ?? {}));
  return actions.map((name) => {
    const role = (counts.get(name) as { readonly role?: unknown } | undefined)?.role;
    return typeof role === "string" ? role : undefined;
  });
}

/** Reads the answers of the steps, by edge. Requests without an answer are left out. */
function answersOf(db: Database, id: number): ReadonlyMap<number, readonly AnswerOfStep[]> {
  const answers = new Map<number, AnswerOfStep[]>();
  const rows = db.prepare(
    `SELECT edge, method, url, status, ifnull(response_body, '') AS body FROM exchanges
     WHERE exploration = ? AND edge IS NOT NULL AND status IS NOT NULL ORDER BY edge, position`,
  );
  for (const row of rows.iterate(id)) {
    const { edge, ...answer } = row as AnswerOfStep & { readonly edge: number };
    (answers.get(edge) ?? answers.set(edge, []).get(edge)!).push(answer);
  }
  return answers;
}
