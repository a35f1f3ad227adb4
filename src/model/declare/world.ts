import { clientPartOf, type ApiClient } from "../http/client.ts";
import { Context, contextPartOf, type SavedContext, type Values } from "../context/context.ts";
import { SeqqaError } from "../errors.ts";
import type { Checkpoint, Observed, StoreAdapter } from "../stores/store-adapter.ts";
import { refuseUnknown } from "./unknown-options.ts";

/** Options of {@link World}. */
export interface WorldOptions<C extends object = Values, A = ApiClient> {
  /** The client that actions receive. Any object: an HTTP client, an SDK, an in-memory model. Default: an `HttpClient` on the lane's base URL. */
  readonly api?: A;
  /** The stores behind the API, by name. Default: the ones that the configuration declares. */
  readonly systems?: Readonly<Record<string, StoreAdapter>>;
  /** The initial values of the context. */
  readonly context?: Context<C> | Partial<C>;
  /** Clients by role, for `Action.as` and `client.as(role)`. */
  readonly clients?: Readonly<Record<string, A>>;
  /** The context keys that belong to the state; default: all of them. */
  readonly stateFromContext?: readonly (keyof C & string)[];
  /** `table.column`s and context keys that are not part of the state. */
  readonly ignore?: readonly string[];
  /** Brings a target that cannot be restored in another way to its root state. */
  readonly reset?: Reset<C, A>;
  /**
   * Reads state that no store shows, e.g. with a GET. It is called after each step that sent something, and must not write. Its result, serialized as
   * JSON, is part of the state as `systems.probe`.
   */
  readonly probe?: Probe<C, A>;
}

const OPTIONS: readonly (keyof WorldOptions)[] = ["api", "systems", "context", "clients", "stateFromContext", "ignore", "reset", "probe"];

/** Written as a method, so that a world with a more specific client is still a world. */
type Reset<C extends object, A> = { call(world: World<C, A>): void | Promise<void> }["call"];

type Probe<C extends object, A> = { call(world: World<C, A>): unknown }["call"];

/** A saved world; see {@link World.checkpoint}. */
export interface WorldCheckpoint {
  readonly systems: ReadonlyMap<string, Checkpoint>;
  readonly context: SavedContext;
  readonly clients: ReadonlyMap<unknown, unknown>;
}

/** The parts of a world that make up its state. */
export interface WorldObservation {
  readonly systems: Readonly<Record<string, Observed>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly clients: Readonly<Record<string, unknown>>;
}

/** The sandbox of one lane: the client of the API, the stores behind it and the context. They are saved and restored together. */
export class World<C extends object = Values, A = ApiClient> {
  readonly context: Context<C>;
  readonly stateFromContext: readonly (keyof C & string)[] | undefined;
  readonly ignore: readonly string[];
  readonly reset: Reset<C, A> | undefined;
  readonly probe: Probe<C, A> | undefined;
  #api: A | undefined;
  #systems: Readonly<Record<string, StoreAdapter | undefined>> | undefined;
  #clients: Readonly<Record<string, A>>;

  /** @throws SeqqaError `WORLD_INVALID` for an unknown option. */
  constructor(options: WorldOptions<C, A> = {}) {
    refuseUnknown("The World", "WORLD_INVALID", options, OPTIONS);
    this.context = isContext<C>(options.context) ? options.context : new Context<C>(options.context);
    this.stateFromContext = options.stateFromContext;
    this.ignore = options.ignore ?? [];
    this.reset = options.reset;
    this.probe = options.probe;
    this.#api = options.api;
    this.#systems = options.systems;
    this.#clients = options.clients ?? {};
    contextPartOf(this.context as never).reach(() => this.systems);
    this.#join();
  }

  /** The client that actions without a role receive. */
  get api(): A {
    if (this.#api === undefined) {
      throw new SeqqaError("WORLD_WITHOUT_API", "This World has no api.", {
        hint: "Pass `api`, or use the world only inside a run, where seqqa supplies it.",
      });
    }
    return this.#api;
  }

  /** The stores by name; `undefined` for an unknown name. */
  get systems(): Readonly<Record<string, StoreAdapter | undefined>> {
    return this.#systems ?? {};
  }

  /** The clients by role. */
  get clients(): Readonly<Record<string, A>> {
    return this.#clients;
  }

  /** For lanes: fills in the api and the stores that the user left out, and keeps those that the user passed. */
  complete(defaults: { readonly api?: (() => A) | undefined; readonly systems: Readonly<Record<string, StoreAdapter>> }): void {
    this.#systems ??= defaults.systems;
    if (this.#api === undefined && defaults.api !== undefined) this.#api = defaults.api();
    this.#join();
  }

  /** For lanes: creates a client for a role without one. */
  introduce(role: string, create: () => A): void {
    if (Object.hasOwn(this.#clients, role)) return;
    this.#clients = { ...this.#clients, [role]: create() };
    this.#join();
  }

  /** Saves stores, context and the clients' own state. */
  async checkpoint(): Promise<WorldCheckpoint> {
    const systems = new Map<string, Checkpoint>();
    for (const [name, system] of Object.entries(this.systems)) if (system !== undefined) systems.set(name, await system.mark());
    const clients = new Map<unknown, unknown>();
    for (const client of this.allClients().values()) clients.set(client, clientPartOf(client)?.save());
    return { systems, context: contextPartOf(this.context as never).save(), clients };
  }

  /** Restores everything. The checkpoint stays valid; younger checkpoints do not. */
  async rollback(checkpoint: WorldCheckpoint): Promise<void> {
    for (const [name, mark] of checkpoint.systems) await this.systems[name]?.restore(mark);
    contextPartOf(this.context as never).restore(checkpoint.context);
    for (const [client, saved] of checkpoint.clients) clientPartOf(client)?.restore(saved);
  }

  /** Observes everything that decides which state the world is in. */
  async observe(): Promise<WorldObservation> {
    const systems: Record<string, Observed> = {};
    for (const [name, system] of Object.entries(this.systems)) if (system !== undefined) systems[name] = await system.observe();
    const clients: Record<string, unknown> = {};
    for (const [role, client] of this.allClients()) {
      const acting = clientPartOf(client)?.acting();
      if (acting !== undefined) clients[role] = acting;
    }
    return { systems, context: this.observedContext(), clients };
  }

  /** The context keys that belong to the state. */
  observedContext(): Readonly<Record<string, unknown>> {
    const entries = contextPartOf(this.context as never).entries;
    const observed: Record<string, unknown> = {};
    for (const key of this.stateFromContext ?? entries.keys()) {
      if (!this.ignore.includes(key) && entries.has(key)) observed[key] = entries.get(key);
    }
    return observed;
  }

  /** Every client with its role; the default one has the role `""`. */
  allClients(): ReadonlyMap<string, A> {
    const all = new Map<string, A>();
    if (this.#api !== undefined) all.set("", this.#api);
    for (const [role, client] of Object.entries(this.#clients)) all.set(role, client);
    return all;
  }

  /** Closes clients and stores. */
  async close(): Promise<void> {
    for (const client of this.allClients().values()) {
      const close = (client as { close?: () => unknown } | undefined)?.close;
      if (clientPartOf(client) !== undefined && typeof close === "function") await close.call(client);
    }
    for (const system of Object.values(this.systems)) await system?.close();
  }

  #join(): void {
    for (const client of this.allClients().values()) clientPartOf(client)?.join(this.#clients);
  }
}

function isContext<C extends object>(value: unknown): value is Context<C> {
  return value instanceof (Context as unknown as { new (): object });
}
