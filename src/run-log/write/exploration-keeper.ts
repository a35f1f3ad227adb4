import { dirname } from "node:path";
import type { Database, Statement } from "better-sqlite3";
import type { Committer } from "../../engine/commit/committer.ts";
import type { DetailLimits } from "../../engine/commit/commit-details.ts";
import type { ExplorationResult, RecordedExchange } from "../../model/results/result.ts";
import { explorationEntry, redactExchange, redactTarget, redactText, type Redactor, type Visibility } from "../../reports/index.ts";
import type { JournalEvent } from "../../engine/commit/commit-journal.ts";
import type { RunHeader } from "../rows/run-header.ts";
import { CommitWriter } from "./commit-batches.ts";
import { EntryWriter, type Outcome } from "../rows/entry-rows.ts";
import { ExchangeWriter } from "../rows/exchange-rows.ts";
import type { ResumedExploration } from "../read/resumed-exploration.ts";

/** What is known of an exploration when it begins. */
export interface ExplorationStart {
  readonly name: string;
  readonly strategy: string;
  readonly actions: readonly string[];
  /** An exchange with the URLs that users know in place of the lanes' own. */
  readonly shown: (exchange: RecordedExchange) => RecordedExchange;
  /** What a step brought to light, as it is told: URLs as users know them, stacks in the user's own lines. */
  readonly told: (news: JournalEvent) => JournalEvent;
  /** `undefined` where nothing was written along. */
  readonly beginning: RunHeader | undefined;
}

/** The result so far. Its graph is not looked at. */
export type ResultSoFar = () => ExplorationResult;

/** What reports show of an exploration: its first steps and states, since no report shows all. */
const LIMITS: DetailLimits = { edges: 20_000, states: 5_000, characters: 64_000_000 };
/** Milliseconds between two batches, and edges that make one at once. */
const EVERY_MS = 250;
const EDGES = 20_000;
/** Characters of a body that are kept of an edge. Findings keep theirs. */
const BODY = 4_096;
/** Lines of states that are known as they are shown. */
const LINES = 10_000;

/**
 * Writes down what an exploration commits, in batches of one transaction each: whatever ends the process, the store holds the beginning of the run. It
 * reads the engine's own tables from where the last batch ended, so that a commit costs nothing.
 */
export class ExplorationKeeper {
  readonly limits: DetailLimits;
  /** Of an exploration that goes on. */
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
  #start: ExplorationStart | undefined;
  #nodes = 0;
  #edges = 0;
  /** When the last batch was written. */
  #at = -Infinity;

  /** `attempt` runs a transaction, and keeps its failure from ending the run. `before`: of an exploration that goes on. */
  constructor(
    id: number,
    file: string,
    db: Database,
    visibility: Visibility,
    hide: Redactor,
    attempt: (work: () => void) => void,
    before?: ResumedExploration,
  ) {
    this.#id = id;
    this.#file = file;
    this.#db = db;
    this.#visibility = visibility;
    this.#hide = hide;
    this.#attempt = attempt;
    this.limits = visibility.includeRequestResponse ? LIMITS : { ...LIMITS, edges: 0 };
    this.#entries = new EntryWriter(db);
    this.#exchanges = new ExchangeWriter(db);
    this.#node = db.prepare("INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#state = db.prepare("INSERT INTO states VALUES (?, ?, ?)");
    this.#begin = db.prepare(
      "INSERT INTO beginnings (code, document, exploration, characters) VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE SET code = excluded.code, document = excluded.document",
    );
    this.#characters = db.prepare("UPDATE beginnings SET characters = ? WHERE exploration = ?");
    this.#commits = new CommitWriter(db, id, (news) => this.#told(news));
    this.before = before;
    this.#nodes = before?.nodes ?? 0;
    this.#edges = before?.edges ?? 0;
    this.#move = db.prepare("UPDATE nodes SET parent = ?, action = ?, depth = ? WHERE exploration = ? AND id = ?");
  }

  /** Where the store lies. */
  get folder(): string {
    return dirname(this.#db.name);
  }

  begin(start: ExplorationStart): void {
    this.#start = start;
  }

  /** The exploration begins again: nothing of what was committed holds. */
  again(): void {
    this.#attempt(() => {
      for (const table of ["nodes", "states", "commits", "checks", "news", "exchanges"])
        this.#db.prepare(`DELETE FROM ${table} WHERE exploration = ?`).run(this.#id);
    });
    this.#commits = new CommitWriter(this.#db, this.#id, (news) => this.#told(news));
    [this.#nodes, this.#edges, this.#begun, this.#at] = [0, 0, false, -Infinity];
  }

  /** What was committed, when enough time passed since the last batch or there is enough of it. */
  commits(committer: Committer, soFar: ResultSoFar): void {
    if (committer.edges.size - this.#edges >= EDGES || performance.now() - this.#at >= EVERY_MS) this.flush(committer, soFar);
  }

  /** All that was committed. */
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

  /** What was committed, of an exploration whose result is known only in the end. */
  graph(committer: Committer): void {
    this.#attempt(() => this.#graph(committer));
  }

  /** The exploration is over. */
  ended(name: string, result: ExplorationResult): void {
    this.#start ??= {
      name,
      strategy: result.strategy ?? "",
      actions: result.graph.actions,
      shown: (exchange) => exchange,
      told: (news) => news,
      beginning: undefined,
    };
    this.#attempt(() => {
      this.#rest(result);
      this.#entry(result, "ended");
      // What was hidden since is a secret in its lines, too.
      if (this.#begun) this.#beginning();
    });
  }

  /** It is taken over from an earlier session: its graph is there already. */
  taken(): void {
    this.#nodes = Infinity;
    this.#edges = Infinity;
  }

  /** Lines of a state as they may be shown. */
  shownLines(lines: readonly string[]): readonly string[] {
    return lines.map((line) => this.#hide.line(line));
  }

  /** It ended without a result. One that goes on is what it was, as long as it did not. */
  failed(): void {
    if (this.before !== undefined && !this.#begun) return;
    this.#attempt(() => this.#db.prepare("UPDATE explorations SET outcome = 'failed' WHERE id = ?").run(this.#id));
  }

  #beginning(): void {
    const { code, root, ...rest } = this.#start!.beginning!;
    this.#begin.run(code, JSON.stringify({ ...rest, root: { ...root, lines: this.shownLines(root.lines) } }), this.#id);
  }

  /** What user code threw, and what processes printed, is searched for secrets. */
  #told(news: JournalEvent): JournalEvent {
    const { findings, errors, unjudged } = this.#start!.told(news);
    const text = (value: string): string => redactText(value, this.#visibility, this.#hide);
    return {
      findings: findings.map(({ invariant, severity, message, target }) => ({
        invariant,
        severity,
        message: text(message),
        ...(target === undefined ? {} : { target: redactTarget(target, this.#hide) }),
      })),
      ...(unjudged === undefined ? {} : { unjudged: unjudged.map(({ invariant, what }) => ({ invariant, what: text(what) })) }),
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
    // What was hidden since is a secret in lines, too.
    this.#lines.clear();
    for (const [node, lines] of details.states) this.#state.run(this.#id, node, JSON.stringify(lines.map((line) => this.#line(line))));
    details.states.clear();
  }

  /** What a result says of its graph beyond what was written while it grew: all of it, where nobody wrote along. */
  #rest({ graph }: ExplorationResult): void {
    for (; this.#nodes < graph.nodes; this.#nodes++) {
      const node = this.#nodes;
      this.#node.run(this.#id, node, graph.parents[node], graph.parentActions[node], graph.depths[node], null, null);
    }
    if (this.#edges >= graph.edges) return;
    this.#commits.rest(graph, this.#edges);
    this.#edges = graph.edges;
  }

  /** Most lines of a state stand in many others. */
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
