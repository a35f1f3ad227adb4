import type { LanePool, LaneCapacity } from "../../engine/lane-pool.ts";
import type {
  Calibration,
  CalibrationWalk,
  Chunk,
  Expansion,
  LaneReport,
  PathEnd,
  Recording,
  UnitRequest,
} from "../../messages/lane-messages.ts";
import { HI, LO, ROW } from "../../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import { sameRoot } from "../../engine/search/same-root.ts";
import type { VisitedSet } from "../../engine/graph/visited-set.ts";
import { differences } from "../../state/index.ts";
import { snapshotText } from "../threads/snapshot-codec.ts";
import { ChunkQueue } from "./chunk-queue.ts";
import { WorkerRegistry } from "./worker-registry.ts";
import {
  alive,
  join,
  leave,
  MOST_LANES,
  ready,
  type Announced,
  type Facts,
  type Join,
  type Ready,
  type Refusable,
  type Root,
} from "./handshake.ts";
import { KnownStates } from "./known-states.ts";
import { keysOf, KEPT, knownKey, type QueueLink } from "./queue-link.ts";
import { parseAs } from "./shape.ts";
import type { Opened, MessageSigner } from "./message-signer.ts";
import { knowledgeText, NOTHING_KNOWN, type Knowledge } from "../../state/index.ts";

/**
 * Time in milliseconds for which a chunk should keep a lane of a worker busy. Sending a job takes only a few milliseconds, so with this duration the
 * overhead is small.
 */
const CHUNK_MS = 150;
/** Interval in milliseconds at which workers get the list of states that were committed since the previous list. */
const TELL_MS = 250;

export interface ClusterOptions {
  readonly link: QueueLink;
  readonly seal: MessageSigner;
  readonly run: string;
  readonly version: string;
  readonly announced: Announced;
  /** Digests of the configuration values that can affect outcomes. A worker must have the same values. */
  readonly config: ReadonlyMap<string, string>;
  readonly actions: number;
  readonly lanes: Omit<Facts["options"], "knowledge">;
  /** Receives the origins (URLs) of the targets that workers use. */
  readonly origins: Set<string>;
  /** The lanes of this process, which do all work except the search itself. */
  readonly home: LanePool;
  readonly onNote: (message: string) => void;
  /** Called when workers can join the exploration. */
  readonly onOpen: () => void;
  readonly onClose: () => Promise<void>;
}

/**
 * Executes the search on lanes of workers, which may join and leave at any time. Chunks are sent as jobs through a queue in Redis. The lanes of this
 * process do all other work, such as experiments and confirmations.
 */
export class ClusterLanePool implements LanePool {
  readonly lanes: number;
  readonly depth = 2;
  readonly capacity: LaneCapacity;
  readonly #options: ClusterOptions;
  readonly #key: string;
  readonly #workerRegistry: WorkerRegistry;
  readonly #queue: ChunkQueue;
  readonly #known: KnownStates;
  #knowledge: Knowledge = NOTHING_KNOWN;
  #reports: readonly LaneReport[] = [];
  #facts: Facts | undefined;
  #visited: VisitedSet | undefined;
  #telling: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.lanes = options.home.lanes;
    const { link, seal } = options;
    this.#key = explorationKey(options.run, options.announced.index);
    const workerRegistry = new WorkerRegistry(options.onNote);
    this.#workerRegistry = workerRegistry;
    this.#queue = new ChunkQueue({ link, seal, name: this.#key, actions: options.actions });
    this.#known = new KnownStates(link, seal, this.#key);
    this.capacity = {
      isElastic: true,
      most: MOST_LANES,
      chunkMs: CHUNK_MS,
      get open() {
        return workerRegistry.lanes;
      },
    };
  }

  async start(): Promise<readonly LaneReport[]> {
    return this.#taken(await this.#options.home.start());
  }

  calibrate(walk?: CalibrationWalk): Promise<Calibration> {
    return this.#options.home.calibrate(walk);
  }

  async learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]> {
    this.#knowledge = knowledge;
    return this.#taken(await this.#options.home.learn(knowledge, fresh));
  }

  /** Makes the exploration available, so that workers can join it. */
  share(visited: VisitedSet): void {
    const { home, lanes, onOpen } = this.#options;
    home.share(visited);
    this.#visited = visited;
    if (this.#facts !== undefined) return;
    const [first] = this.#reports;
    this.#facts = {
      options: { ...lanes, knowledge: knowledgeText(this.#knowledge) },
      shared: first!.made as string | undefined,
      root: rootOf(first!),
      portable: this.#reports.every(({ portable }) => portable),
    };
    this.#queue.open();
    onOpen();
    let telling = false;
    this.#telling = setInterval(() => {
      if (telling) return;
      telling = true;
      void this.#known
        .tell(this.#visited!)
        .catch(() => undefined)
        .finally(() => (telling = false));
    }, TELL_MS);
  }

  async expand(_lane: number, chunk: Chunk): Promise<Expansion> {
    return withoutKnown(await this.#queue.ask(chunk), chunk, this.#visited);
  }

  /** Does nothing, because workers rebuild their lanes themselves. A worker leaves if its rebuilt lane has a different root state. */
  rebuild(_lane: number): Promise<LaneReport> {
    return Promise.resolve(this.#reports[0]!);
  }

  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording> {
    return this.#options.home.record(lane, path, draws);
  }

  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd> {
    return this.#options.home.probe(lane, path, draws);
  }

  race(lane: number, request: RaceRequest): Promise<RaceAnswer> {
    return this.#options.home.race(lane, request);
  }

  fault(lane: number, request: FaultRequest): Promise<FaultAnswer> {
    return this.#options.home.fault(lane, request);
  }

  /** Stops waiting for answers to chunks that workers are executing. */
  cancel(): void {
    this.#queue.cancel();
    this.#options.home.cancel();
  }

  /** Ends the work of all workers for this exploration. The lanes of this process remain. */
  dismiss(): Promise<void> {
    clearInterval(this.#telling);
    this.#queue.cancel();
    this.#closed ??= this.#dismiss();
    return this.#closed;
  }

  async close(): Promise<void> {
    await this.dismiss();
    await this.#options.home.close();
  }

  /** Finds workers that have left and jobs that were lost. Called periodically. `wasAway`: `true` after Redis was unreachable. */
  async look(wasAway: boolean): Promise<void> {
    if (wasAway) this.#workerRegistry.forgive();
    this.#workerRegistry.sweep();
    await this.#queue.audit(wasAway);
  }

  /** `true` if there are workers, including those that are still bringing up their lanes. */
  get hasWorkers(): boolean {
    return this.#workerRegistry.size > 0 || this.#workerRegistry.isAwaited;
  }

  /** Handles a message from a worker. @throws ShapeError if the message is invalid */
  async receive({ heading, body }: Opened): Promise<void> {
    if (heading.run !== this.#key || this.#closed !== undefined) return;
    switch (heading.kind) {
      case "join":
        return this.#join(parseAs(body, join));
      case "ready":
        return this.#ready(parseAs(body, ready));
      case "alive":
        return this.#workerRegistry.heard(parseAs(body, alive).worker);
      case "leave": {
        const { worker, why } = parseAs(body, leave);
        return this.#workerRegistry.leave(worker, why);
      }
      case "result": {
        const { worker, origins } = this.#queue.take(heading.id, body, (one) => this.#workerRegistry.has(one));
        this.#workerRegistry.heard(worker);
        for (const origin of origins) this.#options.origins.add(origin);
        return;
      }
      default:
    }
  }

  async #join(given: Join): Promise<void> {
    const why = misfit(given, this.#options);
    if (why === undefined) this.#workerRegistry.welcome(given.worker, given.name);
    else this.#refuse(given.name, why);
    await this.#answer<Facts>("welcome", given.worker, why ?? { value: this.#facts! });
  }

  async #ready({ worker, lanes, root, portable, origins }: Ready): Promise<void> {
    const name = this.#workerRegistry.nameOf(worker);
    if (name === undefined) return;
    const why = otherLanes({ root, portable }, this.#facts!);
    for (const origin of origins) this.#options.origins.add(origin);
    if (why === undefined) this.#workerRegistry.ready(worker, lanes);
    else this.#refuse(name, why);
    await this.#answer("verdict", worker, why ?? { value: "go" });
  }

  #refuse(name: string, why: string): void {
    this.#options.onNote(`Worker ${name} was refused: ${why}.`);
  }

  async #answer<T>(kind: "welcome" | "verdict", worker: string, answer: { readonly value: T } | string): Promise<void> {
    const { link, seal, run } = this.#options;
    const said: Refusable<T> = typeof answer === "string" ? { kind: "refused", why: answer } : { kind: "taken", ...answer };
    const key = keysOf(run).to(worker);
    await link.redis.rpush(key, seal.close({ kind, run: this.#key, id: worker }, JSON.stringify(said)));
    await link.redis.expire(key, KEPT);
  }

  async #dismiss(): Promise<void> {
    const { link, onClose } = this.#options;
    await onClose();
    await link.parting(Promise.all([this.#queue.close(), link.redis.del(knownKey(this.#key))]));
  }

  /**
   * Encodes the snapshots in the reports of lanes as text, because workers get snapshots as text. Stores the encoded reports for workers that join
   * later.
   */
  #taken(reports: readonly LaneReport[]): readonly LaneReport[] {
    const encoded = (snapshot: unknown): string | undefined => (snapshot === undefined ? undefined : snapshotText(snapshot));
    this.#reports = reports.map((report) => ({ ...report, snapshot: encoded(report.snapshot), made: encoded(report.made) }));
    return this.#reports;
  }
}

/** Returns the key of an exploration. Each message contains this key, so that a message of another exploration is not accepted. */
export const explorationKey = (run: string, index: number): string => `${run}-${index}`;

export function rootOf({ wholeLo, wholeHi, rootLo, rootHi, rootLines }: LaneReport): Root {
  return { wholeLo, wholeHi, rootLo, rootHi, rootLines };
}

/** Returns the reason why a worker cannot join: its outcomes might differ from those of the run. Returns `undefined` if the worker can join. */
function misfit(given: Join, { version, announced, config }: ClusterOptions): string | undefined {
  if (given.seqqa !== version) return `the worker has seqqa ${given.seqqa.replace(/[^\w.+-]/g, "?")}, but the run has seqqa ${version}`;
  if (given.code !== announced.code) {
    return `the code of ${announced.file} is different on the worker (hash ${given.code.slice(0, 8)}) and in the run (hash ${announced.code.slice(0, 8)})`;
  }
  const theirs = new Map(Object.entries(given.config));
  const keys = [...new Set([...config.keys(), ...theirs.keys()])].filter((key) => config.get(key) !== theirs.get(key)).toSorted();
  if (keys.length === 0) return undefined;
  const shown = keys.map((key) => key.replace(/[^\w.-]/g, "?").slice(0, 100));
  return `the worker's configuration differs from the run's in ${shown.slice(0, 5).join(", ")}${shown.length > 5 ? ` and ${shown.length - 5} more` : ""}`;
}

function otherLanes({ root, portable }: Pick<Ready, "root" | "portable">, facts: Facts): string | undefined {
  if (!sameRoot(root as LaneReport, facts.root as LaneReport)) {
    const lines = differences(facts.root.rootLines, root.rootLines, 5);
    return `the root state on the worker differs from the run's: ${lines.join("; ") || "the stores differ"}`;
  }
  if (portable !== facts.portable) {
    return portable
      ? "the worker's stores accept snapshots, but the run's stores do not"
      : "the worker's stores do not accept snapshots, but the run's stores do";
  }
  return undefined;
}

/** Removes snapshots of states that were committed after the worker took the chunk. */
function withoutKnown(expansion: Expansion, { units }: Chunk, visited: VisitedSet | undefined): Expansion {
  if (visited === undefined || expansion.snapshots.length === 0) return expansion;
  const { rows } = expansion;
  const starts: number[] = [];
  let at = 0;
  for (const { from, to, check } of units) {
    starts.push(at);
    if (check === undefined) at += (to - from) * ROW;
  }
  const snapshots = expansion.snapshots.filter(({ unit, action }) => {
    const row = starts[unit]! + (action - units[unit]!.from) * ROW;
    return row + ROW > rows.length || visited.find(rows[row + LO]!, rows[row + HI]!) < 0;
  });
  return snapshots.length === expansion.snapshots.length ? expansion : { ...expansion, snapshots };
}
