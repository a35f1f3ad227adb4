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

/** Number of digits of the random part of a run's id. */
const RANDOM_LENGTH = 12;

/** The index of the place that belongs to no lane. A standby lane is built there. */
const STANDBY = -1;

/** A lane's target, stores and numbers, as the host knows them. A lane that takes over the standby lane changes places with it. */
interface Place {
  /** The number in the names of its stores and its directory. */
  readonly number: number;
  /** The lane that uses the place. */
  index: number;
  generation: number;
  target: RunningTarget | undefined;
  stores: LaneStores | undefined;
  spec: LaneSpec | undefined;
  /** Operations on a lane run one after another. */
  queue: Promise<unknown>;
}

/**
 * A standby lane, and the sessions on its stores' servers before it was built. A target whose store connections were ended may never reconnect. So
 * the standby lane is not used if the sessions have changed.
 */
interface ReadyPlace {
  readonly spec: LaneSpec;
  readonly sessions: string | undefined;
}

/**
 * Starts, restarts and stops the targets and stores of all lanes, on the main thread. Everything it made is removed by `close()`, by any other end of
 * this process that can still run code, or else when the next host is created.
 */
export class TargetHost {
  /** Returns the reason why this number of lanes is impossible; `undefined` if it is possible. */
  readonly canMakeLanes: (count: number) => SeqqaError | undefined;
  /** The origins of all lanes and spares, including ended ones. */
  readonly origins: Set<string> = new Set();
  readonly #config: TargetConfig;
  readonly #options: TargetHostOptions;
  /** The output of each lane's target, over all its starts. */
  readonly #outputs = new Map<number, TargetOutput>();
  readonly #directory: RunDirectory;
  readonly #ports: Ports;
  readonly #numbers: { readonly lanes: number; readonly spares: number };
  readonly #module: string | undefined;
  /** The source of stores for started targets. */
  readonly #stores: StoreProviders | undefined;
  readonly #places = new Map<number, Place>();
  /** `undefined` if the target allows no standby lane. */
  readonly #standby: Standby<ReadyPlace> | undefined;
  readonly #processes: OwnProcesses;
  readonly #closing = new AbortController();
  /** Cancels the waiting for targets. */
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

  /** Sweeps the leftovers of dead runs, and checks everything that can be checked without starting anything. @throws SeqqaError */
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
   * Makes fresh stores, starts the target and waits until it is ready, and does the same for the lane's spares. @throws SeqqaError `TARGET_*`,
   * `STORE_*`, `LANES_*`
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

  /** Kills a lane's process for a restart. Its stores and its port stay. */
  async halt(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      const process = place.target?.process;
      if (process === undefined) return;
      await process.end();
      this.#processes.remove(process);
    });
  }

  /** Starts a halted target again on the same stores and port, and returns when it is ready. @throws SeqqaError `TARGET_*` */
  async start(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      this.#requireOpen();
      if (place.target === undefined || place.stores === undefined) throw closed();
      place.target = await startTarget({ ...this.#startContext(place, place.stores), before: place.target });
    });
  }

  /**
   * Stops the lane's target, if there is one, and provisions the lane again; its generation grows. With `use`, the lane changes places with the
   * standby lane if there is one. It waits for the rest of the standby lane's start, while the next one is built in the place of the lost target.
   * With `build`, the lane is provisioned again in its place, since a crash is tried again at once, and the first standby lane is built beside it.
   */
  async reprovision(index: number, standby?: "use" | "build"): Promise<LaneSpec> {
    const building = standby === undefined ? undefined : this.#standby?.take();
    if (building === undefined) {
      if (standby === "build") this.#standby?.prepare();
      return this.provision(index);
    }
    this.#changePlaces(index);
    // Queried before the next standby lane's stores are made, which takes time.
    const sessions = this.#sessions();
    this.#standby?.prepare();
    const ready = await building;
    const isSame = ready?.sessions !== undefined && ready.sessions === (await sessions);
    return isSame && (await this.#stillAnswers(index)) ? this.#takeOver(index, ready.spec) : this.provision(index);
  }

  /** Removes the standby lane and builds no other. */
  endStandby(): void {
    this.#standby?.end();
  }

  async #buildStandby(signal: AbortSignal): Promise<ReadyPlace> {
    // The place is looked up first: a lane may take it while the standby lane is built.
    const place = this.#placeAt(STANDBY);
    this.#givenUp.throwIfAborted();
    const sessions = await this.#sessions();
    const spec = await this.#provisionAt(place, AbortSignal.any([this.#givenUp, signal]));
    return { spec, sessions };
  }

  /** Resolves to `undefined` if a store's server does not answer. */
  #sessions(): Promise<string | undefined> {
    return this.#stores!.sessions().catch(() => undefined);
  }

  /** Gives the standby lane's place to a lane, and the lane's old place to the next standby lane. */
  #changePlaces(index: number): void {
    const [standby, lost] = [this.#placeOf(STANDBY), this.#placeOf(index)];
    [standby.index, lost.index] = [index, STANDBY];
    this.#places.set(index, standby).set(STANDBY, lost);
    standby.generation = Math.max(standby.generation, lost.generation + 1);
  }

  /** Makes the standby lane the lane with this index. */
  #takeOver(index: number, spec: LaneSpec): LaneSpec {
    const place = this.#placeOf(index);
    place.spec = { ...spec, index, generation: place.generation, standby: true };
    return place.spec;
  }

  /** Returns `true` if the target of a lane runs and answers. */
  async #stillAnswers(index: number): Promise<boolean> {
    const { target, stores } = this.#placeOf(index);
    if (target === undefined || stores === undefined || this.#givenUp.aborted || target.process.hasExited) return false;
    return standbyAnswers({ config: this.#config, lane: index, stores }, target);
  }

  /**
   * Returns the state of the process behind a lane that got no answer: of the lane and its spares, the one that ended by itself. `undefined` if seqqa
   * started none, or none of several ended.
   */
  async endOf(index: number): Promise<TargetEnd | undefined> {
    const processes = [index, ...this.#spares(index)].flatMap((number) => this.#places.get(number)?.target?.process ?? []);
    const ends = await Promise.all(processes.map((process) => process.fate()));
    return ends.find((end) => end !== undefined && hasEnded(end)) ?? (ends.length === 1 ? ends[0] : undefined);
  }

  /** Returns `true` if the lane's process ended by itself since it was provisioned. */
  exited(index: number): boolean {
    return this.#places.get(index)?.target?.process.hasExited === true;
  }

  /** Stops the lane's target and removes its stores. */
  async release(index: number): Promise<void> {
    await Promise.all([index, ...this.#spares(index)].map((number) => this.#release(number)));
  }

  async #release(index: number): Promise<void> {
    const place = this.#places.get(index);
    if (place === undefined) return;
    await this.#inTurn(place, async () => {
      // `close()` removes everything.
      if (this.#closing.signal.aborted) return;
      await this.#stop(place);
      await this.#stores?.release(place.number);
      this.#directory.removeLane(place.number);
    });
  }

  /** Stops and removes everything, and cancels provisioning that is in progress. It can be called repeatedly. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([...this.#places.values()].map((place) => this.#inTurn(place, () => this.#stop(place)).catch(() => {})));
    for (const process of this.#processes) await this.#processes.end(process);
    // Ends processes that left the target's process group.
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

  /** Returns the lines that a lane's target printed in an interval, in milliseconds since 1970. */
  printed(index: number, fromMs: number, toMs: number): readonly string[] {
    return this.#outputs.get(index)?.between(fromMs, toMs) ?? [];
  }

  #startContext(place: Place, stores: LaneStores): StartContext {
    const passwords = passwordsOf(stores.systems.map(({ url }) => url));
    return {
      // The place may belong to another lane by now.
      onOutput: this.#options.output === undefined ? undefined : (text) => this.#outputOf(place.index, passwords)?.write(text),
      config: this.#config,
      lane: place.index,
      runId: this.#directory.id,
      stores,
      ports: this.#ports,
      started: (process) => this.#processes.add(process),
      stopped: (process) => this.#processes.remove(process),
      signal: this.#givenUp,
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

  /** Returns the numbers of a lane's spares. */
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
   * Refuses two lanes that share a store. Stores are compared by their URLs for the lane, so that a mistake in cloning is reported here and does not
   * produce a wrong graph.
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

  /** Cleans up in a process that ends without `close()`, without waiting for anything. */
  #endAtOnce(): void {
    for (const process of this.#processes) process.kill();
    this.#ports.releaseAll();
    try {
      this.#directory.remove();
    } catch {
      // A target that is being killed may still write there. The next run sweeps the directory.
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
    // Only the random part, since names in stores are short.
    runId: directory.id.slice(-RANDOM_LENGTH),
    directory: directory.path,
    claimPort: () => ports.claim(),
    // A target in this process has its store's URL from the lane, which uses the store itself.
    faulty: options.faulty === true && target.command !== undefined,
    empty: usesEmptyStore(target),
    clone: options.cloneStore ?? copyStore,
    kind: options.storeKind ?? unsupported,
  });
}

function unsupported(kind: string): Promise<never> {
  return Promise.reject(new SeqqaError("STORE_UNSUPPORTED", `No lanes can be made for a ${kind} store here.`, { exitStatus: 2 }));
}

function closed(): SeqqaError {
  return new SeqqaError("TARGETS_CLOSED", "The targets were stopped while a lane was still being made.");
}

/** Returns an id that is always partly random: processes are found by it and killed. */
function runIdOf({ runId }: TargetHostOptions): string {
  const random = randomBytes(RANDOM_LENGTH / 2).toString("hex");
  return runId === undefined ? random : `${encodeURIComponent(runId)}-${random}`;
}

async function bundledModule({ target, folder }: TargetConfig, options: TargetHostOptions): Promise<string | undefined> {
  if (target?.module === undefined) return undefined;
  const file = resolve(folder, target.module);
  if (!existsSync(file)) {
    throw new SeqqaError("TARGET_MODULE_MISSING", `There is no file ${file}, which target.module names.`, {
      exitStatus: 2,
      hint: "The path is relative to the folder of the configuration file.",
    });
  }
  return options.bundleModule === undefined ? pathToFileURL(file).href : options.bundleModule(file);
}
