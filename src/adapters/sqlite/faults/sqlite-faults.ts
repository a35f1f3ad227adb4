import type { Database } from "better-sqlite3";
import type { Awaitable, HeldWrite, WriteFaults } from "../../../model/stores/store-adapter.ts";
import { attempt } from "../../../stores/index.ts";
import { busyError, isBusy } from "../connect/failures.ts";
import { writing } from "../journal/owner.ts";
import { FAULT, PASSED, statementOf } from "./fault-triggers.ts";

/** The longest wait for the write lock, in milliseconds. A target that keeps the lock after its answer has a defect that fault tests should find. */
const LIMIT_MS = 1000;

/**
 * Makes writes of the target fail with triggers that raise an error. The error also undoes all writes of the trigger, so a trigger cannot record that
 * it fired. seqqa therefore counts the writes of a call first, and executes the call again in the same state with one write failing. Later writes of
 * the same kind to the same table fail, too. Writes to other tables succeed.
 */
export class SqliteFaults implements WriteFaults {
  readonly kind = "faults";
  readonly kinds: WriteFaults["kinds"] = ["error"];
  readonly missing: WriteFaults["missing"] = {
    cut: "SQLite has no network connections that seqqa could cut",
    kill: "SQLite writes inside the target, where seqqa cannot delay a write",
  };
  readonly #db: Database;
  readonly #file: string;
  readonly #tables: readonly { readonly name: string }[];
  #counted: readonly number[] = [];
  #armed: number | undefined;

  /** @param db A connection whose own writes fire no triggers, because `blind` hides the triggers from it. */
  constructor(db: Database, file: string, tables: readonly { readonly name: string }[]) {
    this.#db = db;
    this.#file = file;
    this.#tables = tables;
  }

  async watch(): Promise<void> {
    await this.#set("null, 0");
  }

  async watched(done: Promise<unknown>): Promise<number> {
    await Promise.allSettled([done]);
    this.#counted = await this.#patiently(() => this.#db.prepare<[], number>(`select code from ${PASSED} order by seq`).pluck().all());
    await this.disarm();
    return this.#counted.length;
  }

  async arm(write: number): Promise<void> {
    const code = this.#counted[write - 1];
    if (code === undefined)
      throw new RangeError(
        `Write number ${write} does not exist, because seqqa counted only ${this.#counted.length} writes. This is a defect of seqqa: please report it.`,
      );
    this.#armed = code;
    await this.#set(`${code}, ${this.#counted.slice(0, write - 1).filter((one) => one === code).length}`);
  }

  async failed(done: Promise<unknown>): Promise<HeldWrite | undefined> {
    await Promise.allSettled([done]);
    return this.#armed === undefined ? undefined : { statement: statementOf(this.#armed, this.#tables) };
  }

  async disarm(): Promise<void> {
    this.#armed = undefined;
    // Ignore an error: it occurs if the target still holds the write lock, and the next restore then reports this problem.
    await Promise.allSettled([this.#set(undefined)]);
  }

  async #set(values: string | undefined): Promise<void> {
    await this.#patiently(() =>
      writing(this.#db, () => {
        this.#db.exec(`delete from ${FAULT}; delete from ${PASSED}`);
        if (values !== undefined) this.#db.exec(`insert into ${FAULT} values(${values})`);
      }),
    );
  }

  #patiently<T>(work: () => T): Awaitable<T> {
    return attempt(work, isBusy, LIMIT_MS, busyError(this.#file, LIMIT_MS));
  }
}
