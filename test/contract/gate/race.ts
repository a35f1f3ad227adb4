import type { Gate, HeldWrite } from "../../../src/model/stores/store-adapter.ts";

/** A connection of the target. */
export interface Session {
  /** The rows of a statement, each an array. Fails as the driver does. */
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  end(): Promise<void>;
  /** Ends it on the server, whatever it does. */
  kill(): Promise<void>;
}

export type Call = () => Promise<unknown>;

export interface RaceResult {
  readonly held: HeldWrite | undefined;
  /** What the second call waited for. */
  readonly blocked: string | undefined;
  /** What each call came to: its value, or its error. */
  readonly ends: readonly unknown[];
}

/** Two calls as a trial sends them: the first until it is held, then the second until it is done or blocked, then both to their ends. */
export async function race(gate: Gate, write: number, first: Call, second: Call): Promise<RaceResult> {
  await gate.arm(write);
  const one = settled(first);
  const held = await gate.held(one);
  let ended = false;
  const other = settled(second).finally(() => (ended = true));
  let blocked: string | undefined;
  while (held !== undefined && !ended && blocked === undefined) {
    const view = await gate.view();
    if (view.kind === "blocked") blocked = view.by;
    else await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 3))]);
  }
  await gate.release();
  return { held, blocked, ends: await Promise.all([one, other]) };
}

export function settled(call: Call): Promise<unknown> {
  return call().catch((error: unknown) => error);
}

/** The statements one after the other, in one transaction that ends with them, whatever comes. */
export function transaction(session: Session, statements: readonly (string | ((rows: readonly (readonly unknown[])[]) => string))[]): Call {
  return async () => {
    await session.run("begin");
    let rows: readonly (readonly unknown[])[] = [];
    try {
      for (const one of statements) rows = await session.run(typeof one === "string" ? one : one(rows));
      await session.run("commit");
    } catch (error) {
      await session.run("rollback");
      throw error;
    }
  };
}
