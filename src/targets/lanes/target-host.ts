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
import { startTarget, type RunningTarget, type StartContext } from "../process/start-target.ts";
import { StoreProviders } from "../stores/store-providers.ts";
import { restarts, spareNumber } from "./standby-targets.ts";
import { borrowedStores, copyStore, declaredStores, type LaneStores } from "../stores/lane-stores.ts";
import { sweep } from "../sweep.ts";
import type { StartedTarget, TargetConfig, TargetHostOptions } from "../target-config.ts";
import { TargetOutput } from "../process/target-output.ts";
import { usesEmptyStore } from "../stores/uses-empty-store.ts";
import { passwordsOf, withoutSecrets } from "../../model/text/url-secrets.ts";

/** Digits of the random part of a run's id. */
const RANDOM_LENGTH = 12;

/** One lane as the host knows it. */
interface Place {
  generation: number;
  target: RunningTarget | undefined;
  stores: LaneStores | undefined;
  spec: LaneSpec | undefined;
  /** What is done to a lane is done one after another. */
  queue: Promise<unknown>;
}

/**
 * Starts, restarts and stops the targets and stores of all lanes, on the main thread. Everything it made is gone after `close()`,
 * after any other end of this process that can still run code, and else when the next host is created.
 */
export class TargetHost {
  /** Why so many lanes cannot be made; `undefined` when they can. */
  readonly canMakeLanes: (count: number) => SeqqaError | undefined;
  /** Where lanes and spares answered, those that are gone included. */
  readonly origins: Set<string> = new Set();
  readonly #config: TargetConfig;
  readonly #options: TargetHostOptions;
  /** The output of each lane's target, over all its starts. */
  readonly #outputs = new Map<number, TargetOutput>();
  readonly #directory: RunDirectory;
  readonly #ports: Ports;
  readonly #numbers: { readonly lanes: number; readonly spares: number };
  readonly #module: string | undefined;
  /** Where started targets get their stores from. */
  readonly #stores: StoreProviders | undefined;
  readonly #places = new Map<number, Place>();
  readonly #processes: OwnProcesses;
  readonly #closing = new AbortController();
  /** Ends the waiting for targets. */
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
    this.#stores = config.target === undefined ? undefined : storesOf(config, config.target, options, this.#directory);
    this.#removeHooks = onEveryExit(() => this.#endAtOnce());
  }

  /** Sweeps what dead runs left, and checks what can be checked without starting anything. @throws SeqqaError */
  static async create(config: TargetConfig, options: TargetHostOptions = {}): Promise<TargetHost> {
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

  /** Fresh stores, the target started and ready, and the same for the lane's spares. @throws SeqqaError `TARGET_*`, `STORE_*`, `LANES_*` */
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
    const place = this.#places.get(index) ?? {
      generation: -1,
      target: undefined,
      stores: undefined,
      spec: undefined,
      queue: Promise.resolve(),
    };
    this.#places.set(index, place);
    return this.#inTurn(place, async () => {
      this.#requireOpen();
      await this.#stop(place);
      place.generation += 1;
      const spec = await this.#make(index, place);
      this.#refuseShared(spec);
      place.spec = spec;
      if (spec.baseUrl !== "") this.origins.add(spec.baseUrl);
      return spec;
    });
  }

  /** Ends a lane's process at once, for a restart; its stores and its port stay. */
  async halt(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      const process = place.target?.process;
      if (process === undefined) return;
      await process.end();
      this.#processes.remove(process);
    });
  }

  /** Starts it again on the same stores and port, and returns when it is ready. @throws SeqqaError `TARGET_*` */
  async start(index: number): Promise<void> {
    const place = this.#placeOf(index);
    await this.#inTurn(place, async () => {
      this.#requireOpen();
      if (place.target === undefined || place.stores === undefined) throw closed();
      place.target = await startTarget({ ...this.#startContext(index, place.stores), before: place.target });
    });
  }

  /** Stops the lane's target, if there is one, and provisions the lane anew; its generation grows by one. */
  reprovision(index: number): Promise<LaneSpec> {
    return this.provision(index);
  }

  /** How the process behind a lane that got no answer stands: of the lane and its spares the one that ended by itself. `undefined`: none of ours. */
  async endOf(index: number): Promise<TargetEnd | undefined> {
    const processes = [index, ...this.#spares(index)].flatMap((number) => this.#places.get(number)?.target?.process ?? []);
    const ends = await Promise.all(processes.map((process) => process.fate()));
    return ends.find((end) => end !== undefined && hasEnded(end)) ?? (ends.length === 1 ? ends[0] : undefined);
  }

  /** Whether the lane's process ended by itself since it was provisioned. */
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
      await this.#stop(place);
      await this.#stores?.release(index);
      this.#directory.removeLane(index);
    });
  }

  /** Stops everything and removes everything; what is being provisioned is given up. Any number of times. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    await Promise.all([...this.#places.values()].map((place) => this.#inTurn(place, () => this.#stop(place)).catch(() => {})));
    for (const process of this.#processes) await this.#processes.end(process);
    // What left its process group on its own.
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

  async #make(index: number, place: Place): Promise<LaneSpec> {
    const { target, folder } = this.#config;
    const tmpDir = this.#directory.lane(index, place.generation);
    const common = { index, generation: place.generation, tmpDir, targetModule: this.#module };
    if (target === undefined) {
      const lane = runningLanes(this.#config)[index];
      const stores = lane === undefined ? declaredStores(this.#config.systems, this.#config.dbUrl) : lane.stores;
      if (lane !== undefined) await requireReachable(lane.baseUrl, this.#givenUp, this.#config);
      const borrowed = borrowedStores(stores, folder);
      const isBorrowed = lane !== undefined || borrowed.systems.length > 0;
      return { ...common, ...borrowed, baseUrl: lane?.baseUrl ?? "", borrowed: isBorrowed, restartable: false };
    }
    const stores = await this.#stores!.provide(index, place.generation, tmpDir);
    if (target.command === undefined) return { ...common, ...stores, baseUrl: "", borrowed: false, restartable: false };
    place.stores = stores;
    place.target = await startTarget(this.#startContext(index, stores));
    const { baseUrl } = place.target;
    return { ...common, ...stores, baseUrl, borrowed: false, restartable: true, restarts: restarts(this.#config) };
  }

  /** The lines that the target of a lane printed in a time, in milliseconds since 1970. */
  printed(index: number, fromMs: number, toMs: number): readonly string[] {
    return this.#outputs.get(index)?.between(fromMs, toMs) ?? [];
  }

  #startContext(lane: number, stores: LaneStores): StartContext {
    const kept = this.#options.output;
    let output = this.#outputs.get(lane);
    if (output === undefined && kept !== undefined) {
      const passwords = passwordsOf(stores.systems.map(({ url }) => url));
      output = new TargetOutput(join(kept.folder, "targets", `lane-${lane}.log`), (line) => kept.hide(withoutSecrets(line, passwords)));
      this.#outputs.set(lane, output);
    }
    return {
      onOutput: output === undefined ? undefined : (text) => output.write(text),
      config: this.#config,
      lane,
      runId: this.#directory.id,
      stores,
      ports: this.#ports,
      started: (process) => this.#processes.add(process),
      stopped: (process) => this.#processes.remove(process),
      signal: this.#givenUp,
    };
  }

  /** The numbers of a lane's spares. */
  #spares(index: number): readonly number[] {
    const { spares, lanes } = this.#numbers;
    return restarts(this.#config) ? Array.from({ length: spares }, (_, spare) => spareNumber(index, spare, lanes)) : [];
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

  /** A store is compared by what it is for the lane, so that a mistake in cloning shows here and not as a wrong graph. */
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

  /** The last chance of a process that ends without `close()`: nothing that waits. */
  #endAtOnce(): void {
    for (const process of this.#processes) process.kill();
    this.#ports.releaseAll();
    try {
      this.#directory.remove();
    } catch {
      // A target that is just being killed may still write there: the next run sweeps it.
    }
  }
}

function storesOf(config: TargetConfig, target: StartedTarget, options: TargetHostOptions, directory: RunDirectory): StoreProviders {
  return new StoreProviders({
    stores: declaredStores(config.systems, config.dbUrl),
    folder: config.folder,
    // The random part alone: names in stores are short.
    runId: directory.id.slice(-RANDOM_LENGTH),
    directory: directory.path,
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

/** Random in any case: it marks processes, which are ended by it. */
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
      hint: "It is resolved against the folder of the config file.",
    });
  }
  return options.bundleModule === undefined ? pathToFileURL(file).href : options.bundleModule(file);
}
