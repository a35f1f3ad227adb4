import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkpoint, HeldWrite, StoreAdapter, WriteFault, WriteFaults } from "../../../src/model/stores/store-adapter.ts";

/** A connection of the target. */
export interface TargetSession {
  /** Returns the rows of a statement, each an array. Fails as the driver does. */
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  end(): Promise<void>;
  /** Ends the connection as the death of its process does. */
  die?(): void;
}

/** A store that is opened with `faulty`, with {@link FAULTS_SCHEMA}. */
export interface FaultsSubject {
  readonly system: StoreAdapter;
  session(): Promise<TargetSession>;
  close(): Promise<void>;
}

export interface FaultsContract {
  readonly subject: (faulty: boolean) => Promise<FaultsSubject>;
  readonly kinds: readonly WriteFault[];
  /** `true` if a statement with two rows counts as two writes. */
  readonly countsRows: boolean;
}

export const FAULTS_SCHEMA: readonly string[] = [
  "create table orders(id int primary key, paid int not null)",
  "create table payments(id int primary key, n int)",
  "insert into orders values (1, 0), (2, 0)",
];

const INSERT = "insert into payments values (1, 5)";
const UPDATE = "update orders set paid = 1 where id = 1";

/** The behaviour of write faults in every store that has them. To be called inside a `describe`. */
export function faultsContract({ subject, kinds, countsRows }: FaultsContract): void {
  let opened: FaultsSubject;
  let faults: WriteFaults;
  let session: TargetSession;
  let dump: string;
  let mark: Checkpoint;

  beforeEach(async () => {
    opened = await subject(true);
    const found = opened.system.writeFaults?.();
    if (found?.kind !== "faults") throw new Error(found?.why ?? "it has no faults");
    faults = found;
    await opened.system.root();
    session = await opened.session();
    dump = await opened.system.dump();
    mark = await opened.system.mark();
  });
  afterEach(async () => {
    await faults.disarm();
    await session.end().catch(() => undefined);
    await opened.close();
  });

  /** Restores the root, and gives the target a new connection if it lost the old one. */
  async function back(): Promise<void> {
    await session.end().catch(() => undefined);
    await opened.system.restore(mark);
    session = await opened.session();
  }

  async function count(call: () => Promise<unknown>): Promise<number> {
    await faults.watch();
    const number = await faults.watched(call());
    await back();
    return number;
  }

  async function fail(
    write: number,
    fault: WriteFault,
    call: () => Promise<unknown>,
  ): Promise<{ readonly failed: HeldWrite | undefined; readonly end: unknown }> {
    await faults.arm(write, fault);
    const done = call().catch((error: unknown) => error);
    const failed = await faults.failed(done, () => Promise.resolve(session.die!()));
    const end = await done;
    await faults.disarm();
    return { failed, end };
  }

  const two = async (): Promise<void> => {
    await session.run(INSERT);
    await session.run(UPDATE);
  };

  test("a store says which faults it can make", () => {
    expect(faults.kinds).toEqual(kinds);
  });

  test("writes are counted, none fails, and nothing of the counting stays", async () => {
    expect(await count(two)).toBe(2);
    expect(await count(async () => session.run("select 1"))).toBe(0);
    expect(await count(async () => session.run("update orders set paid = 2"))).toBe(countsRows ? 2 : 1);
    expect(await opened.system.dump()).toBe(dump);
  });

  test.each(kinds)("the first write fails (%s): its error arrives, and the second is not made", async (kind) => {
    await count(two);
    const { failed, end } = await fail(1, kind, two);
    expect(failed).toEqual({ statement: "INSERT payments" });
    expect(end).toBeInstanceOf(Error);
    expect(await opened.system.changed(mark)).toBe(false);
    await back();
    expect(await opened.system.dump()).toBe(dump);
  });

  test.each(kinds)("the second write fails (%s): the first stays where no transaction undoes it", async (kind) => {
    await count(two);
    const { failed, end } = await fail(2, kind, two);
    expect(failed).toEqual({ statement: "UPDATE orders" });
    expect(end).toBeInstanceOf(Error);
    await back();
    await opened.system.restore(mark);
    const other = await opened.session();
    await count(two);
    await fail(2, kind, two);
    expect(await other.run("select id from payments")).toEqual([[1]]);
    expect(await other.run("select paid from orders where id = 1")).toEqual([[0]]);
    await other.end();
    await back();
    expect(await opened.system.dump()).toBe(dump);
  });

  test.each(kinds)("in a transaction both writes are undone (%s)", async (kind) => {
    const both = async (): Promise<void> => {
      await session.run("begin");
      try {
        await two();
        await session.run("commit");
      } catch (error) {
        await session.run("rollback").catch(() => undefined);
        throw error;
      }
    };
    await count(both);
    for (const write of [1, 2]) {
      const { failed, end } = await fail(write, kind, both);
      expect(failed).toBeDefined();
      expect(end).toBeInstanceOf(Error);
      await back();
      expect(await opened.system.dump()).toBe(dump);
    }
  });

  test("after the fault the same connection writes again, an error in between or not", async () => {
    await count(two);
    await fail(1, "error", two);
    await two();
    expect(await session.run("select count(*) from payments")).toEqual([[1]]);
    await fail(1, "error", async () => session.run("select 1"));
    await back();
    expect(await opened.system.dump()).toBe(dump);
  });

  test("without the request for faults there are none, and why", async () => {
    const plain = await subject(false);
    try {
      expect(plain.system.writeFaults?.()).toMatchObject({ kind: "none" });
    } finally {
      await plain.close();
    }
  });
}
