import { randomBytes } from "node:crypto";
import { createConnection, type Connection, type RowDataPacket } from "mysql2/promise";
import { MysqlAdapter } from "seqqa/adapters/mysql";
import { BACK, BRANCH, FILL, ROWS, scope, TABLE, type Bed, type Mode } from "./bed.ts";

/** @param server The URL of an administrator, without a path. */
export const mysqlModes = (server: string): readonly Mode[] => [
  { name: "mysql journal", open: () => apart(server, "journal") },
  { name: "mysql savepoint", open: () => savepoint(server) },
  { name: "mysql copy", whole: true, open: () => apart(server, "copy") },
];

const IMAGES = `insert into log(o, n) values (null, '(1001,new,1)'), (null, '(1002,new,1)'), ('(1,item,7)', '(1,item,8)'), ('(2,item,7)', '(2,item,8)'), ('(3,item,7)', null)`;

const connect = (url: string): Promise<Connection> => createConnection({ uri: url, multipleStatements: true });

const transaction = (statements: readonly string[]): string => ["start transaction", ...statements, "commit"].join("; ");

async function apart(server: string, checkpoint: "journal" | "copy"): Promise<Bed> {
  const admin = await connect(`${server}/`);
  const [own, bare] = ["own", "bare"].map((name) => `seqqa_test_bench_${name}_${randomBytes(4).toString("hex")}`) as [string, string];
  const [url, bareUrl] = [`${server}/${own}`, `${server}/${bare}`];
  for (const name of [own, bare]) await admin.query(`create database ${name}; use ${name}; ${TABLE} engine=InnoDB; ${FILL}`);
  const [target, bareTarget, control] = [await connect(url), await connect(bareUrl), await connect(bareUrl)];
  const system = new MysqlAdapter({ url, checkpoint });
  await system.open(scope(false));
  await system.root();
  await control.query("set session foreign_key_checks = 0");
  if (checkpoint === "journal")
    await bareTarget.query("create table log(seq bigint auto_increment primary key, o text, n text) engine=InnoDB");
  const by = checkpoint === "journal" ? await byLog(control, bare) : byCopy(control, bare);
  return {
    system,
    branch: () => target.query(transaction(BRANCH)),
    bare: {
      ...by,
      branch: () => bareTarget.query(transaction(checkpoint === "journal" ? [...BRANCH, IMAGES] : BRANCH)),
    },
    sizes: async () => {
      const [rows] = await admin.query<(RowDataPacket & { readonly name: string; readonly bytes: number })[]>(
        "select table_name as name, data_length + index_length as bytes from information_schema.tables where table_schema = ? order by 1",
        [own],
      );
      const sizes = rows.map(({ name, bytes }) => ({
        name: name === "items" ? `table of ${ROWS} rows` : name,
        value: Number(bytes) / 1024,
        unit: "KiB",
      }));
      if (checkpoint !== "journal") return sizes;
      const [log] = await target.query<(RowDataPacket & { readonly n: number })[]>("select count(*) as n from seqqa_journal_log");
      return [{ name: "log", value: log[0]!.n, unit: "rows" }, ...sizes];
    },
    close: async () => {
      await system.close();
      for (const client of [target, bareTarget, control]) await client.end();
      await admin.query(`drop database ${own}; drop database ${bare}`);
      await admin.end();
    },
  };
}

/**
 * Returns the bare statements for a mode with a log. The log is filled by hand, so that both sides read and empty one. It is read only while no other
 * session is in the middle of a write, together with the ids of the tables, because TRUNCATE and DDL write no log.
 */
async function byLog(control: Connection, database: string): Promise<Pick<Bed["bare"], "mark" | "restore">> {
  const [[row]] = await control.query<(RowDataPacket & { readonly v: string })[]>("select version() as v");
  const ids = /mariadb/i.test(row!.v) ? "innodb_sys_tables" : "innodb_tables";
  const read = `select seq, o, n from log order by seq for update nowait; select name, table_id from information_schema.${ids} where name like '${database}/%'`;
  return {
    mark: () => control.query(read),
    restore: async () => {
      await control.query(read);
      await control.query(transaction([...BACK, "delete from log"]));
    },
  };
}

/**
 * Returns the bare statements for a mode with a copy. A client reads all tables and definitions while nobody writes, because a restore also covers
 * DDL and AUTO_INCREMENT. The restore writes the whole table again from this copy.
 */
function byCopy(control: Connection, database: string): Pick<Bed["bare"], "mark" | "restore"> {
  const objects = [
    ...["tables", "views"].map((from) => `select table_name from information_schema.${from} where table_schema = '${database}'`),
    `select routine_name from information_schema.routines where routine_schema = '${database}'`,
    `select trigger_name from information_schema.triggers where trigger_schema = '${database}'`,
    "show create table items",
  ];
  const read = ["lock tables items read", "select * from items", "unlock tables", ...objects].join("; ");
  let kept: readonly RowDataPacket[] = [];
  return {
    mark: async () => {
      const [results] = await control.query<RowDataPacket[][]>(read);
      kept = results[1]!;
    },
    restore: async () => {
      await control.query(objects.join("; "));
      const values = kept.map(({ id, name, qty }) => `(${id}, '${name}', ${qty})`).join(", ");
      const put = ["delete from items", `insert into items values ${values}`, "commit"];
      await control.query(
        ["lock tables items write", "set autocommit = 0", ...put, "set autocommit = 1", "unlock tables", "show create table items"].join(
          "; ",
        ),
      );
    },
  };
}

/**
 * On both sides, the log is part of the transaction that is rolled back. A savepoint after each statement makes sure that a failed statement undoes
 * only itself, as on a connection without a transaction.
 */
async function savepoint(server: string): Promise<Bed> {
  const admin = await connect(`${server}/`);
  const [own, bare] = ["own", "bare"].map((name) => `seqqa_test_bench_${name}_${randomBytes(4).toString("hex")}`) as [string, string];
  for (const name of [own, bare]) await admin.query(`create database ${name}; use ${name}; ${TABLE} engine=InnoDB; ${FILL}`);
  const system = new MysqlAdapter({ url: `${server}/${own}`, checkpoint: "savepoint" });
  const target = system.connection;
  await system.open(scope(true));
  await system.root();
  const bareTarget = await connect(`${server}/${bare}`);
  await bareTarget.query("create table log(seq bigint auto_increment primary key, o text, n text) engine=InnoDB; start transaction");
  return {
    system,
    branch: async () => {
      for (const sql of BRANCH) await target.query(sql);
    },
    bare: {
      mark: () => bareTarget.query("savepoint one; savepoint statement"),
      branch: async () => {
        for (const sql of [...BRANCH, IMAGES]) {
          await bareTarget.query(sql);
          void bareTarget.query("savepoint statement");
        }
      },
      restore: () => bareTarget.query("rollback to savepoint one; release savepoint one"),
    },
    sizes: async () => {
      const [rows] = await admin.query<(RowDataPacket & { readonly bytes: number })[]>(
        "select data_length + index_length as bytes from information_schema.tables where table_schema = ? and table_name = 'items'",
        [own],
      );
      return [{ name: `table of ${ROWS} rows`, value: Number(rows[0]!.bytes) / 1024, unit: "KiB" }];
    },
    close: async () => {
      await system.close();
      await bareTarget.end();
      await admin.query(`drop database ${own}; drop database ${bare}`);
      await admin.end();
    },
  };
}
