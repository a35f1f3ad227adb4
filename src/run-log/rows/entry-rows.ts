import type { Database, Statement } from "better-sqlite3";
import type { Divergence, RecordedExchange, RecordedStep, RunError } from "../../model/results/result.ts";
import type { ExplorationEntry, JourneyEntry, ReportedFailure } from "../../reports/index.ts";
import { ExchangeWriter } from "./exchange-rows.ts";

export type Outcome = "running" | "ended" | "failed";

type Violation = ExplorationEntry["violations"][number];
type Race = ExplorationEntry["races"][number];
type Row = Readonly<Record<string, string | number | null>>;

/** Writes explorations, journeys and other parts of a result as rows of the run log. A later row replaces an earlier one with the same id. */
export class EntryWriter {
  readonly #db: Database;
  readonly #exchanges: ExchangeWriter;
  readonly #puts: Map<string, Statement> = new Map();

  constructor(db: Database) {
    this.#db = db;
    this.#exchanges = new ExchangeWriter(db);
  }

  exploration(id: number, entry: ExplorationEntry, strategy: string, actions: readonly string[], outcome: Outcome): void {
    const { violations, races, divergences, errors } = entry;
    this.#put("explorations", {
      id,
      name: entry.name,
      file: entry.file,
      outcome,
      strategy,
      seed: entry.seed,
      stop_reason: entry.stopReason,
      states: entry.statesVisited,
      transitions: entry.transitions,
      steps: entry.steps,
      skipped: entry.skipped,
      replayed: entry.replayed,
      max_depth: entry.maxDepthReached,
      complete_to_depth: entry.completeToDepth,
      pairs: entry.coverage.pairs,
      duration_ms: entry.durationMs,
      digest: entry.digest,
      document: JSON.stringify({ ...entry, violations: [], races: [], divergences: [], errors: [], graph: null }),
    });
    actions.forEach((name, action) => {
      const { applied, skipped, statuses } = entry.coverage.actions[name] ?? { applied: 0, skipped: 0, statuses: {} };
      this.#put("actions", { exploration: id, id: action, name, applied, skipped, statuses: JSON.stringify(statuses) });
    });
    this.#clear(id);
    violations.forEach((violation, position) => this.#finding(id, position, violation));
    races.forEach((race, position) => this.#race(id, position, race));
    divergences.forEach((one, position) => this.#divergence(id, position, one));
    errors.forEach((one, position) => this.#error(id, position, one));
  }

  /** Deletes an exploration with its findings. */
  remove(id: number): void {
    this.#clear(id);
    this.#db.prepare("DELETE FROM actions WHERE exploration = ?").run(id);
    this.#db.prepare("DELETE FROM explorations WHERE id = ?").run(id);
  }

  journey(id: number, entry: JourneyEntry): void {
    for (const table of ["journey_steps", "exchanges"]) this.#db.prepare(`DELETE FROM ${table} WHERE journey = ?`).run(id);
    const { name, file, status, durationMs } = entry;
    this.#put("journeys", { id, name, file, status, duration_ms: durationMs, document: JSON.stringify({ ...entry, steps: [] }) });
    entry.steps.forEach((step, position) => {
      this.#put("journey_steps", {
        journey: id,
        position,
        name: step.name,
        status: step.status,
        error: step.error ?? null,
        duration_ms: step.durationMs,
        document: JSON.stringify({ ...step, requests: [] }),
      });
      this.#exchanges.add({ journey: id, step: position }, step.requests);
    });
  }

  failure(position: number, { file, code, message, hint }: ReportedFailure): void {
    this.#put("failures", { position, file, code, message, document: JSON.stringify({ file, code, message, hint }) });
  }

  #clear(id: number): void {
    for (const table of ["findings", "finding_steps", "races", "race_steps", "race_outcomes", "divergences", "errors"]) {
      this.#db.prepare(`DELETE FROM ${table} WHERE exploration = ?`).run(id);
    }
    this.#db.prepare("DELETE FROM exchanges WHERE exploration = ? AND (finding IS NOT NULL OR race IS NOT NULL)").run(id);
  }

  #finding(exploration: number, position: number, violation: Violation): void {
    const { steps, checks } = violation;
    this.#put("findings", {
      exploration,
      position,
      id: violation.id,
      invariant: violation.invariant,
      severity: violation.severity,
      message: violation.message,
      path: JSON.stringify(violation.reproductionPath),
      minimality: violation.minimality ?? null,
      shrunk_from: json(violation.shrunkFrom),
      draws: json(violation.draws),
      confirmed: violation.confirmed ? 1 : 0,
      known: violation.known ? 1 : 0,
      count: violation.count,
      node: violation.state,
      document: JSON.stringify({ ...violation, steps: [], ...(checks === undefined ? {} : { checks: [] }) }),
    });
    steps.forEach((step, index) => {
      this.#put("finding_steps", { exploration, finding: position, ...stepColumns(step, index) });
      this.#exchanges.add({ exploration, finding: position, step: index }, step.requests);
    });
    this.#exchanges.add({ exploration, finding: position }, checks ?? ([] as readonly RecordedExchange[]));
  }

  #race(exploration: number, position: number, race: Race): void {
    const { steps, observed, allowed } = race;
    this.#put("races", {
      exploration,
      position,
      id: race.id,
      first: race.first,
      second: race.second,
      copies: race.copies,
      verdict: race.verdict,
      invariant: race.invariant ?? null,
      severity: race.severity,
      message: race.message,
      prefix: JSON.stringify(race.prefix),
      hits: race.hits,
      trials: race.trials,
      misses: race.misses,
      rate_low: race.rate.low,
      rate_high: race.rate.high,
      delivery: race.delivery,
      schedule: json(race.schedule),
      draws: json(race.draws),
      known: race.known ? 1 : 0,
      count: race.count,
      document: JSON.stringify({ ...race, observed: null, allowed: [], steps: [] }),
    });
    steps.forEach((step, index) => {
      this.#put("race_steps", { exploration, race: position, ...stepColumns(step, index) });
      this.#exchanges.add({ exploration, race: position, step: index }, step.requests);
    });
    [observed, ...allowed].forEach((outcome, index) => {
      this.#put("race_outcomes", {
        exploration,
        race: position,
        position: index,
        executed: outcome.order === null ? null : JSON.stringify(outcome.order),
        statuses: JSON.stringify(outcome.calls.map(({ status }) => status)),
        changes: JSON.stringify(outcome.changes),
        broken: JSON.stringify(outcome.broken),
        document: JSON.stringify({ ...outcome, calls: outcome.calls.map((call) => ({ ...call, requests: [] })) }),
      });
      outcome.calls.forEach(({ requests }, side) =>
        this.#exchanges.add({ exploration, race: position, outcome: index, step: side }, requests),
      );
    });
  }

  #divergence(exploration: number, position: number, one: Divergence): void {
    const { kind, message, path } = one;
    this.#put("divergences", { exploration, position, kind, message, path: JSON.stringify(path), document: JSON.stringify(one) });
  }

  #error(exploration: number, position: number, one: RunError): void {
    const { code, source, message, count } = one;
    this.#put("errors", { exploration, position, code, source, message, count, document: JSON.stringify(one) });
  }

  #put(table: string, row: Row): void {
    let statement = this.#puts.get(table);
    if (statement === undefined) {
      const names = Object.keys(row);
      const values = names.map((name) => `@${name}`).join(", ");
      statement = this.#db.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${values})`);
      this.#puts.set(table, statement);
    }
    statement.run(row);
  }
}

const stepColumns = (step: RecordedStep, position: number): Row => ({
  position,
  action: step.action,
  status: step.status,
  changes: json(step.changes),
  document: JSON.stringify({ ...step, requests: [] }),
});

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
