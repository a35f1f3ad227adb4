import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { SqliteAdapter } from "seqqa/adapters/sqlite";
import { BACK, BRANCH, FILL, scope, TABLE, type Bed, type Mode } from "./bed.ts";

const inMemory = "/dev/shm";

export const sqliteModes: readonly Mode[] = [
  { name: "sqlite journal", open: () => apart("journal", false) },
  { name: "sqlite journal, borrowed", open: () => apart("journal", true) },
  { name: "sqlite savepoint", open: savepoint },
  { name: "sqlite copy", whole: true, open: () => apart("copy", false) },
];

interface Files {
  /** The file of the adapter. `bareFile` is the file of the bare statements. */
  readonly file: string;
  readonly bareFile: string;
  readonly remove: () => void;
}

function files(): Files {
  const base = statSync(inMemory, { throwIfNoEntry: false }) === undefined ? tmpdir() : inMemory;
  const directory = mkdtempSync(join(base, "seqqa-bench-"));
  const [file, bareFile] = [join(directory, "own.db"), join(directory, "bare.db")];
  for (const path of [file, bareFile]) {
    const db = new Database(path);
    db.pragma("journal_mode = wal");
    db.exec(`${TABLE}; ${FILL}`);
    db.close();
  }
  return { file, bareFile, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Returns a function that executes statements in one transaction. The statements are prepared once, as a server does. */
function transaction(db: Database.Database, statements: readonly string[], begin = "begin immediate"): () => void {
  const prepared = [begin, ...statements, "commit"].map((sql) => db.prepare(sql));
  return () => {
    for (const statement of prepared) {
      if (statement.reader) statement.all();
      else statement.run();
    }
  };
}

function open(file: string): Database.Database {
  const db = new Database(file, { timeout: 1000 });
  db.pragma("synchronous = off");
  return db;
}

async function apart(checkpoint: "journal" | "copy", borrowed: boolean): Promise<Bed> {
  const { file, bareFile, remove } = files();
  const system = new SqliteAdapter({ file, checkpoint });
  const [target, bareTarget, control] = [open(file), open(bareFile), open(bareFile)];
  // The bare side has a log, so that both sides read and empty one. The changes write the entries that triggers would write.
  bareTarget.exec("create table log(seq integer primary key, code, c0, c1, c2)");
  const images =
    "insert into log(code, c0, c1, c2) values (1, 1001, null, null), (1, 1002, null, null), (0, 1, 'item', 7), (0, 2, 'item', 7), (0, 3, 'item', 7)";
  await system.open({ ...scope(false), borrowed });
  await system.root();
  const mark = transaction(control, []);
  const one = control.prepare("select * from items where id = ?");
  const put = transaction(control, ["select * from log order by seq", ...BACK, "delete from log"]);
  let saved: Buffer = Buffer.alloc(0);
  const bare =
    checkpoint === "journal"
      ? {
          mark,
          // Read the present values of the changed rows. Their earlier values are in the log, which `put` reads.
          restore: (): void => {
            for (const id of [1001, 1002, 1, 2, 3]) one.get(id);
            put();
          },
        }
      : {
          mark: (): void => void (saved = control.serialize()),
          restore: async (): Promise<void> => {
            saved[18] = saved[19] = 1;
            const source = new Database(saved);
            await source.backup(bareFile);
            source.close();
          },
        };
  return {
    system,
    branch: transaction(target, BRANCH),
    bare: { ...bare, branch: transaction(bareTarget, checkpoint === "journal" ? [...BRANCH, images] : BRANCH) },
    sizes: () => [
      ...(checkpoint === "journal" ? [{ name: "log", value: count(target, "seqqa_log"), unit: "rows" }] : []),
      ...(borrowed ? [{ name: "kept", value: count(target, "seqqa_kept"), unit: "rows" }] : []),
      { name: "file", value: statSync(file).size / 1024, unit: "KiB" },
      { name: "write-ahead log", value: statSync(`${file}-wal`).size / 1024, unit: "KiB" },
    ],
    close: async () => {
      await system.close();
      for (const db of [target, bareTarget, control]) db.close();
      remove();
    },
  };
}

async function savepoint(): Promise<Bed> {
  const { file, bareFile, remove } = files();
  const system = new SqliteAdapter({ file, checkpoint: "savepoint" });
  const bareTarget = open(bareFile);
  await system.open(scope(true));
  await system.root();
  const own = system.connection;
  const statements = (db: Database.Database): (() => void) => {
    const prepared = BRANCH.map((sql) => db.prepare(sql));
    return () => prepared.forEach((statement) => statement.run());
  };
  bareTarget.exec("begin");
  const [save, back, release] = ["savepoint one", "rollback to one", "release one"].map((sql) => bareTarget.prepare(sql));
  save!.run();
  release!.run();
  return {
    system,
    branch: statements(own),
    bare: {
      mark: () => save!.run(),
      branch: statements(bareTarget),
      restore: () => {
        back!.run();
        release!.run();
      },
    },
    sizes: () => [
      { name: "log", value: Number(own.prepare("select count(*) from temp.seqqa_log").pluck().get()), unit: "rows" },
      { name: "file", value: statSync(file).size / 1024, unit: "KiB" },
    ],
    close: async () => {
      await system.close();
      bareTarget.close();
      remove();
    },
  };
}

function count(db: Database.Database, table: string): number {
  return Number(db.prepare(`select count(*) from ${table}`).pluck().get());
}
