import type { Client, DatabaseError } from "pg";
import { fail, relay, succeed, type Submittable } from "./shared-connection-relay.ts";
import { Endings } from "./savepoint-endings.ts";
import { statementsOf, type Control, type Statement, type LocalSetting } from "./savepoint-statements.ts";
import { quoteText } from "../connect/sql-text.ts";

const NO: ReadonlySet<unknown> = new Set([false, "false", "f", "no", "off", "0", 0]);

/** Returns the name of the savepoint of a checkpoint. Depth 0 is the root state. */
export function savepointAt(depth: number): string {
  return `seqqa_${depth}`;
}

export interface TransactionsOptions {
  readonly client: Client;
  readonly DatabaseError: typeof DatabaseError;
  /** The quoted names of constraints that are INITIALLY DEFERRED. */
  readonly deferred: readonly string[];
  readonly warn: (message: string, code: string) => void;
}

/**
 * Matches a statement that may change the access mode. In PostgreSQL, a read-only transaction becomes read-write again only when a savepoint is
 * released that was made before the change to read-only.
 */
const READ_ONLY_SETTING = /\btransaction_read_only\b/i;
const ORDINARY: Statement = { text: "", start: 0, control: undefined, locals: [], ending: undefined };

/**
 * Replaces the target's transactions by savepoints in the exploring transaction. A statement outside of a transaction is a transaction of its own, so
 * that its failure undoes only this statement. Between transactions, an unused savepoint always exists, to which the next transaction can be rolled
 * back. BEGIN therefore sends nothing. COMMIT makes the next savepoint without waiting for the answer. A checkpoint takes over the unused savepoint.
 */
export class TargetTransactions {
  readonly #options: TransactionsOptions;
  #state: "idle" | "open" | "failed" = "idle";
  /** `true` if the target has sent no BEGIN. The transaction then ends after the last statement of the text that the target has sent. */
  #implicit = false;
  #readOnly = false;
  /** The names of the target's own savepoints, innermost last. */
  #savepoints: string[] = [];
  #constraintsSet = false;
  readonly #locals = new LocalSettings();
  /** The number of the savepoint to which the target's next changes can be rolled back. */
  #depth = 0;
  /** `true` if a checkpoint uses the savepoint number `#depth`. COMMIT must not release this savepoint. */
  #kept = true;
  /** `true` if the transaction began at the savepoint of a checkpoint and has made its own savepoint since then. */
  #split = false;
  readonly #endings = new Endings();
  #pending: Promise<unknown> | undefined;
  #broken: Error | undefined;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /** The transaction status, with the driver's letters: `I` idle, `T` in a transaction, `E` in a failed transaction. */
  get status(): "I" | "T" | "E" {
    return this.#state === "idle" ? "I" : this.#state === "open" ? "T" : "E";
  }

  /**
   * Waits for commands that were sent without waiting for their answer.
   *
   * @throws the first error of such a command. The connection is unusable after this error.
   */
  async settled(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#options.client.getTransactionStatus() === "I") throw new Error("a statement of the target ended the transaction");
  }

  /**
   * Uses the current savepoint for a checkpoint, so that the savepoint is not released. If it belongs to a checkpoint already, makes another
   * savepoint. The target must have no open transaction.
   *
   * @returns the depth of the savepoint
   */
  async keep(): Promise<number> {
    if (this.#kept) await this.#options.client.query(`savepoint ${savepointAt(++this.#depth)}`);
    this.#kept = true;
    return this.#depth;
  }

  /** Updates the depth after the exploring transaction was rolled back to the savepoint of a checkpoint. */
  wentBack(depth: number): void {
    this.#depth = depth;
    this.#kept = true;
    this.#split = false;
  }

  /** The SQL command that undoes everything since the target's last commit. */
  get undo(): string {
    return `rollback to savepoint ${savepointAt(this.#depth)}`;
  }

  /** Executes a query of the target, or the statements that replace the query. Then reports success or failure to the query object. */
  async run(query: Submittable): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    const statements = typeof query.text === "string" ? statementsOf(query.text) : [];
    const bound = (query.values?.length ?? 0) > 0;
    const special = statements.some(({ control, locals, ending }) => control !== undefined || ending !== undefined || locals.length > 0);
    if (typeof query.text === "string" && READ_ONLY_SETTING.test(query.text)) this.#apart();
    // Send a text with several statements and values unchanged. The server refuses this combination, and the target gets the same error as without
    // seqqa.
    const parts = special && !(bound && statements.length > 1) ? statements : [ORDINARY];
    for (const part of parts) {
      if (this.#state === "idle") [this.#state, this.#implicit] = ["open", true];
      if (await this.#step(query, part, parts.length > 1)) continue;
      if (this.#implicit) this.#rollback();
      return;
    }
    const error = this.#implicit ? await this.#commit() : undefined;
    if (error === undefined) succeed(this.#options.client, query);
    else fail(this.#options.client, query, error);
  }

  abandon(): void {
    if (this.#state !== "idle") this.#rollback();
  }

  /** Executes one statement of a query. Reports a failure to the query object. @returns `true` if the statement succeeded */
  async #step(query: Submittable, part: Statement, apart: boolean): Promise<boolean> {
    const { control } = part;
    const error = control === undefined ? undefined : await this.#control(query, control, apart);
    if (error === true) return true;
    if (error !== undefined) {
      fail(this.#options.client, query, error);
      return false;
    }
    if (this.#state === "open" && part.locals.length > 0) {
      this.#apart();
      await this.#pending;
      await this.#locals.note(this.#options.client, part.locals, query.values ?? []);
    }
    return this.#send(query, part, apart);
  }

  async #send(query: Submittable, { text, start, control, ending }: Statement, apart: boolean): Promise<boolean> {
    if (this.#pending !== undefined) await this.#pending;
    const outcome = await relay(this.#options.client, query, apart ? text : undefined, (error) => {
      const at = Number((error as Partial<DatabaseError>).position);
      if (apart && at > 0) Object.assign(error, { position: String(at + start) });
    });
    if (outcome.kind === "done") {
      if (control !== undefined && "name" in control) this.#noteSavepoint(control);
      if (ending !== undefined) this.#endings.note(ending);
      return true;
    }
    // An error without a severity comes from the driver, which refused a value and sent nothing. The transaction has not failed.
    if ((outcome.error as Partial<DatabaseError>).severity !== undefined) this.#state = "failed";
    return false;
  }

  /**
   * Executes a statement about transactions.
   *
   * @returns `true` if the statement was executed, an error to report, or `undefined` if the caller must send the statement
   */
  async #control(query: Submittable, control: Control, several: boolean): Promise<true | DatabaseError | undefined> {
    const done = (tag: string): true => {
      query.handleCommandComplete?.({ text: tag }, this.#options.client.connection);
      return true;
    };
    switch (control.kind) {
      case "begin":
        if (this.#state === "failed") return undefined;
        if (!this.#implicit) this.#options.warn("there is already a transaction in progress", "25001");
        this.#implicit = false;
        await this.#access(control.readOnly);
        return done(control.tag);
      case "commit":
      case "rollback": {
        const { chain, kind } = control;
        const word = kind.toUpperCase();
        if (this.#implicit) {
          if (chain) return this.#error("25P01", `${word} AND CHAIN can only be used in transaction blocks`);
          this.#options.warn("there is no transaction in progress", "25P01");
        }
        // After AND CHAIN, the next transaction is also read-only. The server forgets the access mode if the transaction has failed without a
        // savepoint.
        const readOnly = this.#readOnly && (this.#state === "open" || this.#savepoints.length > 0);
        const commits = kind === "commit" && this.#state === "open";
        if (commits) {
          const error = await this.#commit();
          if (error !== undefined) return error as DatabaseError;
        } else this.#rollback();
        if (chain) {
          [this.#state, this.#implicit] = ["open", false];
          await this.#access(readOnly);
        }
        // The statements after COMMIT in the same text are an implicit transaction. An implicit transaction without statements costs nothing.
        else [this.#state, this.#implicit] = ["open", true];
        return done(commits ? "COMMIT" : "ROLLBACK");
      }
      case "savepoint":
      case "release":
      case "rollback to":
        if (this.#implicit && this.#state === "open") return this.#error("25P01", `${control.tag} can only be used in transaction blocks`);
        // The target's savepoints must end with its transaction. Releasing an earlier savepoint ends them. The savepoint of a checkpoint is never
        // released, so make another savepoint first.
        if (control.kind === "savepoint") this.#apart();
        return undefined;
      case "set transaction":
        if (this.#state === "failed") return undefined;
        await this.#access(control.readOnly);
        return done("SET");
      case "set constraints":
        this.#constraintsSet = true;
        return undefined;
      case "block only":
        if (!this.#implicit || several) return undefined;
        return this.#error("25P01", `${control.tag} can only be used in transaction blocks`);
      case "two-phase":
        if (this.#state === "failed") return undefined;
        this.#rollback();
        if (control.tag !== "PREPARE TRANSACTION") return this.#error("42704", "prepared transaction does not exist");
        return this.#error("55000", "prepared transactions are disabled");
    }
  }

  #noteSavepoint({ kind, name }: { readonly kind: string; readonly name: string }): void {
    if (kind === "savepoint") return void this.#savepoints.push(name);
    const at = this.#savepoints.lastIndexOf(name);
    if (kind === "rollback to") this.#state = "open";
    if (at >= 0) this.#savepoints.length = kind === "release" ? at : at + 1;
  }

  /**
   * If `readOnly` is `true`, makes a savepoint and then makes the transaction read-only. Releasing this savepoint makes the exploring transaction
   * read-write again.
   */
  async #access(readOnly: boolean | undefined): Promise<void> {
    if (readOnly !== true) return;
    this.#readOnly = true;
    this.#apart();
    await this.#pending;
    this.#background("set transaction read only");
  }

  /** Commits the target's transaction. If a constraint is violated, rolls everything back and returns the error. */
  async #commit(): Promise<Error | undefined> {
    const { deferred, client } = this.#options;
    const before = this.#kept ? [] : [`release savepoint ${savepointAt(this.#depth)}`];
    const depth = this.#kept ? this.#depth + 1 : this.#depth;
    const next = [...this.#endings.take(), ...before, ...this.#locals.restore(), `savepoint ${savepointAt(depth)}`].join("; ");
    const checks = deferred.length > 0 || this.#constraintsSet;
    this.#reset();
    if (this.#pending !== undefined) await this.#pending;
    if (!checks) {
      this.#background(next);
      [this.#depth, this.#kept, this.#split] = [depth, false, false];
      return undefined;
    }
    const later = deferred.length > 0 ? `set constraints ${deferred.join(", ")} deferred; ` : "";
    try {
      await client.query(`set constraints all immediate; ${later}${next}`);
      [this.#depth, this.#kept, this.#split] = [depth, false, false];
      return undefined;
    } catch (error) {
      this.#undo();
      return error as Error;
    }
  }

  #rollback(): void {
    this.#reset();
    this.#undo();
  }

  #undo(): void {
    this.#endings.forget();
    if (this.#split) this.wentBack(this.#depth - 1);
    this.#background(this.undo);
  }

  #reset(): void {
    this.#state = "idle";
    this.#implicit = false;
    this.#readOnly = false;
    this.#savepoints = [];
    this.#constraintsSet = false;
    this.#locals.forget();
  }

  /** Makes a new savepoint if the current savepoint belongs to a checkpoint. The end of the transaction can then release the new savepoint. */
  #apart(): void {
    if (!this.#kept || this.#state === "failed") return;
    [this.#depth, this.#kept, this.#split] = [this.#depth + 1, false, true];
    this.#background(`savepoint ${savepointAt(this.#depth)}`);
  }

  /** Sends a command without waiting for its answer. Later commands are sent after this command. */
  #background(text: string): void {
    const before = this.#pending;
    const doing = (before === undefined ? this.#options.client.query(text) : before.then(() => this.#options.client.query(text)))
      .catch((error: Error) => void (this.#broken ??= error))
      .then(() => {
        if (this.#pending === doing) this.#pending = undefined;
      });
    this.#pending = doing;
  }

  #error(code: string, message: string): DatabaseError {
    const error = new this.#options.DatabaseError(message, message.length, "error");
    return Object.assign(error, { code, severity: "ERROR" });
  }
}

/**
 * Remembers the values that settings had before SET LOCAL. COMMIT resets such settings, but releasing a savepoint does not reset them. The statements
 * of `restore` therefore set the old values again.
 */
class LocalSettings {
  readonly #before = new Map<string, string | null>();

  /** Reads and remembers the current values of the settings that a statement will change with SET LOCAL. */
  async note(client: Client, locals: readonly LocalSetting[], values: readonly unknown[]): Promise<void> {
    for (const { name, onlyIf } of locals) {
      const setting = typeof name === "string" ? name : values[name - 1];
      if (typeof setting !== "string" || this.#before.has(setting.toLowerCase())) continue;
      if (onlyIf !== undefined && NO.has(values[onlyIf - 1])) continue;
      const { rows } = await client.query<{ v: string | null }>("select current_setting($1, true) as v", [setting]);
      this.#before.set(setting.toLowerCase(), rows[0]?.v ?? null);
    }
  }

  /** Returns the SQL statements that set the settings back. A setting that did not exist before becomes empty, as after a COMMIT. */
  restore(): string[] {
    const calls = [...this.#before]
      .toReversed()
      .map(([name, value]) => `pg_catalog.set_config(${quoteText(name)}, ${quoteText(value ?? "")}, true)`);
    return calls.length === 0 ? [] : [`select ${calls.join(", ")}`];
  }

  forget(): void {
    this.#before.clear();
  }
}
