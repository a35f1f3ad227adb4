import type { Database } from "better-sqlite3";
import { Severity } from "../../model/declare/severity.ts";
import { comparedWith, idsOf, raceName, type ComparedFinding, type Comparison, type ExplorationEntry } from "../../reports/index.ts";
import { record } from "../rows/json-columns.ts";
import { readStore } from "./open-run.ts";
import { runFile, runIds } from "./runs.ts";

/** The maximum number of findings of an earlier run that are compared. */
const MOST = 5_000;

/**
 * Compares each exploration of a run with the newest earlier run in which the same exploration ended. Unreadable runs are skipped.
 * @returns a comparison for each exploration; `undefined` for an exploration without an earlier run
 */
export function comparisons(outputDir: string, run: string, entries: readonly ExplorationEntry[]): readonly (Comparison | undefined)[] {
  const found: (Comparison | undefined)[] = entries.map(() => undefined);
  const earlier = runIds(outputDir).filter((id) => id < run);
  for (const id of earlier.toReversed()) {
    if (found.every((one) => one !== undefined)) break;
    try {
      readStore(runFile(outputDir, id), (db) => {
        entries.forEach((entry, index) => (found[index] ??= comparisonIn(db, id, entry)));
      });
    } catch {
      // Skip an unreadable run, because it must not prevent the report of this run.
    }
  }
  return found;
}

function comparisonIn(db: Database, run: string, entry: ExplorationEntry): Comparison | undefined {
  const exploration = db
    .prepare("SELECT id FROM explorations WHERE name = ? AND file = ? AND outcome = 'ended'")
    .pluck()
    .get(entry.name, entry.file);
  if (exploration === undefined) return undefined;
  const rows = (sql: string): readonly Row[] => db.prepare(`${sql} WHERE exploration = ? LIMIT ${MOST}`).all(exploration) as readonly Row[];
  const findings = [
    ...rows("SELECT id, severity, invariant AS name, document, 0 AS race FROM findings"),
    ...rows("SELECT id, severity, first AS name, document, 1 AS race FROM races"),
  ].map(findingOf);
  const startedAt = String(record(db.prepare("SELECT document FROM run").pluck().get())["startedAt"]);
  return comparedWith(entry, { run, startedAt, findings });
}

interface Row {
  readonly id: string;
  readonly severity: string;
  readonly name: string;
  readonly document: string;
  readonly race: number;
}

function findingOf({ id, severity, name, document, race }: Row): ComparedFinding {
  const found = record(document);
  const { operations } = found;
  const ids = Array.isArray(operations) ? idsOf({ id, operations: operations as never }).map(String) : [id];
  const shown = race === 1 ? raceName(found as never) : name;
  const path = found[race === 1 ? "prefix" : "reproductionPath"];
  return {
    id,
    name: shown,
    severity: Object.values(Severity).find((one) => one === severity) ?? Severity.LOW,
    isRace: race === 1,
    ids,
    path: Array.isArray(path) ? path.map(String) : [],
  };
}
