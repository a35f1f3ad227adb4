import { randomBytes } from "node:crypto";
import { createConnection, type Connection, type RowDataPacket } from "mysql2/promise";
import { CHECKS, COLUMNS, type BareStore, type Change } from "./bare-store.ts";

/** Creates a schema in which row triggers write a log. TRUNCATE and DDL fire no triggers, so every look also compares the ids of the tables. */
export async function bareMysql(server: string): Promise<BareStore> {
  const name = `seqqa_test_bench_${randomBytes(4).toString("hex")}`;
  const connect = (): Promise<Connection> =>
    createConnection({ uri: `${server}/${name}`, multipleStatements: true, rowsAsArray: true, typeCast: (field) => field.string() });
  const admin = await createConnection({ uri: `${server}/` });
  await admin.query(`create database ${name}`);
  const [control, checks] = [await connect(), await connect()];
  const ids = `select name, table_id from information_schema.${await tableOfIds(admin)} where name like '${name}/%'`;
  let tables = "";
  let read: string[] = [];
  const look = async (apart: boolean): Promise<readonly Change[]> => {
    const after = read.length === 0 ? 0 : read.at(-1);
    const log = `select seq, o, n from log where seq > ${after} order by seq${apart ? " for update nowait" : ""}`;
    const [[entries, seen]] = await control.query<RowDataPacket[][]>(`${log}; ${ids}`);
    const now = JSON.stringify(seen);
    if (tables !== "" && now !== tables) throw new Error("A table was altered or truncated.");
    tables = now;
    const rows = entries as unknown as readonly [string, string | null, string | null][];
    for (const [seq] of rows) read.push(seq);
    return rows.map(([, o, n]): Change => [keyOf((n ?? o)!), n ?? undefined]);
  };
  return {
    url: `${server}/${name}`,
    prepare: async () => {
      await control.query("create table log(seq bigint auto_increment primary key, o text, n text) engine=InnoDB");
      const row = (of: string): string => `concat_ws(',', ${COLUMNS.map((column) => `${of}.${column}`).join(", ")})`;
      const trigger = (event: string, o: string, n: string): string =>
        `create trigger note_${event} after ${event} on orders for each row if @off is null then insert into log(o, n) values (${o}, ${n}); end if`;
      await control.query(trigger("insert", "null", row("NEW")));
      await control.query(trigger("update", row("OLD"), row("NEW")));
      await control.query(trigger("delete", row("OLD"), "null"));
      await control.query("set @off = 1; set session transaction isolation level read committed; set session foreign_key_checks = 0");
    },
    look: () => look(false),
    mark: () => look(true),
    put: async (changes) => {
      const come = changes.flatMap(([, content]) => (content === undefined ? [] : [`(${literalsOf(content)})`]));
      const statements = [
        "start transaction",
        `delete from orders where id in (${changes.map(([key]) => key).join(", ")})`,
        ...(come.length > 0 ? [`insert into orders(${COLUMNS.join(", ")}) values ${come.join(", ")}`] : []),
        ...(read.length > 0 ? [`delete from log where seq in (${read.join(", ")})`] : []),
        "commit",
      ];
      await control.query(statements.join("; "));
      read = read.slice(-1);
    },
    check: (check) => checks.query(CHECKS[check]),
    close: async () => {
      await control.end();
      await checks.end();
      await admin.query(`drop database ${name}`);
      await admin.end();
    },
  };
}

async function tableOfIds(admin: Connection): Promise<string> {
  const [[row]] = await admin.query<(RowDataPacket & { readonly v: string })[]>("select version() as v");
  return /mariadb/i.test(row!.v) ? "innodb_sys_tables" : "innodb_tables";
}

function keyOf(row: string): string {
  return row.slice(0, row.indexOf(","));
}

function literalsOf(row: string): string {
  return row
    .split(",")
    .map((value) => `'${value}'`)
    .join(",");
}
