import type { StoreProvider, StoreProviderOptions } from "../model/stores/store-provider.ts";
import { DatabaseNames } from "./database-names.ts";

/**
 * Gives every lane a database of its own on the template's server, copied from a copy that is made once for the run. `Session`: the way to the server
 * while a piece of work is done.
 */
export abstract class DatabaseProvider<Session> implements StoreProvider {
  protected readonly runId: string;
  protected readonly names: DatabaseNames;
  /** Something was made. If nothing was, the server may be one that never answered. */
  protected begun = false;
  #closed = false;

  constructor({ name, runId }: StoreProviderOptions, naming: ConstructorParameters<typeof DatabaseNames>[2]) {
    this.runId = runId;
    this.names = new DatabaseNames(runId, name, naming);
  }

  abstract prepare(): Promise<void>;
  abstract provide(lane: number, generation: number): Promise<string>;
  abstract session(): Promise<string>;

  /** Does work on the server. `doing`: the work in words, for errors. */
  protected abstract use<T>(doing: string, work: (session: Session) => Promise<T>): Promise<T>;
  /** Returns the names of all databases of the server. */
  protected abstract databases(session: Session): Promise<readonly string[]>;
  protected abstract remove(session: Session, database: string): Promise<void>;
  protected abstract endServer(): Promise<void>;

  release(lane: number): Promise<void> {
    return this.use("remove a lane's database", (session) => this.removeOfLane(session, lane));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      if (this.begun) await this.use("remove the lanes' databases", (session) => this.#removeAll(session, () => true));
      this.#closed = true;
    } finally {
      await this.endServer();
    }
  }

  /** Removes the databases of a lane. Its checkpoints may have made some beside its own, so the server is asked which ones exist. */
  protected removeOfLane(session: Session, lane: number): Promise<void> {
    return this.#removeAll(session, (name) => name.startsWith(this.names.ofLane(lane)));
  }

  async #removeAll(session: Session, which: (name: string) => boolean): Promise<void> {
    for (const name of await this.databases(session)) if (this.names.owns(name) && which(name)) await this.remove(session, name);
  }
}
