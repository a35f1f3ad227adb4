import type { GateView, HeldWrite, WriteFault } from "../../../model/stores/store-adapter.ts";
import { untilGone, type FailingGate } from "../../../stores/gate/gate-faults.ts";
import { lookUntil } from "../../../stores/gate/look-until.ts";
import type { Table } from "../schema/catalog.ts";
import { Writing, type Control } from "../connect/control.ts";
import { isDenied, isGone } from "../connect/failures.ts";
import {
  armSql,
  doorsWithout,
  DOORS,
  endSql,
  faultSql,
  gateLocks,
  hereSql,
  leftSql,
  openSql,
  whereSql,
  type GateLocks,
} from "./gate-sql.ts";
import { innodbWaits } from "./innodb-waits.ts";
import { named } from "../connect/sql-text.ts";

/**
 * Holds a write by the target: the write waits for a user lock ("door") of the control connection. Each write of a call waits at its own door. seqqa
 * opens every door except the last door as soon as a session waits at the door. In this way, seqqa also counts the writes of a call.
 */
export class MysqlGate implements FailingGate {
  readonly kind = "gate";
  readonly faults: FailingGate["faults"] = { kinds: ["error", "cut", "kill"], missing: {} };
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #limitMs: number;
  readonly #locks: GateLocks;
  /** The numbers of the door locks that seqqa holds. Empty if the gate is not armed. */
  #doors: readonly number[] = [];
  /** The numbers of doors at which ended writes have left locks. */
  #left: readonly number[] = [];
  #passed = 0;
  #session: string | undefined;
  #isFaulty = false;

  constructor(control: Control, tables: readonly Table[], limitMs: number) {
    this.#control = control;
    this.#tables = tables;
    this.#limitMs = limitMs;
    this.#locks = gateLocks(control.store.database);
  }

  async arm(write: number): Promise<void> {
    if (!Number.isSafeInteger(write) || write < 1)
      throw new RangeError(
        `seqqa cannot select write ${write} of a call, because writes are counted from 1. This is a defect of seqqa: please report it.`,
      );
    await this.release();
    if (this.#isFaulty) await this.#control.inTurn(() => this.#control.rows(faultSql(this.#locks, false)));
    this.#isFaulty = false;
    // The gate has no door for this write, so the call is not held.
    if (write > DOORS) return;
    await this.#control.inTurn(() =>
      this.#control.patiently(async () => {
        const doors = doorsWithout(this.#left, write);
        const [[taken, ...got] = []] = await this.#control.rows(armSql(this.#locks, doors));
        this.#doors = doors;
        this.#passed = 0;
        if (doors.length === write && taken === null && got.every((one) => one === "1")) return;
        await this.#open();
        this.#left = (await this.#control.rows(leftSql(this.#locks))).map(([door]) => Number(door));
        throw new Writing(`session ${taken ?? ""} still holds a lock of an earlier write`);
      }, this.#limitMs),
    );
  }

  watch(): Promise<void> {
    return this.arm(DOORS);
  }

  /** Waits for a call and counts its writes, up to the number of doors. */
  async watched(done: Promise<unknown>): Promise<number> {
    const last = await this.held(done);
    const count = this.#passed + (last === undefined ? 0 : 1);
    await this.release();
    await Promise.allSettled([done]);
    return count;
  }

  async held(done: Promise<unknown>): Promise<HeldWrite | undefined> {
    return lookUntil(() => this.#control.inTurn(() => this.#look()), done);
  }

  async #look(): Promise<HeldWrite | undefined> {
    while (this.#passed < this.#doors.length) {
      const door = this.#doors[this.#passed]!;
      const [[session] = []] = await this.#control.rows(hereSql(this.#locks, door));
      if (typeof session !== "string") return undefined;
      if (this.#passed === this.#doors.length - 1) {
        this.#session = session;
        const places = await this.#control.rows(whereSql(this.#locks, this.#tables.length, door));
        const place = places.find(([, , who]) => who === session);
        return place && { statement: `${place[0]!} ${this.#tables[Number(place[1])]!.name}` };
      }
      this.#passed++;
      await this.#control.rows(openSql(this.#locks, [door], false));
    }
    return undefined;
  }

  async view(): Promise<GateView> {
    const held = this.#session;
    if (held === undefined) return { kind: "running" };
    const by = await this.#control.inTurn(() => this.#waitsFor(held));
    return by === undefined ? { kind: "running" } : { kind: "blocked", by };
  }

  /**
   * Returns a description of the lock for which the other call of the trial waits, or `undefined`. The held call must have this lock, because no
   * third call is running.
   */
  async #waitsFor(held: string): Promise<string | undefined> {
    const others = `select id, state from information_schema.processlist where ${named("db", this.#control.store.database)} and id not in (connection_id(), ${held})`;
    let sessions: (string | null)[][];
    try {
      const [found = [], engine = []] = await this.#control.batch([others, "show engine innodb status"]);
      const row = innodbWaits(engine[0]?.[2] ?? "").find(({ session }) => found.some(([id]) => id === session));
      if (row !== undefined) return `a row of ${row.table}`;
      sessions = found;
    } catch (error) {
      if (!isDenied(error)) throw error;
      // Without the PROCESS privilege, the server shows how many sessions wait for a row, but not which sessions.
      const [found = [], waits = []] = await this.#control.batch([
        others,
        "show global status like 'Innodb\\_row\\_lock\\_current\\_waits'",
      ]);
      if (Number(waits[0]?.[1]) > 0) return "a row";
      sessions = found;
    }
    for (const [, state] of sessions) {
      if (state === "User lock") return "a user lock";
      const lock = /^Waiting for (.* lock)$/.exec(state ?? "")?.[1];
      if (lock !== undefined) return `a ${lock}`;
    }
    return undefined;
  }

  async fail(fault: WriteFault): Promise<boolean> {
    const session = this.#session;
    if (session === undefined) return false;
    let done = true;
    if (fault === "cut") done = await this.#end(session);
    else {
      // The held session checks the fault lock after its release, so take the fault lock before the release. The next `arm` releases the fault lock.
      await this.#control.inTurn(() => this.#control.rows(faultSql(this.#locks, true)));
      this.#isFaulty = true;
    }
    await this.release();
    // The server notices only when the held write fails that the killed client no longer exists. Wait until the session has ended.
    if (fault === "kill") await this.#gone(session, this.#limitMs);
    return done;
  }

  /**
   * Kills a session and waits until the session no longer exists. Opening the door before the end of the session would let the held write succeed.
   * Returns `false` if the database user is not allowed to kill sessions.
   */
  async #end(session: string): Promise<boolean> {
    try {
      await this.#control.inTurn(() => this.#control.rows(endSql(session).end));
    } catch (error) {
      if (isDenied(error)) return false;
      if (!isGone(error)) throw error;
    }
    await this.#gone(session);
    return true;
  }

  #gone(session: string, limitMs?: number): Promise<void> {
    return untilGone(async () => (await this.#control.inTurn(() => this.#control.rows(endSql(session).isThere))).length > 0, limitMs);
  }

  async release(): Promise<void> {
    if (this.#doors.length === 0) return;
    // If the doors cannot be opened, close the connection. The server then releases all locks of its session.
    await this.#control.inTurn(() => this.#open()).catch(() => this.#control.close());
  }

  async #open(): Promise<void> {
    const doors = this.#doors;
    this.#doors = [];
    this.#session = undefined;
    await this.#control.rows(openSql(this.#locks, doors, true));
  }
}
