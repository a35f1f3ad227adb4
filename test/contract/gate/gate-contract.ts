import { afterEach, beforeEach, expect, test } from "vitest";
import type { Gate, StoreAdapter } from "../../../src/model/stores/store-adapter.ts";
import type { Removed } from "../../../src/model/stores/store-provider.ts";
import { size, some } from "../../sizes.ts";
import { race, settled, transaction, type Call, type Session } from "./race.ts";

/** An opened store with connections of a target. */
export interface GateSubject {
  readonly system: StoreAdapter;
  readonly url: string;
  session(): Promise<Session>;
  /** Everything that is in the database, triggers and routines included. */
  inventory(): Promise<string>;
  close(): Promise<void>;
}

export interface GateContract {
  /** On a database of its own, with {@link GATE_SCHEMA}; opened unless `closed`. */
  readonly subject: (how: { readonly borrowed: boolean; readonly closed?: boolean }) => Promise<GateSubject>;
  /** Starts a run in another process, by `otherRuns`. */
  readonly start: (body: string) => { said(): Promise<unknown>; kill(): Promise<void> };
  readonly clean: (url: string) => Promise<Removed>;
  /** Ends the sessions of ours, as an administrator would. */
  readonly endOurs: (url: string) => Promise<void>;
  /** An update is held before it has locked its first row: so the other call is done, and not blocked. */
  readonly updatesHeldUnlocked: boolean;
  /** Sets the level of isolation of a session's transactions. */
  readonly isolation: (level: "repeatable read" | "serializable") => string;
  readonly isSerializationFailure: (error: unknown) => boolean;
  readonly isDuplicate: (error: unknown) => boolean;
}

/** For all kinds of databases. A trigger of the user's writes `audit` when `counters` is updated. */
export const GATE_SCHEMA: readonly string[] = [
  "create table counters(id int primary key, n int not null)",
  "create table names(name varchar(50) primary key)",
  "create table loose(name varchar(50))",
  "create table doctors(id int primary key, on_call int not null)",
  "create table audit(n int)",
  "insert into counters values (1, 10), (2, 20)",
  "insert into doctors values (1, 1), (2, 1)",
];

/** What every gate does. To be called inside a `describe`. */
export function gateContract(contract: GateContract): void {
  let subject: GateSubject;
  let gate: Gate;
  let sessions: Session[] = [];
  const one = (): Session => sessions[0]!;
  const two = (): Session => sessions[1]!;
  const rows = (sql: string): ReturnType<Session["run"]> => sessions[2]!.run(sql);
  const both = async (sql: string): Promise<void> => {
    for (const session of sessions.slice(0, 2)) await session.run(sql);
  };

  beforeEach(async () => {
    subject = await contract.subject({ borrowed: false });
    const found = subject.system.gate?.();
    if (found?.kind !== "gate") throw new Error(found?.why ?? "it has no gate");
    gate = found;
    await subject.system.root();
    sessions = [await subject.session(), await subject.session(), await subject.session()];
  });
  afterEach(async () => {
    await gate.release();
    for (const session of sessions) await session.end();
    await subject.close();
  });

  const increment =
    (session: Session): Call =>
    async () => {
      const [[n] = []] = await session.run("select n from counters where id = 1");
      await session.run(`update counters set n = ${Number(n) + 1} where id = 1`);
    };

  test("an update is lost on purpose, each time, and nothing of it stays", async () => {
    const dump = await subject.system.dump();
    const mark = await subject.system.mark();
    for (let trial = 0; trial < size(3, 10); trial++) {
      const { held, blocked, ends } = await race(gate, 1, increment(one()), increment(two()));
      expect(held).toEqual({ statement: "UPDATE counters" });
      expect(blocked).toBe(contract.updatesHeldUnlocked ? undefined : "a row of counters");
      expect(ends).toEqual([undefined, undefined]);
      expect(await rows("select n from counters where id = 1")).toEqual([[11]]);
      expect(await subject.system.changed(mark)).toBe(true);
      await subject.system.restore(mark);
      expect(await subject.system.dump()).toBe(dump);
    }
  });

  test("an update that computes from the row is never lost", async () => {
    const add =
      (session: Session): Call =>
      (): Promise<unknown> =>
        session.run("update counters set n = n + 1 where id = 1");
    const { held } = await race(gate, 1, add(one()), add(two()));
    expect(held).toEqual({ statement: "UPDATE counters" });
    expect(await rows("select n from counters where id = 1")).toEqual([[12]]);
  });

  test("FOR UPDATE makes the other call wait, which is seen, and nothing is lost", async () => {
    const locked = (session: Session): Call =>
      transaction(session, [
        "select n from counters where id = 1 for update",
        (read) => `update counters set n = ${Number(read[0]![0]) + 1} where id = 1`,
      ]);
    for (let trial = 1; trial <= size(2, 5); trial++) {
      const { held, blocked, ends } = await race(gate, 1, locked(one()), locked(two()));
      expect({ held, blocked, ends }).toEqual({
        held: { statement: "UPDATE counters" },
        blocked: "a row of counters",
        ends: [undefined, undefined],
      });
      expect(await rows("select n from counters where id = 1")).toEqual([[10 + 2 * trial]]);
    }
  });

  const leave = (session: Session, id: number): Call =>
    transaction(session, [
      "select count(*) from doctors where on_call = 1",
      (read) => (Number(read[0]![0]) > 1 ? `update doctors set on_call = 0 where id = ${id}` : "select 1"),
    ]);

  test("write skew: two who see each other on call both leave", async () => {
    await both(contract.isolation("repeatable read"));
    const { held, ends } = await race(gate, 1, leave(one(), 1), leave(two(), 2));
    expect(held).toEqual({ statement: "UPDATE doctors" });
    expect(ends).toEqual([undefined, undefined]);
    expect(await rows("select count(*) from doctors where on_call = 1")).toEqual([[0]]);
  });

  test("a serializable twin refuses one of them, or makes it wait", async () => {
    await both(contract.isolation("serializable"));
    const { held, ends } = await race(gate, 1, leave(one(), 1), leave(two(), 2));
    expect(held).toEqual({ statement: "UPDATE doctors" });
    const failures = ends.filter((end) => end !== undefined);
    for (const failure of failures) expect(contract.isSerializationFailure(failure), String(failure)).toBe(true);
    expect(Number((await rows("select count(*) from doctors where on_call = 1"))[0]![0])).toBeGreaterThan(0);
  });

  const claim =
    (session: Session, table: string): Call =>
    async () => {
      const taken = await session.run(`select 1 from ${table} where name = 'ann'`);
      if (taken.length === 0) await session.run(`insert into ${table} values ('ann')`);
    };

  test("a name that is looked up and then inserted is given twice", async () => {
    const { held, blocked, ends } = await race(gate, 1, claim(one(), "loose"), claim(two(), "loose"));
    expect({ held, blocked, ends }).toEqual({ held: { statement: "INSERT loose" }, blocked: undefined, ends: [undefined, undefined] });
    expect(await rows("select name from loose")).toEqual([["ann"], ["ann"]]);
  });

  test("a unique index refuses the second, and that is what a held insert gets", async () => {
    const { held, ends } = await race(gate, 1, claim(one(), "names"), claim(two(), "names"));
    expect(held).toEqual({ statement: "INSERT names" });
    expect(contract.isDuplicate(ends[0]), String(ends[0])).toBe(true);
    expect(ends[1]).toBe(undefined);
    expect(await rows("select name from names")).toEqual([["ann"]]);
  });

  test("one who inserts what an open transaction has inserted is seen to wait for it", async () => {
    const first = transaction(one(), ["insert into names values ('ann')", "insert into loose values ('ann')"]);
    const { held, blocked, ends } = await race(gate, 2, first, () => two().run("insert into names values ('ann')"));
    expect(held).toEqual({ statement: "INSERT loose" });
    expect(blocked).toMatch(/^(?:the end of its transaction|a row of names)$/);
    expect(ends[0]).toBe(undefined);
    expect(contract.isDuplicate(ends[1])).toBe(true);
  });

  const statements = [
    "insert into loose values ('a'), ('b'), ('c')",
    "select count(*) from loose",
    "update counters set n = n + 1 where id in (1, 2)",
    "delete from loose",
  ];

  const writes = [
    [3, "DELETE loose"],
    [4, undefined],
    [2, "UPDATE counters"],
    [1, "INSERT loose"],
  ] as const;
  test.each(some(writes, 2))(
    "the write number %i is %s: statements count, not rows and not what triggers write",
    async (write, statement) => {
      const { held, ends } = await race(gate, write, transaction(one(), statements), () => Promise.resolve());
      expect(held?.statement).toBe(statement);
      expect(ends).toEqual([undefined, undefined]);
    },
  );

  const alternating = [
    [3, "DELETE loose"],
    [2, "UPDATE counters"],
  ] as const;
  test.each(some(alternating, 1))(
    "the writes of one call count on whichever connection they are made: %i is %s",
    async (write, statement) => {
      const call = async (): Promise<void> => {
        let turn = 0;
        for (const sql of statements) await sessions[turn++ % 2]!.run(sql);
      };
      const { held } = await race(gate, write, call, () => Promise.resolve());
      expect(held?.statement).toBe(statement);
    },
  );

  test("a rollback takes no count back", async () => {
    const retried = async (): Promise<void> => {
      await one().run("begin");
      await one().run("insert into loose values ('a')");
      await one().run("rollback");
      await transaction(one(), ["insert into loose values ('b')", "insert into names values ('b')"])();
    };
    const { held } = await race(gate, 3, retried, () => Promise.resolve());
    expect(held).toEqual({ statement: "INSERT names" });
  });

  test("a transaction that began before is held too, whatever it sees", async () => {
    await one().run(contract.isolation("repeatable read"));
    await one().run("begin");
    await one().run("select * from counters");
    await two().run("update counters set n = 0 where id = 2");
    const { held } = await race(gate, 1, transactionRest, () => Promise.resolve());
    expect(held).toEqual({ statement: "INSERT loose" });

    async function transactionRest(): Promise<void> {
      await one().run("insert into loose values ('a')");
      await one().run("commit");
    }
  });

  test("while one is held all others pass, and so does it when it is let go", async () => {
    await gate.arm(1);
    const held = settled(() => one().run("insert into loose values ('held')"));
    expect(await gate.held(held)).toEqual({ statement: "INSERT loose" });
    expect(await gate.view()).toEqual({ kind: "running" });
    for (let i = 0; i < 5; i++) await two().run("insert into loose values ('other')");
    expect(await gate.view()).toEqual({ kind: "running" });
    await gate.release();
    expect(await held).not.toBeInstanceOf(Error);
    await one().run("insert into loose values ('after')");
    await two().run("insert into loose values ('after')");
    expect(await rows("select count(*) from loose")).toEqual([[8]]);
  });

  test("nobody comes: undefined; releasing again and arming again do no harm", async () => {
    await gate.release();
    await gate.arm(1);
    expect(await gate.held(one().run("select * from counters"))).toBe(undefined);
    expect(await gate.held(Promise.reject(new Error("the call failed")))).toBe(undefined);
    expect(await gate.view()).toEqual({ kind: "running" });
    await gate.arm(2);
    await gate.arm(1);
    const held = settled(() => one().run("insert into loose values ('held')"));
    expect(await gate.held(held)).toEqual({ statement: "INSERT loose" });
    await gate.release();
    await gate.release();
    expect(await held).not.toBeInstanceOf(Error);
    await expect(gate.arm(0)).rejects.toThrow(RangeError);
  });

  test("two lanes on one server do not disturb each other", async () => {
    const other = await contract.subject({ borrowed: false });
    const session = await other.session();
    try {
      const there = other.system.gate?.();
      if (there?.kind !== "gate") throw new Error("it has no gate");
      await Promise.all([gate.arm(1), there.arm(2)]);
      const call = settled(async () => {
        await session.run("insert into loose values ('a')");
        await session.run("insert into names values ('b')");
      });
      expect(await there.held(call)).toEqual({ statement: "INSERT names" });
      const here = settled(() => one().run("insert into loose values ('c')"));
      expect(await gate.held(here)).toEqual({ statement: "INSERT loose" });
      await there.release();
      await call;
      await session.run("insert into loose values ('d')");
      expect(await gate.view()).toEqual({ kind: "running" });
      await gate.release();
      await here;
    } finally {
      await session.end();
      await other.close();
    }
  });

  test("a session that is ended while it is held is no hang, and nothing of it stays", async () => {
    const dump = await subject.system.dump();
    const mark = await subject.system.mark();
    await gate.arm(2);
    const call = settled(transaction(one(), ["insert into names values ('before')", "insert into loose values ('held')"]));
    expect(await gate.held(call)).toEqual({ statement: "INSERT loose" });
    await one().kill();
    expect(await call).toBeInstanceOf(Error);
    await gate.release();
    await subject.system.restore(mark);
    expect(await subject.system.dump()).toBe(dump);
    sessions[0] = await subject.session();
    const { held } = await race(gate, 1, increment(one()), increment(two()));
    expect(held).toEqual({ statement: "UPDATE counters" });
  });

  test("it opens by itself when our connection is lost, and letting go does not fail", async () => {
    await gate.arm(1);
    const call = settled(() => one().run("insert into loose values ('held')"));
    expect(await gate.held(call)).toEqual({ statement: "INSERT loose" });
    await contract.endOurs(subject.url);
    expect(await call).not.toBeInstanceOf(Error);
    await gate.release();
    expect(await rows("select name from loose")).toEqual([["held"]]);
    await expect(gate.arm(1)).rejects.toMatchObject({ code: "STORE_LOST" });
  });

  test("after a restart of the target it goes on, marks included", async () => {
    const dump = await subject.system.dump();
    const mark = await subject.system.mark();
    await gate.arm(1);
    await subject.system.close();
    // As of a restarted target: what was armed is not any more.
    await two().run("insert into loose values ('meanwhile')");
    await subject.system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false, gated: true });
    const again = subject.system.gate?.();
    if (again?.kind !== "gate") throw new Error("it has no gate");
    gate = again;
    const { held } = await race(gate, 1, increment(one()), increment(two()));
    expect(held).toEqual({ statement: "UPDATE counters" });
    await subject.system.restore(mark);
    expect(await subject.system.dump()).toBe(dump);
  });

  test("without `gated` nothing of it is installed, and it says why it holds nothing", async () => {
    const plain = await contract.subject({ borrowed: false, closed: true });
    try {
      const before = await plain.inventory();
      await plain.system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
      expect(plain.system.gate?.()).toMatchObject({ kind: "none", why: expect.stringContaining("without races") as string });
      expect(await plain.inventory()).not.toMatch(/gate|_g[iud]\b/);
      expect(before).not.toContain("seqqa");
    } finally {
      await plain.close();
    }
  });

  test("a user's own store has nothing of it when it is closed, with one held or not", async () => {
    const own = await contract.subject({ borrowed: true, closed: true });
    const session = await own.session();
    try {
      const before = await own.inventory();
      await own.system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true, gated: true });
      await own.system.root();
      const there = own.system.gate?.();
      if (there?.kind !== "gate") throw new Error("it has no gate");
      expect(await own.inventory()).not.toBe(before);
      await there.arm(1);
      const call = settled(() => session.run("insert into loose values ('held')"));
      expect(await there.held(call)).toEqual({ statement: "INSERT loose" });
      await own.system.close();
      expect(await call).not.toBeInstanceOf(Error);
      expect((await session.run("select name from loose")).length).toBeLessThanOrEqual(1);
      await session.run("delete from loose");
      expect(await own.inventory()).toBe(before);
    } finally {
      await session.end();
      await own.close();
    }
  });

  test("a run that is killed while one is held lets go, and clean leaves nothing", async () => {
    const own = await contract.subject({ borrowed: true, closed: true });
    const session = await own.session();
    try {
      const before = await own.inventory();
      const run = contract.start(`const system = new Adapter({ url: ${JSON.stringify(own.url)}, checkpoint: "journal" });
        await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true, gated: true });
        await system.root();
        const gate = system.gate();
        await gate.arm(1);
        say("armed");
        say(await gate.held(new Promise(() => {})));`);
      expect(await run.said()).toBe("armed");
      const call = settled(() => session.run("insert into loose values ('held')"));
      expect(await run.said()).toEqual({ statement: "INSERT loose" });
      await run.kill();
      expect(await call).not.toBeInstanceOf(Error);
      expect(await session.run("select name from loose")).toEqual([["held"]]);
      await contract.clean(own.url);
      expect(await own.inventory()).toBe(before);
    } finally {
      await session.end();
      await own.close();
    }
  });
}
