import type { Connection } from "mysql2/promise";
import { errnoOf, isLost } from "../connect/failures.ts";
import { likeServer, rollsBackAll, savepointLost, statementRefused } from "./savepoint-failures.ts";
import type { Statement } from "./savepoint-kinds.ts";
import { statementOf } from "./savepoint-statements.ts";
import { TemporaryTables } from "./savepoint-temporary.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** An answer of `mysql2/promise`: first the rows or a result header, then the columns. */
export type Answer = readonly [unknown, unknown];

export interface Request {
  /** The SQL text. If the effect on transactions depends on values, the values replace the placeholders of the text. */
  readonly text: string;
  readonly send: (connection: Connection) => Promise<Answer>;
}

/** The transaction settings of one of the target's connections. */
export interface Party {
  /** The value of autocommit. `undefined` for the value that the shared connection had when the exploration began. */
  autocommit: boolean | undefined;
  /** `true` after SET TRANSACTION READ ONLY, until the next transaction begins. */
  nextReadOnly: boolean;
}

export interface TransactionsOptions {
  readonly store: StoreUrl;
  readonly connection: Connection;
  readonly autocommit: boolean;
  /** `true` if the server rolls back the whole transaction after a lock wait timeout (setting `innodb_rollback_on_timeout`). */
  readonly rollbackOnTimeout: boolean;
}

/** Returns the name of the savepoint of a checkpoint. Depth 0 is the root state. */
export function savepointAt(depth: number): string {
  return `seqqa_${depth}`;
}

const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;
const MISSING_SAVEPOINT = 1305;
const NOT_COMPLETE = 1196;
const OWN = "seqqa_tx";
const PROBE = "seqqa_probe";

/**
 * Replaces the target's transactions by savepoints in the exploring transaction, and refuses statements that would end the exploring transaction.
 * Outside of a transaction, a statement needs no savepoint, because InnoDB undoes a failed statement itself. If the exploring transaction ends
 * nevertheless, the status flags in the server's answer show this end, and every later statement fails.
 */
export class TargetTransactions {
  readonly temporary: TemporaryTables = new TemporaryTables();
  readonly #options: TransactionsOptions;
  /** The connection of the target that has an open transaction, or `undefined`. */
  #open: Party | undefined;
  #readOnly = false;
  #depth = 0;
  #broken: Error | undefined;
  /** The error for the last refused statement. {@link takeRefused} clears this error. */
  #refused: Error | undefined;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  get open(): boolean {
    return this.#open !== undefined;
  }

  get broken(): Error | undefined {
    return this.#broken;
  }

  /**
   * Returns the error for the last refused statement, and clears this error. The target may have caught the error, so the caller also reports the
   * error.
   */
  takeRefused(): Error | undefined {
    const refused = this.#refused;
    this.#refused = undefined;
    return refused;
  }

  /** Makes the savepoint of a checkpoint. The target must have no open transaction. @returns the depth of the savepoint */
  async keep(): Promise<number> {
    await this.temporary.requirePutBack(this.#options.store, this.#options.connection);
    await this.#own(`savepoint ${savepointAt(++this.#depth)}`);
    this.temporary.depth = this.#depth;
    return this.#depth;
  }

  /** Rolls back to the savepoint of a checkpoint. The savepoint still exists afterwards. */
  async goBack(depth: number): Promise<void> {
    const answer = await this.#own(`rollback to savepoint ${savepointAt(depth)}`);
    await this.#requireComplete(answer);
    this.#depth = depth;
    this.#refused = undefined;
    for (const sql of this.temporary.removal(depth)) await this.#own(sql);
    this.temporary.depth = depth;
  }

  /**
   * Throws if a rollback did not undo everything, because the target changed a table without transactions in another database. In this case, the
   * server adds a warning to the rollback. Temporary tables cause the same warning, so nothing is checked if the target has used a temporary table.
   */
  async #requireComplete(answer: Answer): Promise<void> {
    if (this.temporary.any || !headersOf(answer).some(({ warningStatus }) => warningStatus > 0)) return;
    const [warnings] = await this.#options.connection.query({ sql: "show warnings", rowsAsArray: true });
    if ((warnings as unknown as [string, number][]).some(([, code]) => Number(code) === NOT_COMPLETE))
      throw this.#lose(
        "the target wrote to another database, to a table whose engine has no transactions, and seqqa cannot undo this write",
      );
  }

  async run(party: Party, request: Request): Promise<Answer> {
    if (this.#broken !== undefined) throw this.#broken;
    const statement = statementOf(request.text);
    const answer = await this.#step(party, statement, request);
    return this.#asAlone(party, answer);
  }

  async abandon(party: Party): Promise<void> {
    if (this.#open === party) await this.#end("rollback");
  }

  async #step(party: Party, statement: Statement, request: Request): Promise<Answer> {
    switch (statement.kind) {
      case "ordinary":
        if (statement.writes && this.#readOnly) throw readOnlyError(request.text);
        if (statement.opens) await this.#openUnlessAutocommit(party);
        return this.#send(request);
      case "opaque":
        await this.#openUnlessAutocommit(party);
        return this.#probed(request);
      case "create temporary": {
        const known = this.temporary.has(statement.name);
        if (known && statement.replaces) this.#requireOwn([statement.name], "CREATE OR REPLACE TEMPORARY TABLE");
        const answer = await this.#send(request);
        this.temporary.made(statement.name);
        return answer;
      }
      case "drop temporary": {
        this.#requireOwn(statement.names, "DROP TEMPORARY TABLE");
        const answer = await this.#send(request);
        this.temporary.gone(statement.names);
        return answer;
      }
      case "begin":
        await this.#end("commit");
        return this.#begin(party, statement.readOnly || party.nextReadOnly);
      case "commit":
      case "rollback": {
        const readOnly = this.#readOnly;
        const answer = await this.#end(statement.kind);
        return statement.chain ? this.#begin(party, readOnly) : answer;
      }
      case "savepoint":
        // With autocommit on and no open transaction, a savepoint ends with its own statement. Therefore do not send SAVEPOINT.
        await this.#openUnlessAutocommit(party);
        return this.open ? this.#send(request) : this.#nothing();
      case "release":
      case "rollback to":
        return this.#send(request);
      case "autocommit": {
        const { rest } = statement;
        if (rest !== undefined) await this.#send({ text: rest, send: (connection) => connection.query(rest) });
        if (statement.on && !this.#autocommit(party)) await this.#end("commit");
        party.autocommit = statement.on;
        return this.#nothing();
      }
      case "set transaction":
        if (this.open) throw characteristicsError(request.text);
        party.nextReadOnly = statement.readOnly;
        return this.#nothing();
      case "nothing":
        return this.#nothing();
      case "refused":
        throw this.#refuse(statement.what, statement.why, statement.instead);
    }
  }

  #refuse(what: string, why: string, instead: string): Error {
    const error = statementRefused(this.#options.store, what, why, instead);
    this.#refused ??= error;
    return error;
  }

  /**
   * Throws if a statement drops or replaces a temporary table that was created before the newest checkpoint, because a rollback cannot undo this
   * change.
   */
  #requireOwn(names: readonly string[], what: string): void {
    const name = names.find((one) => this.temporary.isKept(one));
    if (name === undefined) return;
    throw this.#refuse(
      `${what} ${name}`,
      "the target created this temporary table in an earlier request, so seqqa could not undo the change",
      "Drop each temporary table in the request that creates it",
    );
  }

  #autocommit(party: Party): boolean {
    return party.autocommit ?? this.#options.autocommit;
  }

  async #openUnlessAutocommit(party: Party): Promise<void> {
    if (!this.open && !this.#autocommit(party)) await this.#begin(party, party.nextReadOnly);
  }

  async #begin(party: Party, readOnly: boolean): Promise<Answer> {
    const answer = await this.#own(`savepoint ${OWN}`);
    this.#open = party;
    this.#readOnly = readOnly;
    party.nextReadOnly = false;
    return answer;
  }

  /** Ends the target's transaction. Does nothing if no transaction is open, because the server does the same. */
  async #end(how: "commit" | "rollback"): Promise<Answer> {
    if (!this.open) return this.#nothing();
    this.#open = undefined;
    this.#readOnly = false;
    if (how === "rollback") await this.#own(`rollback to savepoint ${OWN}`);
    // Releasing the savepoint of the transaction also releases all later savepoints, including the target's own savepoints.
    return this.#own(`release savepoint ${OWN}`);
  }

  #nothing(): Promise<Answer> {
    return this.#own("do 0");
  }

  /**
   * Executes a CALL or EXECUTE, which may contain a COMMIT, after setting a savepoint. A COMMIT removes the savepoint, so releasing the savepoint
   * fails. The status flags alone would not show a COMMIT AND CHAIN.
   */
  async #probed(request: Request): Promise<Answer> {
    await this.#own(`savepoint ${PROBE}`);
    try {
      return await this.#send(request);
    } finally {
      if (this.#broken === undefined) await this.#own(`release savepoint ${PROBE}`);
    }
  }

  async #send({ send }: Request): Promise<Answer> {
    try {
      const answer = await send(this.#options.connection);
      for (const header of headersOf(answer))
        if ((header.serverStatus & IN_TRANSACTION) === 0) throw this.#lose("a statement of the target ended the transaction");
      return answer;
    } catch (error) {
      if (rollsBackAll(error) || (errnoOf(error) === 1205 && this.#options.rollbackOnTimeout))
        this.#lose("the server rolled back the whole transaction", error);
      throw error;
    }
  }

  async #own(sql: string): Promise<Answer> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return await this.#send({ text: sql, send: (connection) => connection.query(sql) });
    } catch (error) {
      if (errnoOf(error) === MISSING_SAVEPOINT) throw this.#lose("a statement of the target ended the transaction");
      if (!isLost(error)) this.#lose("the server refused a savepoint", error);
      throw this.#broken ?? error;
    }
  }

  #lose(why: string, error?: unknown): Error {
    this.#open = undefined;
    return (this.#broken ??= savepointLost(this.#options.store, why, error));
  }

  /** Changes the status flags of an answer so that they describe the target's own transaction and not the exploring transaction. */
  #asAlone(party: Party, answer: Answer): Answer {
    const inside = (this.open ? IN_TRANSACTION : 0) | (this.#autocommit(party) ? AUTOCOMMIT : 0);
    for (const header of headersOf(answer)) header.serverStatus = (header.serverStatus & ~(IN_TRANSACTION | AUTOCOMMIT)) | inside;
    return answer;
  }
}

interface Header {
  serverStatus: number;
  readonly warningStatus: number;
}

/** Returns the result headers of an answer. A procedure returns several results, of which only the last result is a header. */
function headersOf([result]: Answer): Header[] {
  const all: readonly unknown[] = Array.isArray(result) ? result.slice(-1) : [result];
  return all.filter((one): one is Header => typeof one === "object" && one !== null && !Array.isArray(one) && isHeader(one));
}

/** Returns `true` for a result header. Compares the class, because a row can have columns with the same names. */
function isHeader(one: object): boolean {
  return one.constructor?.name === "ResultSetHeader";
}

function readOnlyError(sql: string): Error {
  return likeServer(1792, "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION", "25006", "Cannot execute statement in a READ ONLY transaction", sql);
}

function characteristicsError(sql: string): Error {
  const message = "Transaction characteristics can't be changed while a transaction is in progress";
  return likeServer(1568, "ER_CANT_CHANGE_TX_CHARACTERISTICS", "25001", message, sql);
}
