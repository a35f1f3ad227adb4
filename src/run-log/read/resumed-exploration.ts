import type { Database } from "better-sqlite3";
import type { JournalEvent } from "../../engine/commit/commit-journal.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import type { Recorded } from "../../engine/commit/recommit.ts";
import type { ErrorEvent, FindingEvent, InconclusiveEvent } from "../../messages/lane-messages.ts";
import type { Divergence, RecordedExchange, Violation } from "../../model/results/result.ts";
import type { OperationCoverage } from "../../model/results/coverage.ts";
import type { ExplorationEntry } from "../../reports/index.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { findingsOf, racesOf } from "./read-run.ts";
import { batchReader, checkKind } from "../write/commit-batches.ts";
import { record } from "../rows/json-columns.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

export interface ResumedExploration {
  readonly beginning: RunHeader;
  readonly recorded: Recorded;
  /** The findings that the run log contains. */
  readonly found: Pick<ExplorationEntry, "violations" | "races">;
  readonly nodes: number;
  readonly edges: number;
  readonly durationMs: number;
}

interface Row {
  readonly name: string;
  readonly digest: string;
  readonly replayed: number;
  readonly transitions: number;
  readonly duration_ms: number;
  readonly characters: number;
  readonly document: string;
}

/** Reads the data that is needed to resume an exploration. @throws DamagedRun if the run log is damaged */
export function resumedExploration(db: Database, exploration: number, beginning: RunHeader): ResumedExploration {
  const row = db
    .prepare(
      `SELECT e.name, e.digest, e.replayed, e.transitions, e.duration_ms, e.document, b.characters
       FROM explorations e JOIN beginnings b ON b.exploration = e.id WHERE e.id = ?`,
    )
    .get(exploration) as Row;
  const { lo, hi } = fingerprintsOf(db, exploration);
  const divergences = db.prepare("SELECT document FROM divergences WHERE exploration = ? ORDER BY position").pluck().all(exploration);
  const found = { violations: findingsOf(db, exploration), races: racesOf(db, exploration) };
  const sent = new Map(found.violations.map((violation) => [violation.id, violation]));
  const newsOf = db.prepare("SELECT document FROM news WHERE exploration = ? AND id = ?").pluck();
  const known = new Map<number, JournalEvent>();
  const isChecked = db.prepare("SELECT 1 FROM checks WHERE exploration = ? AND node = ? AND merge = ?").pluck();
  const crossChecked = record(row.document)["crossChecked"];
  return {
    beginning,
    nodes: lo.length,
    edges: row.transitions,
    durationMs: row.duration_ms,
    found,
    recorded: {
      ...batchReader(db, exploration),
      lo,
      hi,
      stepEvents: (id) => {
        let stepEvents = known.get(id);
        if (stepEvents === undefined) known.set(id, (stepEvents = newsFrom(newsOf.get(exploration, id))));
        return stepEvents;
      },
      wasChecked: (check) => isChecked.get(exploration, check.node, checkKind(check)) !== undefined,
      sentFor: (found) => exchangeOf(sent.get(findingId(row.name, found))),
      digest: row.digest,
      divergences: divergences.map((text) => record(text) as unknown as Divergence),
      replayed: row.replayed,
      crossChecked: typeof crossChecked === "number" ? crossChecked : 0,
      characters: row.characters,
      operations: operationsOf(record(row.document)),
    },
  };
}

/** Returns the operations that were called; `undefined` if they were not counted. @throws DamagedRun if they are damaged */
function operationsOf({ coverage }: Readonly<Record<string, unknown>>): readonly OperationCoverage[] | undefined {
  const { operations } = (coverage ?? {}) as { readonly operations?: unknown };
  if (operations === undefined) return undefined;
  const isWhole = (one: Partial<OperationCoverage> | null): boolean => Array.isArray(one?.seen) && Array.isArray(one.described);
  if (!Array.isArray(operations) || !operations.every(isWhole)) throw new DamagedRun("the operations of an exploration are damaged");
  return operations as readonly OperationCoverage[];
}

function fingerprintsOf(db: Database, exploration: number): Pick<Recorded, "lo" | "hi"> {
  const count = db.prepare("SELECT count(*) FROM nodes WHERE exploration = ?").pluck().get(exploration) as number;
  const [lo, hi] = [new Int32Array(count), new Int32Array(count)];
  let node = 0;
  for (const row of db.prepare("SELECT lo, hi FROM nodes WHERE exploration = ? ORDER BY id").raw().iterate(exploration)) {
    [lo[node], hi[node]] = row as [number, number];
    node++;
  }
  return { lo, hi };
}

function newsFrom(document: unknown): JournalEvent {
  const { findings, errors, unjudged } = record(document);
  if (!Array.isArray(findings) || !Array.isArray(errors)) throw new DamagedRun("the findings of a step are missing");
  return {
    findings: findings as readonly FindingEvent[],
    errors: (errors as ErrorEvent[]).map((one) => ({ ...one, stack: one.stack })),
    ...(Array.isArray(unjudged) && { unjudged: unjudged as readonly InconclusiveEvent[] }),
  };
}

/** Returns a list with the request and the answer of a violation's last step; empty if there are none. */
function exchangeOf(violation: Pick<Violation, "request" | "response"> | undefined): readonly RecordedExchange[] {
  const { request, response } = violation ?? {};
  return request === undefined ? [] : [{ request, response, durationMs: 0 }];
}
