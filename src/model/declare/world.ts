import { clientPartOf, clientsIn, type ApiClient } from "../http/client.ts";
import { Context, contextPartOf, type SavedContext, type Values } from "../context/context.ts";
import { SeqqaError } from "../errors.ts";
import type { Checkpoint, Observed, StoreAdapter } from "../stores/store-adapter.ts";
import { refuseUnknown } from "./unknown-options.ts";

/** Options of {@link World}. */
export interface WorldOptions<C extends object = Values, A = ApiClient> {
  /**
   * The client that actions receive: an HTTP client, an SDK, an in-memory model, or any other object. Default: an `HttpClient` on the lane's base
   * URL.
   */
  readonly api?: A;
  /** The stores behind the API, by name. Default: the stores that the configuration declares. */
  readonly systems?: Readonly<Record<string, StoreAdapter>>;
  /** The initial values of the context. Default: empty. */
  readonly context?: Context<C> | Partial<C>;
  /** Clients by role, for `Action.as` and `client.as(role)`. Default: none. */
  readonly clients?: Readonly<Record<string, A>>;
  /** The context keys that belong to the state. Default: all keys. */
  readonly stateFromContext?: readonly (keyof C & string)[];
  /** Columns (`table.column`) and context keys that are not part of the state. Default: none. */
  readonly ignore?: readonly string[];
  /** Brings a target without a restorable store back to its root state. Default: none. */
  readonly reset?: Reset<C, A>;
  /**
   * Reads state that no store shows, e.g. with a GET. Called after each step that sent a request; after each step if `api` is not one of seqqa's
   * clients, because its requests are not seen. Must not write. The returned value, serialized as
   * JSON, belongs to the state as `systems.probe`. Default: none.
   */
  readonly probe?: Probe<C, A>;
}

const OPTIONS: readonly (keyof WorldOptions)[] = ["api", "systems", "context", "clients", "stateFromContext", "ignore", "reset", "probe"];

/** Declared as a method, because methods are checked bivariantly: a world with a more specific client is still assignable to `World`. */
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

/** The sandbox of one lane: the client of the API, the stores behind the API, and the context. All parts are saved and restored together. */
export class World<C extends object = Values, A = ApiClient> {
  readonly context: Context<C>;
  readonly stateFromContext: readonly (keyof C & string)[] | undefined;
  readonly ignore: readonly string[];
  readonly reset: Reset<C, A> | undefined;
  readonly probe: Probe<C, A> | undefined;
  #api: A | undefined;
  #systems: Readonly<Record<string, StoreAdapter | undefined>> | undefined;
  #clients: Readonly<Record<string, A>>;

  /** @throws SeqqaError `WORLD_INVALID` for an unknown option */
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

  /** The client that actions without a role receive. @throws SeqqaError `WORLD_WITHOUT_API` if there is none */
  get api(): A {
    if (this.#api === undefined) {
      throw new SeqqaError("WORLD_WITHOUT_API", "This World has no api.", {
        hint: "Pass `api` to the World, or use this World only inside a run, in which seqqa sets api.",
      });
    }
    return this.#api;
  }

  /** The stores by name. An unknown name has the value `undefined`. */
  get systems(): Readonly<Record<string, StoreAdapter | undefined>> {
    return this.#systems ?? {};
  }

  /** The clients by role. */
  get clients(): Readonly<Record<string, A>> {
    return this.#clients;
  }

  /** Adds the default client and the default stores if the user passed none. Only lanes call this method. */
  complete(defaults: { readonly api?: (() => A) | undefined; readonly systems: Readonly<Record<string, StoreAdapter>> }): void {
    this.#systems ??= defaults.systems;
    if (this.#api === undefined && defaults.api !== undefined) this.#api = defaults.api();
    this.#join();
  }

  /** Creates a client for a role that has none. Only lanes call this. */
  introduce(role: string, create: () => A): void {
    if (Object.hasOwn(this.#clients, role)) return;
    this.#clients = { ...this.#clients, [role]: create() };
    this.#join();
  }

  /** Saves the stores, the context and the clients' own state. */
  async checkpoint(): Promise<WorldCheckpoint> {
    const systems = new Map<string, Checkpoint>();
    for (const [name, system] of Object.entries(this.systems)) if (system !== undefined) systems.set(name, await system.mark());
    const clients = new Map<unknown, unknown>();
    for (const client of this.allClients().values()) clients.set(client, clientPartOf(client)?.save());
    return { systems, context: contextPartOf(this.context as never).save(), clients };
  }

  /** Restores the stores, the context and the clients. The checkpoint stays valid; younger checkpoints become invalid. */
  async rollback(checkpoint: WorldCheckpoint): Promise<void> {
    for (const [name, mark] of checkpoint.systems) await this.systems[name]?.restore(mark);
    contextPartOf(this.context as never).restore(checkpoint.context);
    for (const [client, saved] of checkpoint.clients) clientPartOf(client)?.restore(saved);
  }

  /** Reads everything that belongs to the state of the world. */
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

  /** Returns the context keys that belong to the state, with their values. */
  observedContext(): Readonly<Record<string, unknown>> {
    const entries = contextPartOf(this.context as never).entries;
    const observed: Record<string, unknown> = {};
    for (const key of this.stateFromContext ?? entries.keys()) {
      if (!this.ignore.includes(key) && entries.has(key)) observed[key] = entries.get(key);
    }
    return observed;
  }

  /**
   * Returns all clients by role. The default client has the role `""`. For an object that wraps clients of seqqa, returns these, with the names of their
   * properties added to the role.
   */
  allClients(): ReadonlyMap<string, A> {
    const all = new Map<string, A>();
    const add = (role: string, client: A): void => {
      const within = clientsIn(client);
      if (within.size === 0) all.set(role, client);
      for (const [name, one] of within) all.set(name === "" ? role : `${role}.${name}`, one as A);
    };
    if (this.#api !== undefined) add("", this.#api);
    for (const [role, client] of Object.entries(this.#clients)) add(role, client);
    return all;
  }

  /** Closes the clients and the stores. */
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
