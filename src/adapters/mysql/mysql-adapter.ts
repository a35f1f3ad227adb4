import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, Mark, Observed, System, SystemScope, SystemTraits } from "../../model/system.ts";
import { chooseMode, type MysqlCheckpoint } from "./choose-mode.ts";
import { requireReading } from "./looker.ts";
import type { MysqlMode, QueryRow } from "./mode.ts";
import { storeUrl, type StoreUrl } from "./store-url.ts";

export interface MysqlAdapterOptions {
  /** `mysql://user:password@host:port/database`; never shown with its password. */
  readonly url: string;
  /**
   * How the database is put back. `journal`: an undo log by triggers. `copy`: everything is read and what differs is written back, for small databases; DDL and
   * AUTO_INCREMENT are put back too. Default `auto`: the journal where it can be, see {@link MysqlAdapter.checkpoint}.
   */
  readonly checkpoint?: MysqlCheckpoint | undefined;
  /** The tables that belong to the state; the others are put back, and not looked at. Default: all. */
  readonly tables?: readonly string[] | undefined;
  /** `table.column`s that are not part of the state. */
  readonly ignore?: readonly string[] | undefined;
  /** `table.column`s of ids that are interchangeable, so that states that differ only in their names are one. */
  readonly symmetric?: readonly string[] | undefined;
}

/** A MySQL or MariaDB database behind the API. */
export class MysqlAdapter implements System {
  readonly name = "mysql";
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly symmetric: readonly string[];
  readonly #store: StoreUrl;
  readonly #wanted: MysqlCheckpoint;
  #choice: CheckpointChoice;
  #scope: SystemScope | undefined;
  #mode: MysqlMode | undefined;
  /** Of before a restart of the target. */
  #previous: MysqlMode | undefined;

  constructor(options: MysqlAdapterOptions) {
    if (typeof options.url !== "string" || options.url === "") {
      throw new SeqqaError("MYSQL_WITHOUT_URL", "A MysqlAdapter needs the URL of its database.", {
        hint: "Pass `url: lane.dbUrl`; it is undefined when no `db_url` is configured.",
        exitStatus: 2,
      });
    }
    this.#store = storeUrl(options.url);
    this.tables = options.tables;
    this.ignore = options.ignore ?? [];
    this.symmetric = options.symmetric ?? [];
    this.#wanted = options.checkpoint ?? "auto";
    this.#choice = { mode: this.#wanted, why: "not opened yet" };
  }

  /** The database that it works on, without credentials. */
  get uses(): string {
    return this.#store.shown;
  }

  /** The mode that was chosen, and why. */
  get checkpoint(): CheckpointChoice {
    return this.#choice;
  }

  get traits(): SystemTraits {
    return this.#mode?.traits ?? { portable: this.#wanted !== "savepoint", commits: this.#wanted !== "savepoint" };
  }

  async open(scope: SystemScope): Promise<void> {
    this.#scope = scope;
    const { mode, choice } = await chooseMode({
      store: this.#store,
      wanted: this.#wanted,
      scope,
      tables: this.tables,
      previous: this.#previous,
    });
    this.#mode = mode;
    this.#choice = choice;
    this.#previous = undefined;
  }

  async root(): Promise<Observed> {
    return this.#opened().root();
  }

  async mark(): Promise<Mark> {
    return this.#opened().mark();
  }

  async position(): Promise<Mark> {
    const mode = this.#opened();
    return mode.position === undefined ? mode.mark() : mode.position();
  }

  async changed(mark: Mark): Promise<boolean> {
    return this.#opened().changed(mark);
  }

  async restore(mark: Mark): Promise<void> {
    return this.#opened().restore(mark);
  }

  async observe(): Promise<Observed> {
    return this.#opened().observe();
  }

  async capture(): Promise<unknown> {
    return this.#opened().capture();
  }

  async write(image: unknown): Promise<void> {
    return this.#opened().write(image);
  }

  /**
   * Rows of a query, as objects; `?` stands for `params`. Values as `mysql2` gives them; integers beyond 2^53 as text.
   *
   * @throws SeqqaError `QUERY_WRITES` for a statement that does more than read.
   */
  async query(sql: string, params: readonly unknown[] = []): Promise<QueryRow[]> {
    requireReading(sql);
    return this.#opened().query(sql, params);
  }

  async dump(): Promise<string> {
    return this.#opened().dump();
  }

  async close(): Promise<void> {
    const mode = this.#mode;
    this.#mode = undefined;
    if (mode === undefined) return;
    // What stands in a lane's own database may stay: it goes with the lane, and a restarted target is taken up where it was.
    this.#previous = mode;
    await mode.close(this.#scope?.borrowed ?? false);
  }

  #opened(): MysqlMode {
    if (this.#mode !== undefined) return this.#mode;
    throw new SeqqaError("STORE_NOT_OPEN", `The MysqlAdapter of ${this.uses} is not open.`, {
      hint: "A lane opens it when the target is ready; ask it in actions and invariants only.",
    });
  }
}
