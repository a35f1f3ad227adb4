import { isDeepStrictEqual } from "node:util";
import { clientPartOf, type ClientPart, type CookieExpiry, type PendingRequest } from "../../model/http/client.ts";
import type { Bearer, SavedWorld, WorldSnapshot } from "./saved-world.ts";

const NONE: readonly PendingRequest[] = Object.freeze([]);
const NO_EXPIRIES: readonly CookieExpiry[] = Object.freeze([]);
const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** The clients of a world, and the names of the actions that set their credentials. Saves and restores both. */
export class WorldClients {
  readonly parts: readonly ClientPart[];
  readonly #roles: readonly string[];
  /** For each client: its credentials, and the name of the action that set them. */
  #setBy: readonly Bearer[];
  readonly #attributed: number[];
  /** The saved data of the clients in the root state, and who set their credentials. */
  #root: Pick<WorldSnapshot, "clients" | "setBy"> = { clients: [], setBy: [] };

  constructor(all: ReadonlyMap<string, unknown>) {
    const clients = [...all].map(([role, client]) => [role, clientPartOf(client)] as const);
    const parts = clients.filter((entry): entry is readonly [string, ClientPart] => entry[1] !== undefined);
    this.#roles = parts.map(([role]) => role);
    this.parts = parts.map(([, part]) => part);
    this.#setBy = this.parts.map(bearerOf);
    this.#attributed = this.parts.map(({ version }) => version);
  }

  /** `true` if the clients themselves hold their whole state, so that no target keeps further state. */
  get selfContained(): boolean {
    return this.parts.length > 0 && this.parts.every((client) => client.selfContained === true);
  }

  pending(): readonly PendingRequest[] {
    let all: readonly PendingRequest[] = NONE;
    for (const client of this.parts) {
      const pending = client.pending?.() ?? NONE;
      if (pending.length > 0) all = all.length === 0 ? pending : [...all, ...pending];
    }
    return all;
  }

  /** Tells all clients if a 503 answer is expected. If it is not expected, the clients wait for the overloaded server and send the request again. */
  expectShed(isExpected: boolean): void {
    for (const client of this.parts) client.expectShed?.(isExpected);
  }

  cut(): void {
    for (const client of this.parts) client.cut?.();
  }

  listen(sink: Parameters<ClientPart["listen"]>[0]): void {
    for (const client of this.parts) client.listen(sink);
  }

  /** Records that an action set the credentials that have changed since the last call. */
  attribute(action: string): void {
    for (let i = 0; i < this.parts.length; i++) {
      const { version } = this.parts[i]!;
      if (version === this.#attributed[i]) continue;
      this.#attributed[i] = version;
      const { text } = bearerOf(this.parts[i]!);
      if (text !== this.#setBy[i]!.text) this.#setBy = this.#setBy.with(i, { text, action });
    }
  }

  /** Attributes the present credentials of all clients to the root state. */
  adopt(): void {
    for (const client of this.parts) client.adopt?.();
    this.#setBy = this.parts.map(bearerOf);
    this.#root = { clients: this.save(), setBy: this.#setBy };
    for (let i = 0; i < this.parts.length; i++) this.#attributed[i] = this.parts[i]!.version;
  }

  /** Returns the present credentials of all clients, as text. */
  bearers(): readonly string[] {
    return this.parts.map((client) => bearerOf(client).text);
  }

  expiries(): readonly CookieExpiry[] {
    let all: readonly CookieExpiry[] = NO_EXPIRIES;
    for (const client of this.parts) {
      const expiries = client.expiries?.() ?? NO_EXPIRIES;
      if (expiries.length > 0) all = all.length === 0 ? expiries : [...all, ...expiries];
    }
    return all;
  }

  /** Returns the part of the clients that belongs to the state, by role. */
  acting(): Readonly<Record<string, unknown>> {
    let acting: Record<string, unknown> | undefined;
    for (let i = 0; i < this.parts.length; i++) {
      const one = this.parts[i]!.acting();
      const by = this.#setBy[i]!.action;
      if (one !== undefined) (acting ??= {})[this.#roles[i]!] = by === undefined ? one : [one, by];
    }
    return acting ?? NOTHING;
  }

  save(): unknown[] {
    return this.parts.map((client) => client.save());
  }

  versions(): number[] {
    return this.parts.map((client) => client.version);
  }

  /** For each client: its credentials, and the action that set them. */
  get setBy(): SavedWorld["setBy"] {
    return this.#setBy;
  }

  /** Returns `true` if a client was assigned a new value since the checkpoint. */
  changed({ clientVersions }: Pick<SavedWorld, "clientVersions">): boolean {
    for (let i = 0; i < this.parts.length; i++) if (this.parts[i]!.version !== clientVersions[i]) return true;
    return false;
  }

  /** Restores the clients that have changed since the checkpoint. */
  restore(mark: Pick<SavedWorld, "clients" | "clientVersions" | "setBy">): void {
    for (let i = 0; i < this.parts.length; i++) {
      const client = this.parts[i]!;
      if (client.version === mark.clientVersions[i]) continue;
      client.restore(mark.clients[i]);
      mark.clientVersions[i] = client.version;
      this.#attributed[i] = client.version;
    }
    this.#setBy = mark.setBy;
  }

  capture(): Pick<WorldSnapshot, "clients" | "hasRootClients" | "setBy"> {
    const clients = this.save();
    return { clients, hasRootClients: isDeepStrictEqual(clients, this.#root.clients), setBy: this.#setBy };
  }

  /** Sets the clients to their data in a snapshot. @param keepsOwn `true` to use this lane's own data of the root state instead */
  write(snapshot: Pick<WorldSnapshot, "clients" | "setBy">, keepsOwn: boolean): void {
    const { clients, setBy } = keepsOwn ? this.#root : snapshot;
    for (let i = 0; i < this.parts.length; i++) {
      this.parts[i]!.restore(clients[i]);
      this.#attributed[i] = this.parts[i]!.version;
    }
    this.#setBy = setBy;
  }
}

function bearerOf(client: ClientPart): Bearer {
  return { text: JSON.stringify((client.bearer === undefined ? client.acting() : client.bearer()) ?? null), action: undefined };
}
