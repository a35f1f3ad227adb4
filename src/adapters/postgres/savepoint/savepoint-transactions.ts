import type { Client, DatabaseError } from "pg";
import { fail, relay, succeed, type Submittable } from "./shared-connection-relay.ts";
import { Endings } from "./savepoint-endings.ts";
import { LocalSettings } from "./savepoint-locals.ts";
import { statementsOf, type Control, type Statement } from "./savepoint-statements.ts";

/** Returns the name of a checkpoint's savepoint. Depth 0 is the root state. */
export function savepointAt(depth: number): string {
  return `seqqa_${depth}`;
}

export interface TransactionsOptions {
  readonly client: Client;
  readonly DatabaseError: typeof DatabaseError;
  /** The quoted names of the constraints that are initially deferred. */
  readonly deferred: readonly string[];
  /** Called with the command tag of each executed statement, e.g. `INSERT 0 1`. */
  readonly executed: (tag: string) => void;
  readonly warn: (message: string, code: string) => void;
}

/**
 * Matches a change of the access mode. A read-only transaction cannot become read-write again, except by releasing the savepoint in which it became
 * read-only.
 */
const READ_ONLY_SETTING = /\btransaction_read_only\b/i;
const ORDINARY: Statement = { text: "", start: 0, control: undefined, locals: [], ending: undefined };

/**
 * Replaces the target's transactions by savepoints in the exploring transaction. A statement outside of a transaction is a transaction of its own, so
 * a failure undoes that statement only. Between transactions there is always an unused savepoint to which the next one can be rolled back, so BEGIN
 * sends nothing. COMMIT makes the next savepoint without waiting for the answer. A checkpoint keeps the present one.
 */
export class TargetTransactions {
  readonly #options: TransactionsOptions;
  #state: "idle" | "open" | "failed" = "idle";
  /** `true` if the transaction is implicit: the server's own, around a single text. */
  #implicit = false;
  #readOnly = false;
  /** The target's own savepoints, the innermost last. */
  #savepoints: string[] = [];
  #constraintsSet = false;
  readonly #locals = new LocalSettings();
  /** The depth of the savepoint to which the target's next changes can be rolled back. */
  #depth = 0;
  /** `true` if the savepoint at `#depth` belongs to a checkpoint, so that COMMIT must not release it. */
  #kept = true;
  /** `true` if the transaction began at a checkpoint's savepoint and made its own savepoint later. */
  #split = false;
  readonly #endings = new Endings();
  #pending: Promise<unknown> | undefined;
  #broken: Error | undefined;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /** The transaction status, as in the driver: idle, in a transaction, or in a failed transaction. */
  get status(): "I" | "T" | "E" {
    return this.#state === "idle" ? "I" : this.#state === "open" ? "T" : "E";
  }

  /** Waits for the commands that were sent in the background. @throws the first error of such a command, after which the connection cannot be used */
  async settled(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#options.client.getTransactionStatus() === "I") throw new Error("the target ended it");
  }

  /** Makes a checkpoint of the present savepoint. The target must have no open transaction. @returns the depth of the savepoint */
  async keep(): Promise<number> {
    if (this.#kept) await this.#options.client.query(`savepoint ${savepointAt(++this.#depth)}`);
    this.#kept = true;
    return this.#depth;
  }

  /** Records that the exploring transaction was rolled back to a checkpoint. */
  wentBack(depth: number): void {
    this.#depth = depth;
    this.#kept = true;
    this.#split = false;
  }

  /** The command that undoes everything since the target's last commit. */
  get undo(): string {
    return `rollback to savepoint ${savepointAt(this.#depth)}`;
  }

  /** Executes the target's query, or the statements that replace it, and reports the outcome to the query. */
  async run(query: Submittable): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    const statements = typeof query.text === "string" ? statementsOf(query.text) : [];
    const bound = (query.values?.length ?? 0) > 0;
    const special = statements.some(({ control, locals, ending }) => control !== undefined || ending !== undefined || locals.length > 0);
    if (typeof query.text === "string" && READ_ONLY_SETTING.test(query.text)) this.#apart();
    // Several statements with values are sent as one text, so that the server refuses them as usual.
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

  /** Executes one statement of a query. Reports a failure to the query. @returns `true` if it succeeded */
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
      for (const tag of outcome.tags) this.#options.executed(tag);
      if (control !== undefined && "name" in control) this.#noteSavepoint(control);
      if (ending !== undefined) this.#endings.note(ending);
      return true;
    }
    // The driver refused a value before it sent the query, so the transaction has not failed.
    if ((outcome.error as Partial<DatabaseError>).severity !== undefined) this.#state = "failed";
    return false;
  }

  /**
   * Executes a statement about transactions. @returns `true` if it was executed, an error to report, or `undefined` if the caller must send the
   * statement itself
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
        // The server forgets the access mode of a failed transaction, unless the failure was above a savepoint.
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
        // The rest of the text is in a new implicit transaction, which costs nothing if the text has ended.
        else [this.#state, this.#implicit] = ["open", true];
        return done(commits ? "COMMIT" : "ROLLBACK");
      }
      case "savepoint":
      case "release":
      case "rollback to":
        if (this.#implicit && this.#state === "open") return this.#error("25P01", `${control.tag} can only be used in transaction blocks`);
        // The target's savepoints end with its transaction when a savepoint below them is released. A checkpoint's savepoint is never released, so
        // make another one.
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

  /** Makes the transaction read-only above a savepoint of its own. Releasing that savepoint restores the previous access mode. */
  async #access(readOnly: boolean | undefined): Promise<void> {
    if (readOnly !== true) return;
    this.#readOnly = true;
    this.#apart();
    await this.#pending;
    this.#background("set transaction read only");
  }

  /** Commits the target's transaction. @returns the error of a violated constraint, after which everything was rolled back */
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

  /** If the present savepoint belongs to a checkpoint, makes another one, which is released at the end of the transaction. */
  #apart(): void {
    if (!this.#kept || this.#state === "failed") return;
    [this.#depth, this.#kept, this.#split] = [this.#depth + 1, false, true];
    this.#background(`savepoint ${savepointAt(this.#depth)}`);
  }

  /** Sends a command without waiting for its answer. Later commands are sent after it. */
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
