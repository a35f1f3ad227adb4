import { readCatalog, type Catalog } from "../schema/catalog.ts";
import type { Control, Queries } from "../connect/control.ts";
import { isDenied, lostError } from "../connect/failures.ts";
import { install, uninstall } from "../journal/install.ts";
import { keepTables, leaseLock } from "../journal/journal-sql.ts";
import { Lease } from "../journal/lease.ts";
import { journalObstacle } from "../journal/obstacles.ts";
import { randomUUID } from "node:crypto";
import { cannotSavepoint } from "./savepoint-failures.ts";
import { FullReader, LogReader, type ChangeReader } from "./savepoint-readers.ts";
import { SchemaWatch } from "../schema/schema-watch.ts";
import { named } from "../connect/sql-text.ts";

export function savepointObstacle({ tables }: Catalog): string | undefined {
  const table = tables.find(({ engine }) => engine !== "InnoDB");
  return table === undefined ? undefined : `table "${table.name}" has the engine ${table.engine}, which does not support transactions`;
}

/** The triggers that log changes on a shared connection, and the schema at the time when the triggers were created. */
export class SavepointInstall {
  #catalog: Catalog;
  #reader!: ChangeReader;
  #watch!: SchemaWatch;
  #functions = true;
  readonly #control: Control;
  readonly #shared: Queries;
  readonly #borrowed: boolean;
  #lease: Lease | undefined;

  private constructor(control: Control, shared: Queries, catalog: Catalog, borrowed: boolean) {
    this.#control = control;
    this.#shared = shared;
    this.#catalog = catalog;
    this.#borrowed = borrowed;
  }

  /** Creates the triggers that log changes. In an external store, takes the lease first. @throws SeqqaError `SAVEPOINT_HINDERED` */
  static async make(control: Control, shared: Queries, catalog: Catalog, borrowed: boolean): Promise<SavepointInstall> {
    const made = new SavepointInstall(control, shared, catalog, borrowed);
    if (borrowed) made.#lease = await Lease.hold(control);
    try {
      await made.#install();
    } catch (error) {
      made.release();
      throw error;
    }
    return made;
  }

  /**
   * Checks that the triggers of an external store logged the changes that were read. The triggers log nothing without the lease.
   *
   * @throws SeqqaError `LEASE_OVER` or `STORE_LOST`
   */
  async requireLease(): Promise<void> {
    if (this.#lease === undefined) return;
    const { store } = this.#control;
    const [[holder = null] = []] = await this.#shared.rows(`select is_used_lock('${leaseLock(store.database)}')`);
    if (holder === null) throw this.explained(lostError(store, new Error("the server ended seqqa's session, which held the lease")));
  }

  /** Returns the error `LEASE_OVER` if an operation failed because the lease has ended, otherwise `error`. */
  explained(error: unknown): unknown {
    return this.#lease === undefined ? error : this.#lease.explain(error);
  }

  /** Stops renewing the lease. The triggers log nothing after the control connection is closed. */
  release(): void {
    this.#lease?.stop();
  }

  get catalog(): Catalog {
    return this.#catalog;
  }

  get reader(): ChangeReader {
    return this.#reader;
  }

  /** Returns `true` if a query calls no stored function and therefore certainly changes nothing. */
  onlyReads(sql: string): boolean {
    return !this.#functions && /^\s*(?:select|show)\b/i.test(sql) && !/\.\s*[`\w$\u0080-\uffff]+\s*\(|\binto\b/i.test(sql);
  }

  /** Creates the triggers again if the schema has changed. */
  async renew(): Promise<void> {
    const altered = this.#watch.difference(await this.#control.rows(this.#watch.sql)) ?? (await this.#watch.altered(this.#control, true));
    if (altered === undefined) return;
    this.#catalog = await readCatalog(this.#control);
    await this.#install();
  }

  async #install(): Promise<void> {
    const [control, catalog] = [this.#control, this.#catalog];
    const hindered = savepointObstacle(catalog);
    if (hindered !== undefined) throw cannotSavepoint(control.store, hindered);
    await uninstall(control);
    const obstacle = (await this.#installLog(catalog)) ?? undefined;
    if (obstacle !== undefined && this.#borrowed)
      throw cannotSavepoint(control.store, `${obstacle}, so seqqa could not restore all data of a database that is used in place`);
    this.#reader = obstacle === undefined ? new LogReader(this.#shared, catalog) : new FullReader(this.#shared, catalog);
    this.#watch = await SchemaWatch.open(control);
    if (this.#borrowed) await control.rows(keepTables(this.#watch));
    const functions = `select 1 from information_schema.routines where ${named("routine_schema", control.store.database)} and routine_type = 'FUNCTION' limit 1`;
    this.#functions = (await control.rows(functions)).length > 0;
  }

  /** Creates the triggers that log changes. @returns the reason if they cannot be created, otherwise `undefined` */
  async #installLog(catalog: Catalog): Promise<string | undefined> {
    const obstacle = journalObstacle(catalog);
    if (obstacle !== undefined) return obstacle;
    try {
      await install(this.#control, catalog, { token: randomUUID(), borrowed: this.#borrowed, gated: false });
      return undefined;
    } catch (error) {
      await uninstall(this.#control).catch(() => undefined);
      if (isDenied(error)) return "the database user is not allowed to create triggers";
      throw error;
    }
  }
}
