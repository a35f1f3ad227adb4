import { afterEach, beforeEach, describe, expect, test } from "vitest";
import mysql, { type Connection, type ResultSetHeader } from "mysql2/promise";
import { gateLocks } from "../../../../src/adapters/mysql/gate/gate-sql.ts";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { otherRuns } from "../../../support/other-run.ts";
import { GATE_SCHEMA, gateContract } from "../../../contract/gate/gate-contract.ts";
import { gateSubject, seated, type Subject } from "../../../contract/gate/gate-seat.ts";
import type { Gate } from "../../../../src/model/stores/store-adapter.ts";
import { race, type Session } from "../../../contract/gate/race.ts";

const SCHEMA = [...GATE_SCHEMA, "create trigger noted before update on counters for each row insert into audit values (NEW.n)"];

async function sessionOf(url: string): Promise<Session & { readonly connection: Connection }> {
  const connection = await mysql.createConnection({ uri: url, rowsAsArray: true });
  connection.on("error", () => undefined);
  return {
    connection,
    run: async (sql) => {
      const [rows] = await connection.query(sql);
      return Array.isArray(rows) ? (rows as unknown[][]) : [];
    },
    end: () => connection.end(),
    kill: async () => void (await admin((other) => other.query(`kill ${connection.threadId}`))),
  };
}

async function subject(how: { readonly borrowed: boolean; readonly closed?: boolean }): Promise<Subject> {
  const database = await newDatabase(SCHEMA);
  const url = await databaseUrl(database);
  const system = new MysqlAdapter({ url, checkpoint: "journal" });
  const looked = (): Promise<string> => admin((connection) => inventory(connection, database), database);
  return gateSubject({ system, url, database, sessionOf, inventory: looked, drop: dropDatabase }, how);
}

async function inventory(connection: Connection, database: string): Promise<string> {
  const [rows] = await connection.query({
    sql: `select concat_ws(' ', 'trigger', trigger_name, action_timing, event_manipulation, event_object_table, action_statement) from information_schema.triggers
            where trigger_schema = ? union all
          select concat('table ', table_name) from information_schema.tables where table_schema = ? union all
          select concat('routine ', routine_name) from information_schema.routines where routine_schema = ? union all
          select concat_ws(' ', 'row', id, n) from counters union all select concat_ws(' ', 'row', name) from loose order by 1`,
    values: [database, database, database],
    rowsAsArray: true,
  });
  return (rows as unknown as string[][]).map(([line]) => line).join("\n");
}

const runs = otherRuns("mysql");

describe("gate of mysql", () => {
  gateContract({
    subject,
    start: (body) => runs.start(body.replaceAll("Adapter(", "MysqlAdapter(")),
    // A write that was held when its run was killed was never recorded: its row stays, and goes here by hand.
    clean: async (url) => {
      const { removed, leftover } = await stores.clean(url);
      expect(leftover?.undo).toEqual([]);
      await admin(
        async (connection) => {
          const [{ affectedRows }] = await connection.query<ResultSetHeader>("delete from loose where name = 'held'");
          expect(affectedRows).toBe(1);
        },
        decodeURIComponent(new URL(url).pathname.slice(1)),
      );
      return removed;
    },
    endOurs: (url) =>
      admin(async (connection) => {
        const database = decodeURIComponent(new URL(url).pathname.slice(1));
        const [ours] = await connection.query({ sql: "select is_used_lock(?)", values: [gateLocks(database).armed], rowsAsArray: true });
        await connection.query(`kill ${(ours as unknown as number[][])[0]![0]}`);
      }),
    updatesHeldUnlocked: false,
    isolation: (level) => `set session transaction isolation level ${level}`,
    isSerializationFailure: (error) => (error as { errno?: number }).errno === 1213,
    isDuplicate: (error) => (error as { errno?: number }).errno === 1062,
  });
});

describe("gate of mysql alone", () => {
  let opened: Subject;
  let gate: Gate;
  let session: Session;
  let other: Session;

  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ opened, gate, session, other, close } = await seated(await subject({ borrowed: false })));
  });
  afterEach(() => close());
  const nothing = (): Promise<void> => Promise.resolve();

  test("a statement without a row is not seen; one that does two things to a row counts once", async () => {
    const call = async (): Promise<void> => {
      await session.run("update counters set n = 0 where id = 99");
      await session.run("insert into counters values (1, 1) on duplicate key update n = 1");
      await session.run("replace into counters values (1, 2)");
      await session.run("update counters, doctors set n = 5, on_call = 0");
      await session.run("delete from loose");
    };
    const mark = await opened.system.mark();
    const seen: string[] = [];
    for (let write = 1; write <= 4; write++) {
      const { held } = await race(gate, write, call, nothing);
      if (held !== undefined) seen.push(held.statement);
      await opened.system.restore(mark);
    }
    expect(seen.slice(0, 2)).toEqual(["INSERT counters", "INSERT counters"]);
    expect(seen.slice(2)).toEqual([expect.stringMatching(/^UPDATE (?:counters|doctors)$/)]);
  });

  test("who waits for a lock of the target's own making is seen", async () => {
    const guarded = (one: Session) => async (): Promise<void> => {
      await one.run("select get_lock('the shop', 10)");
      await one.run("insert into loose values ('a')");
      await one.run("select release_lock('the shop')");
    };
    const { held, blocked, ends } = await race(gate, 1, guarded(session), guarded(other));
    expect({ held, blocked, ends }).toEqual({
      held: { statement: "INSERT loose" },
      blocked: "a user lock",
      ends: [undefined, undefined],
    });
  });

  test("a held statement that its own time limit ends does not keep the gate from holding again", async () => {
    await session.run("set session max_statement_time = 0.3");
    const mark = await opened.system.mark();
    for (let time = 1; time <= 3; time++) {
      await gate.arm(1);
      const write = session.run("insert into loose values ('a')").catch((error: unknown) => error);
      expect(await gate.held(write)).toEqual({ statement: "INSERT loose" });
      expect(await write).toMatchObject({ errno: 1969 });
      await gate.release();
      // Another session is held as well, and later writes of a call are, too.
      await gate.arm(2);
      const first = other.run("update counters set n = 7 where id = 1");
      const later = first.then(() => other.run("insert into loose values ('b')"));
      expect(await gate.held(later)).toEqual({ statement: "INSERT loose" });
      await gate.release();
      expect(await later).toEqual([]);
      await opened.system.restore(mark);
    }
  });

  test("beyond the last door everybody passes, and DDL is seen as ever", async () => {
    await gate.arm(1000);
    expect(await gate.held(session.run("insert into loose values ('a')"))).toBe(undefined);
    await other.run("create table more(id int)");
    await expect(opened.system.mark()).rejects.toMatchObject({ code: "SCHEMA_CHANGED" });
  });

  test("without the PROCESS privilege it holds, and sees who waits", async () => {
    const user = `seqqa_${Math.random().toString(36).slice(2, 12)}`;
    const own = await subject({ borrowed: false, closed: true });
    await admin(async (connection) => {
      // To make another user's trigger anew takes a privilege.
      await connection.query("drop trigger noted");
      await connection.query(`create user ${user}@'%' identified by 'x'`);
      await connection.query(`grant all on ${own.database}.* to ${user}@'%'`);
    }, own.database);
    const url = new URL(own.url);
    [url.username, url.password] = [user, "x"];
    const system = new MysqlAdapter({ url: url.href, checkpoint: "journal" });
    const [one, two] = [await sessionOf(url.href), await sessionOf(url.href)];
    try {
      await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false, gated: true });
      await system.root();
      const there = system.gate() as Gate;
      const add = (by: Session) => (): Promise<unknown> => by.run("update counters set n = n + 1 where id = 1");
      const { held, blocked } = await race(there, 1, add(one), add(two));
      expect({ held, blocked }).toEqual({ held: { statement: "UPDATE counters" }, blocked: "a row" });
    } finally {
      await one.end();
      await two.end();
      await system.close();
      await own.close();
      await admin((connection) => connection.query(`drop user ${user}@'%'`));
    }
  });
});
