import type { StoreProvider, StoreProviderOptions } from "../../model/stores/store-provider.ts";
import { DatabaseNames } from "./database-names.ts";

/**
 * Creates a database for every lane on the server of the user's database. The user's database is copied once for each run, and the databases of the
 * lanes are copies of this first copy. If there is only one lane, its database is copied directly from the user's database. `Session` is the type of
 * a connection to the server.
 */
export abstract class DatabaseProvider<Session> implements StoreProvider {
  protected readonly runId: string;
  protected readonly names: DatabaseNames;
  /** `true` if the run needs only one copy of the user's database, because it has one lane. */
  protected readonly single: boolean;
  /** `true` after this provider has created a database. Otherwise there is nothing to remove on the server at the end. */
  protected begun = false;
  #closed = false;

  constructor({ name, runId, single = false }: StoreProviderOptions, naming: ConstructorParameters<typeof DatabaseNames>[2]) {
    this.runId = runId;
    this.single = single;
    this.names = new DatabaseNames(runId, name, naming);
  }

  abstract prepare(): Promise<void>;
  abstract provide(lane: number, generation: number): Promise<string>;
  abstract session(): Promise<string>;

  /** Runs `work` with a connection to the server. `doing` describes the work in error messages. */
  protected abstract use<T>(doing: string, work: (session: Session) => Promise<T>): Promise<T>;
  protected abstract databases(session: Session): Promise<readonly string[]>;
  protected abstract remove(session: Session, database: string): Promise<void>;
  protected abstract endServer(): Promise<void>;

  release(lane: number): Promise<void> {
    return this.use("remove the database of a lane", (session) => this.removeOfLane(session, lane));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      if (this.begun) await this.use("remove the databases of the lanes", (session) => this.#removeAll(session, () => true));
      this.#closed = true;
    } finally {
      await this.endServer();
    }
  }

  /**
   * Removes the databases of a lane. Reads the names of the databases from the server, because checkpoints of the lane may have created additional
   * databases.
   */
  protected removeOfLane(session: Session, lane: number): Promise<void> {
    return this.#removeAll(session, (name) => name.startsWith(this.names.ofLane(lane)));
  }

  async #removeAll(session: Session, which: (name: string) => boolean): Promise<void> {
    for (const name of await this.databases(session)) if (this.names.owns(name) && which(name)) await this.remove(session, name);
  }
}
