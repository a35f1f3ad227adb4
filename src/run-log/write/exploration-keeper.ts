import { dirname } from "node:path";
import type { Database, Statement } from "better-sqlite3";
import type { Committer } from "../../engine/commit/committer.ts";
import type { DetailLimits } from "../../engine/commit/commit-details.ts";
import type { ExplorationResult, RecordedExchange } from "../../model/results/result.ts";
import { explorationEntry, redactExchange, redactTarget, redactText, type Redactor, type Visibility } from "../../reports/index.ts";
import type { JournalEvent } from "../../engine/commit/commit-journal.ts";
import type { RunHeader, Stage } from "../rows/run-header.ts";
import { CommitWriter } from "./commit-batches.ts";
import { EntryWriter, type Outcome } from "../rows/entry-rows.ts";
import { ExchangeWriter } from "../rows/exchange-rows.ts";
import type { ResumedExploration } from "../read/resumed-exploration.ts";

export interface ExplorationStart {
  readonly name: string;
  readonly strategy: string;
  readonly actions: readonly string[];
  /** Replaces the lane's URLs by the URL that the user configured, in a request and its answer. */
  readonly shown: (exchange: RecordedExchange) => RecordedExchange;
  /** Prepares step events for reports: replaces the lane's URLs, and resolves stacks to the user's source lines. */
  readonly told: (stepEvents: JournalEvent) => JournalEvent;
  /** The run header; `undefined` if commits are not stored during the run. */
  readonly beginning: Omit<RunHeader, "stages"> | undefined;
}

/** Returns the result of the exploration so far. The graph in this result is not used. */
export type ResultSoFar = () => ExplorationResult;

/**
 * Limits for the exchanges (by edge) and states that are stored. The exchanges and states of the run's beginning are stored, because no report shows
 * more.
 */
export const DETAIL_LIMITS: DetailLimits = { edges: 20_000, states: 5_000, characters: 64_000_000 };
/** A batch of commits is written after `EVERY_MS` milliseconds or `EDGES` edges, whichever comes first. */
const EVERY_MS = 250;
const EDGES = 20_000;
/** The maximum number of characters of a request body or answer body that are stored. Findings store whole bodies. */
const BODY = 4_096;
/** The maximum number of entries in the cache that maps lines of states to the same lines without secrets. */
const LINES = 10_000;

export interface KeeperParts {
  readonly id: number;
  /** The path of the exploration's file, as reports show it. */
  readonly file: string;
  readonly db: Database;
  readonly visibility: Visibility;
  readonly hide: Redactor;
  /** Calls `work` in a transaction of the run log. If `work` fails, the run continues, and the end of the run reports the error. */
  readonly attempt: (work: () => void) => void;
  /** The data that an earlier session stored; `undefined` unless the exploration is resumed. */
  readonly before?: ResumedExploration | undefined;
}

/**
 * Writes the commits of an exploration to the run log in batches, one transaction for each. If the process is killed, the run log contains everything
 * up to the last batch. The data is read from the engine's own tables, so that a commit causes no additional work.
 */
export class ExplorationKeeper {
  readonly limits: DetailLimits;
  readonly before: ResumedExploration | undefined;
  readonly #id: number;
  readonly #file: string;
  readonly #db: Database;
  readonly #visibility: Visibility;
  readonly #hide: Redactor;
  readonly #attempt: (work: () => void) => void;
  readonly #entries: EntryWriter;
  readonly #exchanges: ExchangeWriter;
  readonly #node: Statement;
  readonly #state: Statement;
  readonly #move: Statement;
  readonly #begin: Statement;
  readonly #characters: Statement;
  #commits: CommitWriter;
  readonly #lines: Map<string, string> = new Map();
  #begun = false;
  #stages: readonly Stage[] = [];
  #start: ExplorationStart | undefined;
  #nodes = 0;
  #edges = 0;
  #at = -Infinity;

  constructor({ id, file, db, visibility, hide, attempt, before }: KeeperParts) {
    this.#id = id;
    this.#file = file;
    this.#db = db;
    this.#visibility = visibility;
    this.#hide = hide;
    this.#attempt = attempt;
    this.limits = visibility.includeRequestResponse ? DETAIL_LIMITS : { ...DETAIL_LIMITS, edges: 0 };
    this.#entries = new EntryWriter(db);
    this.#exchanges = new ExchangeWriter(db);
    this.#node = db.prepare("INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#state = db.prepare("INSERT INTO states VALUES (?, ?, ?)");
    this.#begin = db.prepare(
      "INSERT INTO beginnings (code, document, exploration, characters) VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE SET code = excluded.code, document = excluded.document",
    );
    this.#characters = db.prepare("UPDATE beginnings SET characters = ? WHERE exploration = ?");
    this.#commits = new CommitWriter(db, id, (stepEvents) => this.#told(stepEvents));
    this.before = before;
    this.#nodes = before?.nodes ?? 0;
    this.#edges = before?.edges ?? 0;
    this.#move = db.prepare("UPDATE nodes SET parent = ?, action = ?, depth = ? WHERE exploration = ? AND id = ?");
  }

  get folder(): string {
    return dirname(this.#db.name);
  }

  begin(start: ExplorationStart): void {
    this.#start = start;
  }

  /**
   * Deletes all stored data of the exploration, because its search starts again. If the process is killed before the next batch, a resumed run
   * therefore starts the exploration from the beginning.
   */
  again(): void {
    this.#attempt(() => {
      this.#entries.remove(this.#id);
      for (const table of ["nodes", "states", "commits", "checks", "news", "exchanges", "beginnings"])
        this.#db.prepare(`DELETE FROM ${table} WHERE exploration = ?`).run(this.#id);
    });
    this.#commits = new CommitWriter(this.#db, this.#id, (stepEvents) => this.#told(stepEvents));
    [this.#nodes, this.#edges, this.#begun, this.#at] = [0, 0, false, -Infinity];
  }

  /** Writes a batch of commits if enough time has passed, or enough edges were committed, since the last batch. */
  commits(committer: Committer, soFar: ResultSoFar): void {
    if (committer.edges.size - this.#edges >= EDGES || performance.now() - this.#at >= EVERY_MS) this.flush(committer, soFar);
  }

  /** Writes all commits that the run log does not contain yet. */
  flush(committer: Committer, soFar: ResultSoFar): void {
    this.#attempt(() => {
      this.#graph(committer);
      this.#entry(soFar(), "running");
      if (!this.#begun && this.#start!.beginning !== undefined) {
        this.#beginning();
        this.#begun = true;
      }
      this.#characters.run(committer.details?.characters ?? 0, this.#id);
    });
    this.#at = performance.now();
  }

  /** Writes the commits, but no result. Used for explorations whose result is known only at the end. */
  graph(committer: Committer): void {
    this.#attempt(() => this.#graph(committer));
  }

  /** Sets the stages that were carried out after the search. The stages are stored when the exploration ends. */
  carriedOut(stages: readonly Stage[]): void {
    this.#stages = stages;
  }

  ended(name: string, result: ExplorationResult): void {
    this.#start ??= {
      name,
      strategy: result.strategy ?? "",
      actions: result.graph.actions,
      shown: (exchange) => exchange,
      told: (stepEvents) => stepEvents,
      beginning: undefined,
    };
    this.#attempt(() => {
      this.#rest(result);
      this.#entry(result, "ended");
      // Write the root state again, because its lines may contain secrets that became known during the run.
      if (this.#begun) this.#beginning();
    });
  }

  /** Leaves the stored graph unchanged, because an earlier session stored it completely. */
  taken(): void {
    this.#nodes = Infinity;
    this.#edges = Infinity;
  }

  shownLines(lines: readonly string[]): readonly string[] {
    return lines.map((line) => this.#hide.line(line));
  }

  /** Records that the exploration failed. A resumed exploration that failed before its first batch of commits keeps its earlier outcome. */
  failed(): void {
    if (this.before !== undefined && !this.#begun) return;
    this.#attempt(() => this.#db.prepare("UPDATE explorations SET outcome = 'failed' WHERE id = ?").run(this.#id));
  }

  #beginning(): void {
    const { code, root, ...rest } = this.#start!.beginning!;
    this.#begin.run(
      code,
      JSON.stringify({ ...rest, root: { ...root, lines: this.shownLines(root.lines) }, stages: this.#stages }),
      this.#id,
    );
  }

  #told(stepEvents: JournalEvent): JournalEvent {
    const { findings, errors, unjudged } = this.#start!.told(stepEvents);
    const text = (value: string): string => redactText(value, this.#visibility, this.#hide);
    return {
      findings: findings.map(({ invariant, severity, message, cause, target, fields }) => ({
        invariant,
        severity,
        message: text(message),
        ...(cause === undefined ? {} : { cause: text(cause) }),
        ...(target === undefined ? {} : { target: redactTarget(target, this.#hide) }),
        ...(fields === undefined ? {} : { fields }),
      })),
      ...(unjudged === undefined ? {} : { unjudged: unjudged.map((one) => ({ ...one, what: text(one.what) })) }),
      errors: errors.map(({ code, message, source, stack, where }) => ({
        code,
        message: text(message),
        source,
        stack: stack === undefined ? undefined : text(stack),
        where,
      })),
    };
  }

  #entry(result: ExplorationResult, outcome: Outcome): void {
    const { name, strategy, actions } = this.#start!;
    const entry = explorationEntry({ name, file: this.#file, result }, this.#visibility, this.#hide);
    this.#entries.exploration(this.#id, entry, strategy, actions, outcome);
  }

  #graph({ nodes, edges, visited, details, journal }: Committer): void {
    for (; this.#nodes < nodes.size; this.#nodes++) {
      const node = this.#nodes;
      this.#node.run(this.#id, node, nodes.parent(node), nodes.action(node), nodes.depth(node), visited.lo(node), visited.hi(node));
    }
    nodes.written = this.#nodes;
    for (const node of nodes.moved) this.#move.run(nodes.parent(node), nodes.action(node), nodes.depth(node), this.#id, node);
    nodes.moved.clear();
    this.#edges = edges.size;
    if (journal !== undefined) this.#commits.add(journal.take());
    if (details === undefined) return;
    for (const [edge, exchanges] of details.exchanges)
      this.#exchanges.add(
        { exploration: this.#id, edge },
        exchanges.map((one) => this.#shown(one)),
      );
    details.exchanges.clear();
    // Clear the cache, because its lines may contain secrets that became known after the last batch.
    this.#lines.clear();
    for (const [node, lines] of details.states) this.#state.run(this.#id, node, JSON.stringify(lines.map((line) => this.#line(line))));
    details.states.clear();
  }

  /** Writes the nodes and edges that were not written during the run. */
  #rest({ graph }: ExplorationResult): void {
    for (; this.#nodes < graph.nodes; this.#nodes++) {
      const node = this.#nodes;
      this.#node.run(this.#id, node, graph.parents[node], graph.parentActions[node], graph.depths[node], null, null);
    }
    if (this.#edges >= graph.edges) return;
    this.#commits.rest(graph, this.#edges);
    this.#edges = graph.edges;
  }

  /** Removes secrets from a line of a state. Results are cached, because states have most of their lines in common. */
  #line(line: string): string {
    let shown = this.#lines.get(line);
    if (shown !== undefined) return shown;
    shown = this.#hide.line(line);
    if (this.#lines.size >= LINES) this.#lines.clear();
    this.#lines.set(line, shown);
    return shown;
  }

  #shown(exchange: RecordedExchange): RecordedExchange {
    const one = redactExchange(this.#start!.shown(exchange), this.#hide);
    const { request, response } = one;
    return {
      ...one,
      request: request.body === undefined ? request : { ...request, body: cut(request.body) },
      ...(response === undefined ? {} : { response: { ...response, body: cut(response.body) } }),
    };
  }
}

function cut(text: string): string {
  return text.length <= BODY ? text : `${text.slice(0, BODY)}... (cut)`;
}
