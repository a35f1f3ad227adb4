import type { GateView, HeldWrite, WriteFault } from "../../../model/stores/store-adapter.ts";
import { untilGone, type FailingGate } from "../../../stores/gate/gate-faults.ts";
import { lookUntil } from "../../../stores/gate/look-until.ts";
import { Writing, type Control } from "../connect/control.ts";
import { armSql, blockedSql, endSql, FAIL_SQL, HELD_SQL, RELEASE_SQL, WATCHED_SQL, watchSql } from "./gate-sql.ts";
import { shownName } from "../connect/sql-text.ts";

/** Holds a write by the target: the write waits for an advisory lock that seqqa's control connection has taken. */
export class PostgresGate implements FailingGate {
  readonly kind = "gate";
  readonly faults: FailingGate["faults"];
  readonly #control: Control;
  readonly #limitMs: number;
  #armed = false;
  #pid: string | undefined;

  constructor(control: Control, limitMs: number) {
    this.#control = control;
    this.#limitMs = limitMs;
    this.faults = control.rights.superuser
      ? { kinds: ["error", "cut", "kill"], missing: {} }
      : {
          kinds: ["error", "kill"],
          missing: { cut: "the role of the store is not a superuser, so seqqa may not end the target's sessions" },
        };
  }

  async arm(write: number): Promise<void> {
    if (!Number.isSafeInteger(write) || write < 1)
      throw new RangeError(
        `seqqa cannot select write ${write} of a call, because writes are counted from 1. This is a defect of seqqa: please report it.`,
      );
    await this.#arm(armSql(write));
  }

  watch(): Promise<void> {
    return this.#arm(watchSql());
  }

  async watched(done: Promise<unknown>): Promise<number> {
    await Promise.allSettled([done]);
    const [row] = await this.#control.inTurn(() => this.#control.rows(WATCHED_SQL));
    await this.release();
    return Number(row![0]);
  }

  async #arm(sql: string): Promise<void> {
    await this.release();
    await this.#control.inTurn(() =>
      this.#control.patiently(async () => {
        const [row] = await this.#control.rows(sql);
        if (row?.[1] !== "t") throw new Writing(row?.[2] ?? "a session");
        this.#armed = true;
      }, this.#limitMs),
    );
  }

  async held(done: Promise<unknown>): Promise<HeldWrite | undefined> {
    return lookUntil(async () => {
      const [row] = await this.#control.inTurn(() => this.#control.rows(HELD_SQL));
      if (row === undefined) return undefined;
      const [pid, kind, schema, table] = row;
      this.#pid = pid!;
      return { statement: `${kind!} ${shownName(schema ?? "", table ?? "")}` };
    }, done);
  }

  async view(): Promise<GateView> {
    const pid = this.#pid;
    if (pid === undefined) return { kind: "running" };
    const [row] = await this.#control.inTurn(() => this.#control.rows(blockedSql(pid)));
    return row === undefined ? { kind: "running" } : { kind: "blocked", by: lockText(row) };
  }

  async fail(fault: WriteFault): Promise<boolean> {
    const pid = this.#pid;
    if (pid === undefined) return false;
    // For `kill`, also end the session if seqqa has the privilege. Otherwise, the server would execute the remaining statements that the killed
    // client has sent.
    if (fault === "cut" || (fault === "kill" && this.faults.kinds.includes("cut"))) await this.#end(pid);
    else await this.#control.inTurn(() => this.#control.rows(FAIL_SQL));
    await this.release();
    // The server notices only when the held write fails that the killed client no longer exists. Wait until the session has ended.
    if (fault === "kill") await this.#gone(pid, this.#limitMs);
    return true;
  }

  /** Ends a session and waits until the session no longer exists. Opening the gate before the end of the session would let the held write succeed. */
  async #end(pid: string): Promise<void> {
    await this.#control.inTurn(() => this.#control.rows(endSql(pid).end));
    await this.#gone(pid);
  }

  #gone(pid: string, limitMs?: number): Promise<void> {
    return untilGone(async () => (await this.#control.inTurn(() => this.#control.rows(endSql(pid).isThere))).length > 0, limitMs);
  }

  async release(): Promise<void> {
    if (!this.#armed) return;
    this.#armed = false;
    this.#pid = undefined;
    // If the lock cannot be released, close the connection. The server then releases the lock.
    await this.#control.inTurn(() => this.#control.rows(RELEASE_SQL)).catch(() => this.#control.close());
  }
}

function lockText([kind, schema, table]: readonly (string | null)[]): string {
  const name = typeof table === "string" ? shownName(schema ?? "", table) : undefined;
  if (kind === "transactionid" || name === undefined) return kind === "advisory" ? "an advisory lock" : "the end of its transaction";
  return kind === "tuple" ? `a row of ${name}` : `table ${name}`;
}
