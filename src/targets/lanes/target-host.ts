import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { SeqqaError } from "../../model/errors.ts";
import { hasEnded, type TargetEnd } from "../../model/results/target-end.ts";
import { onEveryExit } from "../process/exit-hooks.ts";
import { killProcess } from "../process/kill-group.ts";
import { refuseLanes } from "./lane-count.ts";
import type { LaneSpec } from "./lane-spec.ts";
import { markedProcesses } from "../process/marked-processes.ts";
import { Ports } from "./ports.ts";
import { OwnProcesses } from "../process/own-processes.ts";
import { defaultBase, RunDirectory } from "../run-directory.ts";
import { refuseSharedLanes, requireReachable, runningLanes } from "./running-lanes.ts";
import { standbyAnswers, startTarget, type RunningTarget, type StartContext } from "../process/start-target.ts";
import { StoreProviders } from "../stores/store-providers.ts";
import { restarts, spareNumber } from "./standby-targets.ts";
import { canStandBy, Standby } from "./standby.ts";
import { externalStores, copyStore, declaredStores, type LaneStores } from "../stores/lane-stores.ts";
import { storeWithoutCopies, withStoreModules } from "../stores/store-modules.ts";
import { sweep } from "../sweep.ts";
import type { StartedTarget, TargetConfig, TargetHostOptions } from "../target-config.ts";
import { TargetOutput } from "../process/target-output.ts";
import { usesEmptyStore } from "../stores/uses-empty-store.ts";
import { passwordsOf, withoutSecrets } from "../../model/text/url-secrets.ts";

/** Number of random characters in a run's id. */
const RANDOM_LENGTH = 12;
/**
 * The maximum number of processes in a run that write their coverage before {@link TargetHost.halt} kills them. Each coverage file takes megabytes.
 */
const MOST_MEASURED = 100;

/** The index of the slot (target, stores and directory) in which the standby lane is built. */
const STANDBY = -1;

/** A slot: the target, the stores and the directory of one lane. When a standby lane replaces a lost lane, the two lanes exchange their slots. */
interface Place {
  /** The number that occurs in the names of the slot's stores and directory. */
  readonly number: number;
  /** The index of the lane that uses the slot. */
  index: number;
  generation: number;
  target: RunningTarget | undefined;
  stores: LaneStores | undefined;
  spec: LaneSpec | undefined;
  /** Resolves when the last operation on the slot is done. The next operation waits for this promise. */
  queue: Promise<unknown>;
}

/**
 * A standby lane. `sessions` identifies the sessions on its stores' servers at the time when the lane was built. If the sessions have changed since
 * then, the standby lane is not used, because its target may have lost its connections to the stores.
 */
interface ReadyPlace {
  readonly spec: LaneSpec;
  readonly sessions: string | undefined;
}

/**
 * Starts, restarts and stops the targets and stores of all lanes, on the main thread. `close()` or the exit of this process ends the targets and
 * removes the stores. If this process is killed, the next run removes the remains.
 */
export class TargetHost {
  /** Returns an error that says why this number of lanes is impossible. Returns `undefined` if the number is possible. */
  readonly canMakeLanes: (count: number) => SeqqaError | undefined;
  /** The URLs of all lanes and standby copies that were ever started. */
  readonly origins: Set<string> = new Set();
  readonly #config: TargetConfig;
  readonly #options: TargetHostOptions;
  /** The number of processes that have written their coverage before {@link halt} killed them. */
  #measured = 0;
  readonly #outputs = new Map<number, TargetOutput>();
  readonly #directory: RunDirectory;
  readonly #ports: Ports;
  readonly #numbers: { readonly lanes: number; readonly spares: number };
  readonly #module: string | undefined;
  /** Makes the copies of stores for targets that seqqa starts. `undefined` if the configuration has no `target`. */
  readonly #stores: StoreProviders | undefined;
  readonly #places = new Map<number, Place>();
  /** Builds the standby lane. `undefined` if the configuration allows no standby lane. */
  readonly #standby: Standby<ReadyPlace> | undefined;
  readonly #processes: OwnProcesses;
  readonly #closing = new AbortController();
  readonly #givenUp: AbortSignal;
  readonly #removeHooks: () => void;
  #closed: Promise<void> | undefined;

  private constructor(config: TargetConfig, options: TargetHostOptions, module: string | undefined) {
    this.#config = config;
    this.#options = options;
    this.#module = module;
    this.#numbers = { lanes: options.lanes ?? 1, spares: options.spares ?? 0 };
    this.canMakeLanes = (count) => refuseLanes(config, count);
    this.#givenUp = options.signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, options.signal]);
    this.#directory = RunDirectory.create(options.directory ?? defaultBase(), runIdOf(options));
    this.#processes = new OwnProcesses(this.#directory);
    this.#ports = new Ports(this.#directory.root);
    this.#stores =
      config.target === undefined
        ? undefined
        : storesOf(config, config.target, options, { directory: this.#directory, ports: this.#ports });
    const standby = { build: (signal: AbortSignal) => this.#buildStandby(signal), remove: () => this.#release(STANDBY) };
    this.#standby = canStandBy(config) ? new Standby(standby) : undefined;
    this.#removeHooks = onEveryExit(() => this.#endAtOnce());
  }

  /** Removes the remains of dead runs, and checks the configuration as far as possible without starting anything. @throws SeqqaError */
  static async create(declared: TargetConfig, options: TargetHostOptions = {}): Promise<TargetHost> {
    const config = await withStoreModules(declared, options.storeModule);
    const module = await bundledModule(config, options);
    const refused = refuseLanes(config, 1);
    if (refused !== undefined) throw refused;
    if (config.target === undefined) refuseSharedLanes(runningLanes(config), config.folder);
    sweep(options.directory);
    const host = new TargetHost(config, options, module);
    try {
      await host.#stores?.prepare();
      return host;
    } catch (error) {
      await host.close().catch(() => {});
      throw error;
    }
  }

  /**
   * Creates the stores of a lane and of its standby copies, starts their targets and waits until they are ready.
   * @throws SeqqaError `TARGET_*`, `STORE_*`, `LANES_*`
   */
  async provision(index: number): Promise<LaneSpec> {
    const refused = refuseLanes(this.#config, index + 1);
    if (refused !== undefined) throw refused;
    const made = await Promise.allSettled([index, ...this.#spares(index)].map((number) => this.#provision(number)));
    const specs = made.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    return { ...specs[0]!, spares: specs.slice(1) };
  }

  #provision(index: number): Promise<LaneSpec> {
    return this.#provisionAt(this.#placeAt(index), this.#givenUp);
  }

  #placeAt(index: number): Place {
    const { lanes, spares } = this.#numbers;
    const place = this.#places.get(index) ?? {
      number: index === STANDBY ? lanes * (spares + 1) : index,
      index,
      generation: -1,
      target: undefined,
      stores: undefined,
      spec: undefined,
      queue: Promise.resolve(),
    };
    this.#places.set(index, place);
    return place;
  }

  #provisionAt(place: Place, signal: AbortSignal): Promise<LaneSpec> {
    return this.#inTurn(place, async () => {
      this.#requireOpen();
      await this.#stop(place);
      place.generation += 1;
      const spec = await this.#make(place, signal);
      this.#refuseShared(spec);
      place.spec = spec;
      if (spec.baseUrl !== "") this.origins.add(spec.baseUrl);
      return spec;
    });
  }

  /** Kills the process of a lane's target, so that it can be restarted. The lane keeps its stores and its port. */
  async halt(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      const process = place.target?.process;
      if (process === undefined) return;
      await process.end(this.#options.coverage !== undefined && this.#measured++ < MOST_MEASURED);
      this.#processes.remove(process);
    });
  }

  /** Starts the target of a lane again after {@link halt}, on the same stores and port, and waits until it is ready. @throws SeqqaError `TARGET_*` */
  async start(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      this.#requireOpen();
      if (place.target === undefined || place.stores === undefined) throw closed();
      place.target = await startTarget({ ...this.#startContext(place, place.stores), before: place.target });
    });
  }

  /**
   * Replaces a lost lane, and increments the lane's generation.
   * @param standby `use`: the standby lane replaces the lost lane. The next standby lane is built with the resources of the lost lane. `build`: the
   * lane is built again, and the first standby lane is built in the background. Default: the lane is built again.
   */
  async reprovision(index: number, standby?: "use" | "build"): Promise<LaneSpec> {
    const building = standby === undefined ? undefined : this.#standby?.take();
    if (building === undefined) {
      if (standby === "build") this.#standby?.prepare();
      return this.provision(index);
    }
    this.#changePlaces(index);
    // Ask for the sessions on the stores' servers before building the next standby lane, because the creation of its stores would delay the answer.
    const sessions = this.#sessions();
    this.#standby?.prepare();
    const ready = await building;
    const isSame = ready?.sessions !== undefined && ready.sessions === (await sessions);
    return isSame && (await this.#stillAnswers(index)) ? this.#takeOver(index, ready.spec) : this.provision(index);
  }

  endStandby(): void {
    this.#standby?.end();
  }

  async #buildStandby(signal: AbortSignal): Promise<ReadyPlace> {
    // Get the slot before the first `await`, because the standby lane may replace a lost lane, and thereby exchange slots, while it is still being
    // built.
    const place = this.#placeAt(STANDBY);
    this.#givenUp.throwIfAborted();
    const sessions = await this.#sessions();
    const spec = await this.#provisionAt(place, AbortSignal.any([this.#givenUp, signal]));
    return { spec, sessions };
  }

  /** Returns a text that identifies the sessions on the stores' servers; `undefined` if a server does not answer. */
  #sessions(): Promise<string | undefined> {
    return this.#stores!.sessions().catch(() => undefined);
  }

  #changePlaces(index: number): void {
    const [standby, lost] = [this.#placeOf(STANDBY), this.#placeOf(index)];
    [standby.index, lost.index] = [index, STANDBY];
    this.#places.set(index, standby).set(STANDBY, lost);
    standby.generation = Math.max(standby.generation, lost.generation + 1);
  }

  /** Gives a standby lane the index and the generation of the lost lane that it replaces. */
  #takeOver(index: number, spec: LaneSpec): LaneSpec {
    const place = this.#placeOf(index);
    place.spec = { ...spec, index, generation: place.generation, standby: true };
    return place.spec;
  }

  async #stillAnswers(index: number): Promise<boolean> {
    const { target, stores } = this.#placeOf(index);
    if (target === undefined || stores === undefined || this.#givenUp.aborted || target.process.hasExited) return false;
    return standbyAnswers({ config: this.#config, lane: index, stores }, target);
  }

  /**
   * Returns how the target's process of a lane that no longer answers has ended. If the lane has standby copies and thus several processes, returns
   * how the first process that has ended by itself has ended.
   * @returns `undefined` if seqqa has started no process, has stopped the only process itself, or if none of several processes has ended by itself
   */
  async endOf(index: number): Promise<TargetEnd | undefined> {
    const processes = [index, ...this.#spares(index)].flatMap((number) => this.#places.get(number)?.target?.process ?? []);
    const ends = await Promise.all(processes.map((process) => process.fate()));
    return ends.find((end) => end !== undefined && hasEnded(end)) ?? (ends.length === 1 ? ends[0] : undefined);
  }

  /** Returns `true` if the process of the lane's target has ended by itself. */
  exited(index: number): boolean {
    return this.#places.get(index)?.target?.process.hasExited === true;
  }

  async release(index: number): Promise<void> {
    await Promise.all([index, ...this.#spares(index)].map((number) => this.#release(number)));
  }

  async #release(index: number): Promise<void> {
    const place = this.#places.get(index);
    if (place === undefined) return;
    await this.#inTurn(place, async () => {
      // Do nothing if `close()` was called, because `close()` removes everything.
      if (this.#closing.signal.aborted) return;
      await this.#stop(place);
      await this.#stores?.release(place.number);
      this.#directory.removeLane(place.number);
    });
  }

  /** Stops the targets of all lanes, removes their stores, and ends operations in progress. Later calls return the same promise. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([...this.#places.values()].map((place) => this.#inTurn(place, () => this.#stop(place)).catch(() => {})));
    for (const process of this.#processes) await this.#processes.end(process);
    // Kill processes of the target that have left its process group.
    for (const pid of this.#config.target?.command === undefined ? [] : markedProcesses(this.#directory.id)) killProcess(pid, "SIGKILL");
    this.#ports.releaseAll();
    for (const output of this.#outputs.values()) output.close();
    try {
      await this.#stores?.close();
    } finally {
      this.#directory.remove();
      this.#removeHooks();
    }
  }

  async #make(place: Place, signal: AbortSignal): Promise<LaneSpec> {
    const { target, folder } = this.#config;
    const { index, number } = place;
    const tmpDir = this.#directory.lane(number, place.generation);
    const common = { index, generation: place.generation, tmpDir, targetModule: this.#module };
    if (target === undefined) {
      const lane = runningLanes(this.#config)[index];
      const stores = lane === undefined ? declaredStores(this.#config.systems, this.#config.dbUrl) : lane.stores;
      if (lane !== undefined) await requireReachable(lane.baseUrl, this.#givenUp, this.#config);
      const borrowed = externalStores(stores, folder);
      const isBorrowed = lane !== undefined || borrowed.systems.length > 0;
      return { ...common, ...borrowed, baseUrl: lane?.baseUrl ?? "", borrowed: isBorrowed, restartable: false };
    }
    const stores = await this.#stores!.provide(number, place.generation, tmpDir);
    if (target.command === undefined) return { ...common, ...stores, baseUrl: "", borrowed: false, restartable: false };
    place.stores = stores;
    place.target = await startTarget({ ...this.#startContext(place, stores), signal });
    const { baseUrl } = place.target;
    return { ...common, ...stores, baseUrl, borrowed: false, restartable: true, restarts: restarts(this.#config) };
  }

  /** Returns the lines that a lane's target printed in an interval. The bounds are in milliseconds since 1970. */
  printed(index: number, fromMs: number, toMs: number): readonly string[] {
    return this.#outputs.get(index)?.between(fromMs, toMs) ?? [];
  }

  #startContext(place: Place, stores: LaneStores): StartContext {
    const passwords = passwordsOf(stores.systems.map(({ url }) => url));
    return {
      // Read `place.index` for each text, because the index changes when the slot gets another lane.
      onOutput: this.#options.output === undefined ? undefined : (text) => this.#outputOf(place.index, passwords)?.write(text),
      config: this.#config,
      lane: place.index,
      runId: this.#directory.id,
      stores,
      ports: this.#ports,
      started: (process) => this.#processes.add(process),
      stopped: (process) => this.#processes.remove(process),
      signal: this.#givenUp,
      coverage: this.#options.coverage,
    };
  }

  #outputOf(index: number, passwords: readonly string[]): TargetOutput | undefined {
    const kept = this.#options.output;
    if (kept === undefined || this.#closing.signal.aborted) return this.#outputs.get(index);
    let output = this.#outputs.get(index);
    if (output === undefined) {
      const name = index === STANDBY ? "standby.log" : `lane-${index}.log`;
      output = new TargetOutput(join(kept.folder, "targets", name), (line) => kept.hide(withoutSecrets(line, passwords)));
      this.#outputs.set(index, output);
    }
    return output;
  }

  #spares(index: number): readonly number[] {
    const { spares, lanes } = this.#numbers;
    return restarts(this.#config) && storeWithoutCopies(this.#config) === undefined
      ? Array.from({ length: spares }, (_, spare) => spareNumber(index, spare, lanes))
      : [];
  }

  #placeOf(index: number): Place {
    const place = this.#places.get(index);
    if (place === undefined) throw closed();
    return place;
  }

  async #stop(place: Place): Promise<void> {
    const { target } = place;
    place.target = undefined;
    place.spec = undefined;
    if (target === undefined) return;
    await this.#processes.end(target.process);
    if (target.port !== undefined) this.#ports.release(target.port);
  }

  /**
   * Checks that no two lanes share a target or store, because they would change each other's state. The URLs of two lanes are equal if, for example,
   * a user's adapter module makes no real copies.
   */
  #refuseShared(spec: LaneSpec): void {
    const others = [...this.#places.values()].flatMap((place) => (place.spec === undefined ? [] : [place.spec]));
    refuseSharedLanes(
      [...others, spec].map((each) => ({
        baseUrl: each.baseUrl,
        stores: Object.fromEntries(each.systems.map((system) => [system.name, system])),
      })),
      this.#config.folder,
    );
  }

  #inTurn<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const turn = place.queue.then(work);
    place.queue = turn.catch(() => {});
    return turn;
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw closed();
  }

  /** Ends processes and removes files without waiting, because this process exits without a call of `close()`. */
  #endAtOnce(): void {
    for (const process of this.#processes) process.kill();
    this.#ports.releaseAll();
    try {
      this.#directory.remove();
    } catch {
      // Ignore the failure: a dying target may still write to the directory. The next run removes the directory.
    }
  }
}

function storesOf(
  config: TargetConfig,
  target: StartedTarget,
  options: TargetHostOptions,
  { directory, ports }: { readonly directory: RunDirectory; readonly ports: Ports },
): StoreProviders {
  return new StoreProviders({
    stores: declaredStores(config.systems, config.dbUrl),
    folder: config.folder,
    // Use only the random part of the run's id, because the length of names in stores is limited.
    runId: directory.id.slice(-RANDOM_LENGTH),
    directory: directory.path,
    claimPort: () => ports.claim(),
    // seqqa cannot make writes fail if the target runs in this process, because such a target connects to its store directly, not through a proxy.
    faulty: options.faulty === true && target.command !== undefined,
    empty: usesEmptyStore(target),
    clone: options.cloneStore ?? copyStore,
    kind: options.storeKind ?? unsupported,
  });
}

function unsupported(kind: string): Promise<never> {
  return Promise.reject(
    new SeqqaError("STORE_UNSUPPORTED", `seqqa cannot copy a store of the kind ${kind} for each lane.`, {
      exitStatus: 2,
      hint: "Use a store of a kind that the documentation of stores lists.",
    }),
  );
}

function closed(): SeqqaError {
  return new SeqqaError("TARGETS_CLOSED", "The run ended while seqqa was still starting a target.");
}

/** Returns the run's id. The id is at least partly random, because at the end seqqa kills every process whose environment contains this id. */
function runIdOf({ runId }: TargetHostOptions): string {
  const random = randomBytes(RANDOM_LENGTH / 2).toString("hex");
  return runId === undefined ? random : `${encodeURIComponent(runId)}-${random}`;
}

async function bundledModule({ target, folder }: TargetConfig, options: TargetHostOptions): Promise<string | undefined> {
  if (target?.module === undefined) return undefined;
  const file = resolve(folder, target.module);
  if (!existsSync(file)) {
    throw new SeqqaError("TARGET_MODULE_MISSING", `target.module names the file ${file}, which does not exist.`, {
      exitStatus: 2,
      hint: "Correct the path, which is relative to the folder of seqqa.yaml.",
    });
  }
  return options.bundleModule === undefined ? pathToFileURL(file).href : options.bundleModule(file);
}
