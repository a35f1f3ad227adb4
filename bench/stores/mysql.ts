import { randomBytes } from "node:crypto";
import { createConnection, type Connection, type RowDataPacket } from "mysql2/promise";
import { MysqlAdapter } from "seqqa/adapters/mysql";
import { BACK, BRANCH, FILL, ROWS, scope, TABLE, type Bed, type Mode } from "./bed.ts";

/** @param server URL of an administrator, without a path */
export const mysqlModes = (server: string): readonly Mode[] => [
  { name: "mysql journal", open: () => apart(server, "journal") },
  { name: "mysql copy", whole: true, open: () => apart(server, "copy") },
];

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
  // A log by hand, so that reading and emptying one is part of both; a copy by hand for the other mode.
  await bareTarget.query(
    "create table log(seq bigint auto_increment primary key, o text, n text) engine=InnoDB; create table saved like items",
  );
  const images = `insert into log(o, n) values (null, '(1001,new,1)'), (null, '(1002,new,1)'), ('(1,item,7)', '(1,item,8)'), ('(2,item,7)', '(2,item,8)'), ('(3,item,7)', null)`;
  const read = "select seq, o, n from log order by seq; select count(*) from information_schema.innodb_trx where trx_rows_modified > 0";
  await control.query("set session foreign_key_checks = 0");
  const byLog = {
    mark: () => control.query(read),
    restore: async (): Promise<void> => {
      await control.query(read);
      await control.query(transaction([...BACK, "delete from log"]));
    },
  };
  const byCopy = {
    mark: () => control.query(transaction(["delete from saved", "insert into saved select * from items"])),
    restore: () => control.query(transaction(["delete from items", "insert into items select * from saved"])),
  };
  return {
    system,
    branch: () => target.query(transaction(BRANCH)),
    bare: {
      ...(checkpoint === "journal" ? byLog : byCopy),
      branch: () => bareTarget.query(transaction(checkpoint === "journal" ? [...BRANCH, images] : BRANCH)),
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
