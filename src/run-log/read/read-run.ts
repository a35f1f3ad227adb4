import type { Database } from "better-sqlite3";
import type { Divergence, RaceOutcome, RecordedExchange, RecordedStep, RunError } from "../../model/results/result.ts";
import {
  graphEntry,
  type ExplorationEntry,
  type GraphEntry,
  type JourneyEntry,
  type ReportData,
  type ReportedFailure,
  type RunDocument,
  verdictOf,
} from "../../reports/index.ts";
import { exchangesOf, type ExchangeRow } from "../rows/exchange-rows.ts";
import { misfitOf } from "../rows/fits-schema.ts";
import { record } from "../rows/json-columns.ts";
import { readStore } from "./open-run.ts";
import { comparisons } from "./previous-run.ts";
import { readGraph } from "./read-graph.ts";
import { findRun, runFile } from "./runs.ts";
import { shownGraph } from "./shown-graph.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

type Finding = ExplorationEntry["violations"][number];
type Race = ExplorationEntry["races"][number];

/** The note in the report of a run whose end was not stored. */
const UNFINISHED = "The run stopped early, or is still in progress. This result contains only the part that was stored so far.";

/**
 * Reads the data for reports from the given run, or else the last run. A killed run is reported as interrupted, with everything up to its last stored
 * batch of commits.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function readRun(outputDir: string, id: string | undefined): KeptData {
  const kept = readKept(outputDir, id, readData);
  return { ...kept, data: { ...kept.data, comparisons: comparisons(outputDir, kept.id, kept.data.document.explorations) } };
}

/**
 * Reads the data for reports from the given run, or else the last run, without the nodes and edges of the graphs.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function readFindings(outputDir: string, id: string | undefined): KeptData {
  return readKept(outputDir, id, (db) => ({ document: documentOf(db, (entry) => entry), graphs: [] }));
}

export interface KeptData {
  readonly id: string;
  readonly file: string;
  readonly data: ReportData;
  /** Sentences that say why newer runs could not be read and were skipped. */
  readonly skipped: readonly string[];
}

function readKept(outputDir: string, wanted: string | undefined, read: (db: Database) => ReportData): KeptData {
  const { id, read: data, skipped } = findRun(outputDir, wanted, (file) => readStore(file, read));
  return { id, file: runFile(outputDir, id), data, skipped };
}

function readData(db: Database): ReportData {
  const graphs: ReportData["graphs"][number][] = [];
  const document = documentOf(db, (entry, exploration) => {
    const graph = readGraph(db, exploration);
    graphs.push(shownGraph(db, exploration, graph, pathsOf(entry)));
    return { ...entry, graph: entryOf(graph) };
  });
  return { document, graphs };
}

/** Reads the stored data of a run as one object and checks it. @param withGraph Adds the nodes and edges of the graph to an exploration. */
function documentOf(db: Database, withGraph: (entry: ExplorationEntry, exploration: number) => ExplorationEntry): RunDocument {
  const row = db.prepare("SELECT ended_at, document FROM run").get() as { ended_at: string | null; document: string };
  const unfinished = row.ended_at === null;
  const explorations = db
    .prepare("SELECT id, document FROM explorations WHERE outcome = 'ended' OR (? AND outcome = 'running') ORDER BY id")
    .all(unfinished ? 1 : 0) as readonly { readonly id: number; readonly document: string }[];
  const entries = explorations.map(({ id, document }) => {
    const entry = explorationOf(db, id, record(document));
    return unfinished && entry.stopReason === "interrupted" ? { ...entry, notes: [...entry.notes, UNFINISHED] } : entry;
  });
  const document = {
    ...record(row.document),
    explorations: entries,
    journeys: journeysOf(db),
    failures: documents<ReportedFailure>(db, "failures ORDER BY position"),
  };
  refuseMisfit(document);
  const whole = entries.map((entry, index) => withGraph(entry, explorations[index]!.id));
  return { ...(document as unknown as RunDocument), explorations: whole };
}

/** Checks that the stored data of a run fits the schema of results. @throws DamagedRun if it does not */
function refuseMisfit(document: object): void {
  const wrong = misfitOf(document);
  if (wrong !== undefined) throw new DamagedRun(`${wrong} does not fit the format of a seqqa result`);
}

/** Returns the graph of an exploration for results. Its lists of nodes and edges are built at the first access. */
function entryOf({ actions, parents, parentActions, depths, edges, lists }: StoredGraph): GraphEntry {
  return graphEntry({ actions, nodes: depths.length, edges: edges.size, parents, parentActions, depths, ...lists });
}

/** Returns the paths that reports highlight in the graph. A race has one path for each of its calls. */
function pathsOf({ violations, races }: ExplorationEntry): readonly (readonly string[])[] {
  return [
    ...violations.map(({ reproductionPath }) => reproductionPath),
    ...races.flatMap(({ prefix, first, second }) => [
      [...prefix, first],
      [...prefix, second],
    ]),
  ];
}

/**
 * Reads an exploration in the form in which results contain it, but without the nodes and edges of its graph.
 * @throws DamagedRun if the stored data does not fit the schema
 */
export function readEntry(db: Database, id: number): ExplorationEntry {
  const document = db.prepare("SELECT document FROM explorations WHERE id = ?").pluck().get(id);
  const run = db.prepare("SELECT document FROM run").pluck().get();
  const entry = explorationOf(db, id, record(document));
  refuseMisfit({ ...record(run), explorations: [entry] });
  return entry;
}

/** Returns values for fields that are missing in runs of version 0.6 and earlier. */
function withoutVerdict(entry: ExplorationEntry): Pick<ExplorationEntry, "verdict" | "unverified" | "reductions"> {
  return { verdict: verdictOf(entry), unverified: [], reductions: [] };
}

/** Returns an exploration in the form in which results contain it, with empty lists for the nodes and edges of its graph. */
function explorationOf(db: Database, id: number, document: Readonly<Record<string, unknown>>): ExplorationEntry {
  const of = (table: string): string => `${table} WHERE exploration = ${id} ORDER BY position`;
  return {
    ...document,
    ...(document["verdict"] === undefined && withoutVerdict(document as unknown as ExplorationEntry)),
    violations: findingsOf(db, id),
    races: racesOf(db, id),
    divergences: documents<Divergence>(db, of("divergences")),
    errors: documents<RunError>(db, of("errors")),
    graph: {
      actions: db.prepare("SELECT name FROM actions WHERE exploration = ? ORDER BY id").pluck().all(id),
      nodes: document["statesVisited"],
      edges: document["transitions"],
      parents: [],
      parentActions: [],
      depths: [],
      edgeFrom: [],
      edgeAction: [],
      edgeTo: [],
      edgeStatus: [],
    },
  } as unknown as ExplorationEntry;
}

export function findingsOf(db: Database, exploration: number): readonly Finding[] {
  const sent = db.prepare("SELECT * FROM exchanges WHERE exploration = ? AND finding = ? AND step IS ? ORDER BY position");
  const exchanges = (finding: number, step: number | null): readonly RecordedExchange[] =>
    exchangesOf(sent.all(exploration, finding, step) as ExchangeRow[]);
  const steps = db.prepare("SELECT position, document FROM finding_steps WHERE exploration = ? AND finding = ? ORDER BY position");
  const all = db
    .prepare("SELECT position, document FROM findings WHERE exploration = ? ORDER BY position")
    .all(exploration) as readonly Placed[];
  return all.map(({ position: finding, document }) => {
    const violation = record(document) as unknown as Finding;
    const taken = steps.all(exploration, finding) as readonly Placed[];
    return {
      ...violation,
      steps: taken.map((step) => ({ ...(record(step.document) as unknown as RecordedStep), requests: exchanges(finding, step.position) })),
      ...(violation.checks === undefined ? {} : { checks: exchanges(finding, null) }),
    };
  });
}

export function racesOf(db: Database, exploration: number): readonly Race[] {
  const sent = db.prepare("SELECT * FROM exchanges WHERE exploration = ? AND race = ? AND outcome IS ? AND step = ? ORDER BY position");
  const exchanges = (race: number, outcome: number | null, step: number): readonly RecordedExchange[] =>
    exchangesOf(sent.all(exploration, race, outcome, step) as ExchangeRow[]);
  const placed = (table: string): ((race: number) => readonly Placed[]) => {
    const rows = db.prepare(`SELECT position, document FROM ${table} WHERE exploration = ? AND race = ? ORDER BY position`);
    return (race) => rows.all(exploration, race) as readonly Placed[];
  };
  const [stepsOf, outcomesOf] = [placed("race_steps"), placed("race_outcomes")];
  const all = db
    .prepare("SELECT position, document FROM races WHERE exploration = ? ORDER BY position")
    .all(exploration) as readonly Placed[];
  return all.map(({ position: race, document }) => {
    const [observed, ...allowed] = outcomesOf(race).map(({ position, document: text }): RaceOutcome => {
      const outcome = record(text) as unknown as RaceOutcome;
      return { ...outcome, calls: outcome.calls.map((call, side) => ({ ...call, requests: exchanges(race, position, side) })) };
    });
    if (observed === undefined) throw new DamagedRun("a race has no outcome");
    const steps = stepsOf(race).map((step) => ({
      ...(record(step.document) as unknown as RecordedStep),
      requests: exchanges(race, null, step.position),
    }));
    return { ...(record(document) as unknown as Race), observed, allowed, steps };
  });
}

interface Placed {
  readonly position: number;
  readonly document: string;
}

function journeysOf(db: Database): readonly JourneyEntry[] {
  const sent = db.prepare("SELECT * FROM exchanges WHERE journey = ? AND step = ? ORDER BY position");
  const steps = db.prepare("SELECT position, document FROM journey_steps WHERE journey = ? ORDER BY position");
  const all = db.prepare("SELECT id, document FROM journeys ORDER BY id").all() as readonly {
    readonly id: number;
    readonly document: string;
  }[];
  return all.map(({ id, document }) => ({
    ...(record(document) as unknown as JourneyEntry),
    steps: (steps.all(id) as readonly Placed[]).map((step) => ({
      ...(record(step.document) as unknown as JourneyEntry["steps"][number]),
      requests: exchangesOf(sent.all(id, step.position) as ExchangeRow[]),
    })),
  }));
}

/** Returns the column `document` of the rows. @param of A table, and optionally a condition and an order. */
export function documents<T>(db: Database, of: string): readonly T[] {
  const rows = db.prepare(`SELECT document FROM ${of}`).all() as readonly { readonly document: string }[];
  return rows.map(({ document }) => record(document) as unknown as T);
}
