import type { Gate, GateView, HeldWrite } from "../../../model/stores/store-adapter.ts";
import { lookUntil } from "../../../stores/look-until.ts";
import { Writing, type Control } from "../connect/control.ts";
import { armSql, blockedSql, HELD_SQL, RELEASE_SQL } from "./gate-sql.ts";
import { shownName } from "../connect/sql-text.ts";

/** Holds a session of the target by an advisory lock of the control connection. */
export class PostgresGate implements Gate {
  readonly kind = "gate";
  readonly #control: Control;
  readonly #limitMs: number;
  #armed = false;
  #pid: string | undefined;

  constructor(control: Control, limitMs: number) {
    this.#control = control;
    this.#limitMs = limitMs;
  }

  async arm(write: number): Promise<void> {
    if (!Number.isSafeInteger(write) || write < 1) throw new RangeError(`A write is counted from 1, and this is ${write}.`);
    await this.release();
    await this.#control.inTurn(() =>
      this.#control.patiently(async () => {
        const [row] = await this.#control.rows(armSql(write));
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

  async release(): Promise<void> {
    if (!this.#armed) return;
    this.#armed = false;
    this.#pid = undefined;
    // A lock that cannot be released ends with its session.
    await this.#control.inTurn(() => this.#control.rows(RELEASE_SQL)).catch(() => this.#control.close());
  }
}

function lockText([kind, schema, table]: readonly (string | null)[]): string {
  const name = typeof table === "string" ? shownName(schema ?? "", table) : undefined;
  if (kind === "transactionid" || name === undefined) return kind === "advisory" ? "an advisory lock" : "the end of its transaction";
  return kind === "tuple" ? `a row of ${name}` : `table ${name}`;
}
