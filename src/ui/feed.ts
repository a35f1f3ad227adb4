import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import {
  confirmingText,
  faultingText,
  progressLines,
  racingText,
  raceName,
  redactEvent,
  redactor,
  redactResult,
  redactTried,
  type ReportData,
  type ReportedExploration,
  type Reporter,
  type RunDocument,
  type RunReport,
  type Visibility,
} from "../reports/index.ts";
import { GrowingGraph } from "./growing-graph.ts";
import type { UiEvent, UiExploration, UiFinding, UiLane } from "./messages.ts";

/** Milliseconds between two batches of new states. */
const EVERY_MS = 200;

type Entry = RunDocument["explorations"][number];

interface Known {
  readonly name: string;
  file: string;
  readonly actions: readonly string[];
  graph: GrowingGraph;
  findings: readonly UiFinding[];
  notes: readonly string[];
  verdict: string | undefined;
  /** The numbers of nodes and edges that pages have. */
  sent: { nodes: number; edges: number };
}

/** Tells pages about a run while it runs and afterwards. It keeps what a page needs that comes late. */
export class Feed implements Reporter {
  readonly #visibility: Visibility;
  readonly #hide: ReturnType<typeof redactor>;
  readonly #listeners: Set<(event: UiEvent) => void> = new Set();
  readonly #explorations: Known[] = [];
  #run: string | undefined;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
    this.#hide = redactor(visibility.redact);
  }

  /** Returns the feed of a run that has ended. */
  static of({ document, graphs }: ReportData, visibility: Visibility): Feed {
    const feed = new Feed(visibility);
    document.explorations.forEach((entry, index) => {
      const graph = GrowingGraph.of(graphs[index]!);
      const sent = { nodes: graph.nodes.length, edges: graph.edges.length };
      const { name, file, notes, verdict } = entry;
      const actions = graphs[index]!.actions;
      feed.#explorations.push({ name, file, actions, graph, findings: findingsOf(entry), notes, verdict: verdict.text, sent });
    });
    feed.#run = document.run;
    feed.#isOver = true;
    return feed;
  }

  /** Hears all that is known, and then each event, until the returned function is called. */
  listen(listener: (event: UiEvent) => void): () => void {
    this.#flush();
    listener({ kind: "all", run: this.#run, isOver: this.#isOver, explorations: this.#explorations.map(shown) });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns an exploration by its number; `undefined`: there is none. */
  exploration(index: number): Pick<Known, "name" | "file" | "actions" | "graph"> | undefined {
    return this.#explorations[index];
  }

  /** The id of the run; `undefined` while it runs. */
  get run(): string | undefined {
    return this.#run;
  }

  event(name: string, given: ExplorationEvent): void {
    const event = redactEvent(given, this.#visibility, this.#hide);
    if (event.kind === "started") {
      const { actions = [], file = "", notes } = event;
      const graph = new GrowingGraph(actions);
      this.#explorations.push({ name, file, actions, graph, findings: [], notes, verdict: undefined, sent: { nodes: 0, edges: 0 } });
      this.#tell({ kind: "began", exploration: this.#last, name, file, actions });
      return;
    }
    const known = this.#explorations[this.#last];
    if (known === undefined) return;
    const exploration = this.#last;
    switch (event.kind) {
      case "again":
        known.graph = new GrowingGraph(known.actions);
        known.findings = [];
        known.sent = { nodes: 0, edges: 0 };
        return this.#tell({ kind: "again", exploration });
      case "progress": {
        const lanes = event.laneUse.map((use, lane): UiLane => ({
          use,
          steps: event.laneSteps[lane] ?? 0,
          rebuilds: event.laneRebuilds[lane] ?? 0,
        }));
        const [text = ""] = progressLines(name, event, { verbose: false, width: Infinity });
        return this.#tell({ kind: "progress", exploration, text, lanes });
      }
      case "confirming":
        return this.#tell({ kind: "progress", exploration, text: confirmingText(event), lanes: [] });
      case "racing":
        return this.#tell({ kind: "progress", exploration, text: racingText(event), lanes: [] });
      case "faulting":
        return this.#tell({ kind: "progress", exploration, text: faultingText(event), lanes: [] });
      case "note":
        known.notes = [...known.notes, event.message];
        return this.#tell({ kind: "note", exploration, text: event.message });
      case "violation": {
        const finding = { id: event.id, name: event.invariant, severity: event.severity, message: "", path: event.path };
        if (known.findings.some(({ id }) => id === finding.id)) return;
        known.findings = [...known.findings, finding];
        return this.#tell({ kind: "finding", exploration, finding });
      }
      case "finished":
        return;
    }
  }

  readonly tried = (_name: string, step: TriedStep): void => {
    this.#explorations[this.#last]?.graph.add(redactTried(step, this.#visibility, this.#hide));
    this.#timer ??= setTimeout(() => this.#flush(), EVERY_MS).unref();
  };

  explored({ file, result }: ReportedExploration): void {
    this.#flush();
    const known = this.#explorations[this.#last];
    // A result that was taken over from an earlier session has no events.
    if (known === undefined || known.verdict !== undefined) return;
    const { violations, races, verdict } = redactResult(result, this.#visibility, this.#hide);
    known.file = file;
    known.verdict = verdict.text;
    known.findings = findingsOf({ violations, races });
    this.#tell({ kind: "ended", exploration: this.#last, verdict: verdict.text, findings: known.findings });
  }

  ended({ run, exitStatus }: RunReport): void {
    this.#run = run;
    this.#isOver = true;
    this.#tell({ kind: "over", exitStatus });
  }

  get #last(): number {
    return this.#explorations.length - 1;
  }

  #tell(event: UiEvent): void {
    if (event.kind !== "grew") this.#flush();
    for (const listener of this.#listeners) listener(event);
  }

  /** Tells about states that no page has yet. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const known = this.#explorations[this.#last];
    if (known === undefined) return;
    const { graph, sent } = known;
    if (graph.nodes.length === sent.nodes && graph.edges.length === sent.edges) return;
    const nodes = graph.nodes.slice(sent.nodes);
    const edges = graph.edges.slice(sent.edges);
    known.sent = { nodes: graph.nodes.length, edges: graph.edges.length };
    this.#tell({ kind: "grew", exploration: this.#last, nodes, edges, states: graph.states, transitions: graph.transitions });
  }
}

function shown({ name, file, actions, graph, findings, notes, verdict }: Known): UiExploration {
  const { nodes, edges, states, transitions } = graph;
  return { name, file, actions, nodes: [...nodes], edges: [...edges], states, transitions, findings, notes, verdict };
}

function findingsOf({ violations, races }: Pick<Entry, "violations" | "races">): readonly UiFinding[] {
  return [
    ...violations.map(({ id, invariant, severity, message, reproductionPath }) => ({
      id,
      name: invariant,
      severity,
      message,
      path: reproductionPath,
    })),
    ...races.map((race) => ({ id: race.id, name: raceName(race), severity: race.severity, message: race.message, path: race.prefix })),
  ];
}
