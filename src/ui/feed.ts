import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import {
  confirmingText,
  explorationEntry,
  faultingText,
  findingParts,
  openedPath,
  progressLines,
  racingText,
  raceName,
  redactEvent,
  redactFailure,
  redactor,
  redactTried,
  type ReportData,
  type ReportedExploration,
  type Reporter,
  type RunDocument,
  type RunReport,
  stateNamer,
  type StateNamer,
  type Visibility,
} from "../reports/index.ts";
import { GrowingGraph } from "./growing-graph.ts";
import type { UiEvent, UiExploration, UiFailure, UiFinding, UiGoal, UiLane } from "./messages.ts";

/** Milliseconds between two messages to pages about new states. */
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
  setup?: string | undefined;
  problems?: string | undefined;
  ended?: Ended | undefined;
  /** The numbers of nodes and of edges that were already sent to the pages. */
  sent: { nodes: number; edges: number };
}

interface Ended {
  readonly seed: number;
  readonly nextSecond?: true | undefined;
  /** `true` if the file of the exploration exports a state graph. */
  readonly isGraph: boolean;
  readonly ofRoles: ReadonlySet<string>;
  /** `true` if `setup` or the logins of roles sent requests before the first step. */
  readonly hasSetup: boolean;
}

/**
 * Sends the events of a run to the pages of `seqqa ui`, and keeps the run's data for pages that are opened later. A feed can also show a run that has
 * already ended.
 */
export class Feed implements Reporter {
  readonly #visibility: Visibility;
  readonly #flags: string | undefined;
  readonly #hide: ReturnType<typeof redactor>;
  readonly #listeners: Set<(event: UiEvent) => void> = new Set();
  readonly #explorations: Known[] = [];
  #run: string | undefined;
  #folder: string | undefined;
  #exitStatus: number | undefined;
  #failures: readonly UiFailure[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param flags The command-line flags with which commands find the run; see `commandFlags` of the document. */
  constructor(visibility: Visibility, flags?: string) {
    this.#visibility = visibility;
    this.#flags = flags;
    this.#hide = redactor(visibility.redact);
  }

  static of({ document, graphs, comparisons = [] }: ReportData, visibility: Visibility): Feed {
    const feed = new Feed(visibility, document.commandFlags);
    document.explorations.forEach((entry, index) => {
      const graph = GrowingGraph.of(graphs[index]!);
      const sent = { nodes: graph.nodes.length, edges: graph.edges.length };
      const { name, file, notes, verdict } = entry;
      const { actions } = graphs[index]!;
      const { source, commandFlags: flags } = document;
      const more = { actions, source, flags, comparison: comparisons[index], stateName: stateNamer(graphs[index]) };
      const known = { name, file, actions, graph, notes, verdict: verdict.text, sent, ended: endedOf(entry) };
      feed.#explorations.push({ ...known, ...findingsOf(entry, index, more) });
    });
    feed.#run = document.run;
    feed.#folder = document.folder;
    feed.#exitStatus = document.exitStatus;
    feed.#failures = document.failures;
    return feed;
  }

  /** Calls `listener` with all known data, then with each new event. The returned function removes the listener. */
  listen(listener: (event: UiEvent) => void): () => void {
    this.#flush();
    const explorations = this.#explorations.map(shown);
    listener({ kind: "all", run: this.#run, exitStatus: this.#exitStatus, explorations, failures: this.#failures });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  exploration(index: number): Pick<Known, "name" | "file" | "actions" | "graph" | "ended"> | undefined {
    return this.#explorations[index];
  }

  /** The id of the run; `undefined` while the run is in progress. */
  get run(): string | undefined {
    return this.#run;
  }

  /** The folder in which a stored run was started, relative to the folder of its reports. `undefined` for a run of this process. */
  get folder(): string | undefined {
    return this.#folder;
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

  explored(explored: ReportedExploration): void {
    this.#flush();
    const known = this.#explorations[this.#last];
    // In a resumed run, an exploration that ended in an earlier session sends no events, so the feed does not contain it.
    if (known === undefined || known.verdict !== undefined) return;
    const entry = explorationEntry(explored, this.#visibility, this.#hide);
    const { graph } = known;
    const stateName: StateNamer = (state) =>
      typeof state === "number" ? graph.find(state)?.name || undefined : graph.nameAfter(state.map((name) => known.actions.indexOf(name)));
    graph.root("");
    const parts = findingsOf(entry, this.#last, { stateName, actions: known.actions, flags: this.#flags });
    Object.assign(known, { file: entry.file, verdict: entry.verdict.text, ...parts, ended: endedOf(entry) });
    this.#tell({ kind: "ended", exploration: this.#last, verdict: entry.verdict.text, ...parts });
  }

  ended({ run, exitStatus, failures: failed }: RunReport): void {
    const failures = failed.map((failure) => redactFailure(failure, this.#visibility, this.#hide));
    this.#run = run;
    this.#exitStatus = exitStatus;
    this.#failures = failures;
    // Report the end of each exploration that failed after it began, because no result of the exploration will arrive.
    this.#explorations.forEach((known, exploration) => {
      if (known.verdict !== undefined) return;
      const failure = failures.find(({ file }) => file === known.file);
      const verdict = failure === undefined ? "No result" : `No result: ${failure.message}`;
      Object.assign(known, { verdict, setup: "", problems: "" });
      this.#tell({ kind: "ended", exploration, verdict, findings: known.findings, setup: "", problems: "" });
    });
    this.#tell({ kind: "over", run, exitStatus, failures });
  }

  get #last(): number {
    return this.#explorations.length - 1;
  }

  #tell(event: UiEvent): void {
    if (event.kind !== "grew") this.#flush();
    for (const listener of this.#listeners) listener(event);
  }

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

function shown({ name, file, actions, graph, findings, notes, verdict, setup, problems }: Known): UiExploration {
  const { nodes, edges, states, transitions } = graph;
  return { name, file, actions, nodes: [...nodes], edges: [...edges], states, transitions, findings, notes, verdict, setup, problems };
}

type Beside = Omit<Parameters<typeof findingParts>[1], "setup"> & { readonly actions: readonly string[] };

interface Parts {
  readonly findings: readonly UiFinding[];
  readonly setup: string;
  readonly problems: string;
}

function findingsOf(entry: Entry, index: number, { actions, ...beside }: Beside): Parts {
  const { setup, problems, findings: html } = findingParts(entry, { ...beside, setup: `setup-${index}` });
  const goalOf = (finding: Entry["violations"][number] | Entry["races"][number]): UiGoal => ({
    path: openedPath(finding),
    draws: finding.draws?.map((draw) => draw.map((action) => actions[action] ?? "")),
  });
  const findings = [
    ...entry.violations.map((violation): UiFinding => ({
      id: violation.id,
      name: violation.invariant,
      severity: violation.severity,
      message: violation.message,
      path: violation.reproductionPath,
      goal: goalOf(violation),
      html: html.get(violation.id),
    })),
    ...entry.races.map((race): UiFinding => ({
      id: race.id,
      name: raceName(race),
      severity: race.severity,
      message: race.message,
      path: race.prefix,
      calls: [race.first, race.second],
      goal: goalOf(race),
      html: html.get(race.id),
    })),
  ];
  return { findings, setup, problems };
}

function endedOf({ seed, nextSecond, deadEdges, coverage, setup }: Entry): Ended {
  const ofRoles = Object.entries(coverage.actions).flatMap(([name, { role }]) => (role === undefined ? [] : [name]));
  return { seed, nextSecond, isGraph: deadEdges !== undefined, ofRoles: new Set(ofRoles), hasSetup: setup !== undefined };
}
