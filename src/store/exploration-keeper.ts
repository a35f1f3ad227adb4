import type { Database, Statement } from "better-sqlite3";
import type { Committer } from "../engine/committer.ts";
import type { DetailLimits } from "../engine/details.ts";
import type { ExplorationResult, RecordedExchange } from "../model/result.ts";
import { explorationEntry, redactExchange, type Redactor, type Visibility } from "../reports/index.ts";
import { EntryWriter, type Outcome } from "./entry-rows.ts";
import { ExchangeWriter } from "./exchange-rows.ts";

/** What is known of an exploration when it begins. */
export interface ExplorationStart {
  readonly name: string;
  readonly strategy: string;
  readonly actions: readonly string[];
  /** An exchange with the URLs that users know in place of the lanes' own. */
  readonly shown: (exchange: RecordedExchange) => RecordedExchange;
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
  readonly #edge: Statement;
  readonly #move: Statement;
  readonly #lines: Map<string, string> = new Map();
  #start: ExplorationStart | undefined;
  #nodes = 0;
  #edges = 0;
  /** When the last batch was written. */
  #at = -Infinity;

  /** `attempt` runs a transaction, and keeps its failure from ending the run. */
  constructor(id: number, file: string, db: Database, visibility: Visibility, hide: Redactor, attempt: (work: () => void) => void) {
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
    this.#edge = db.prepare("INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#move = db.prepare("UPDATE nodes SET parent = ?, action = ?, depth = ? WHERE exploration = ? AND id = ?");
  }

  begin(start: ExplorationStart): void {
    this.#start = start;
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
    });
    this.#at = performance.now();
  }

  /** The exploration is over. */
  ended(name: string, result: ExplorationResult): void {
    this.#start ??= { name, strategy: "", actions: result.graph.actions, shown: (exchange) => exchange };
    this.#attempt(() => {
      this.#rest(result);
      this.#entry(result, "ended");
    });
  }

  /** It ended without a result. */
  failed(): void {
    this.#attempt(() => this.#db.prepare("UPDATE explorations SET outcome = 'failed' WHERE id = ?").run(this.#id));
  }

  #entry(result: ExplorationResult, outcome: Outcome): void {
    const { name, strategy, actions } = this.#start!;
    const light = { ...result, graph: { ...result.graph, ...NOTHING } };
    const entry = explorationEntry({ name, file: this.#file, result: light }, this.#visibility, this.#hide);
    this.#entries.exploration(this.#id, entry, strategy, actions, outcome);
  }

  #graph({ nodes, edges, visited, details }: Committer): void {
    for (; this.#nodes < nodes.size; this.#nodes++) {
      const node = this.#nodes;
      this.#node.run(this.#id, node, nodes.parent(node), nodes.action(node), nodes.depth(node), visited.lo(node), visited.hi(node));
    }
    nodes.written = this.#nodes;
    for (const node of nodes.moved) this.#move.run(nodes.parent(node), nodes.action(node), nodes.depth(node), this.#id, node);
    nodes.moved.clear();
    for (; this.#edges < edges.size; this.#edges++) {
      const { from, action, to, status, found } = edges.at(this.#edges);
      this.#edge.run(this.#id, this.#edges, from, action, to, status, found ? 1 : 0);
    }
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
    for (; this.#edges < graph.edges; this.#edges++) {
      const edge = this.#edges;
      this.#edge.run(this.#id, edge, graph.edgeFrom[edge], graph.edgeAction[edge], graph.edgeTo[edge], graph.edgeStatus[edge], 0);
    }
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

const NOTHING = {
  parents: new Int32Array(0),
  parentActions: new Int32Array(0),
  depths: new Int32Array(0),
  edgeFrom: new Int32Array(0),
  edgeAction: new Int32Array(0),
  edgeTo: new Int32Array(0),
  edgeStatus: new Int32Array(0),
};

function cut(text: string): string {
  return text.length <= BODY ? text : `${text.slice(0, BODY)}... (cut)`;
}
