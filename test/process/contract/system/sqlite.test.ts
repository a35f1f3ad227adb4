import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect } from "vitest";
import { dumpDatabase } from "../../../../src/adapters/sqlite/read/dump.ts";
import { cloneSqliteFile, SqliteAdapter } from "../../../../src/adapters/sqlite/index.ts";
import { size } from "../../../sizes.ts";
import { randomStatements, SCHEMA, SEED } from "../../../contract/system/sqlite-world.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";

const directory = mkdtempSync(join(tmpdir(), "seqqa-contract-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

/** Equal in all lanes: built once, then cloned. */
function template(): string {
  const file = join(directory, "template.db");
  const db = new Database(file);
  if (db.prepare("select 1 from sqlite_schema").get() === undefined) for (const sql of [...SCHEMA, ...SEED]) db.exec(sql);
  db.close();
  return file;
}

interface Options {
  readonly language: "node" | "python";
  readonly journalMode?: "wal" | "delete";
  readonly checkpoint: "journal" | "copy";
  readonly borrowed?: boolean;
}

async function apart({ language, journalMode = "wal", checkpoint, borrowed = false }: Options, laneIndex: number): Promise<Subject> {
  const file = join(directory, `lane-${files++}.db`);
  cloneSqliteFile(template(), file);
  const writer = new Writer(language === "node" ? "node-writer.mjs" : "python_writer.py", file, journalMode);
  await writer.run("select 1");
  const before = contents(file);
  const system = new SqliteAdapter({ file, checkpoint });
  await system.open({ name: "db", laneIndex, inProcess: false, borrowed });
  if (system.checkpoint.mode !== checkpoint) throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: async (random) => void (await writer.run(...randomStatements(random))),
    close: async () => {
      await system.close();
      if (borrowed) leftAsFound(file, before);
      await writer.stop();
    },
  };
}

/** Everything in a file, what is ours included. */
function contents(file: string): string {
  const db = new Database(file, { readonly: true });
  try {
    const ours = db.prepare("select name from sqlite_schema where name like 'seqqa%'").pluck().all();
    return `${dumpDatabase(db)}${ours.join(", ")}; ${db.pragma("integrity_check", { simple: true })}`;
  } finally {
    db.close();
  }
}

function leftAsFound(file: string, before: string): void {
  expect(contents(file)).toBe(before);
  expect(readdirSync(directory).filter((name) => name.startsWith(`${basename(file)}-seqqa`))).toEqual([]);
}

function inProcess(laneIndex: number, borrowed: boolean = false): Promise<Subject> {
  const file = join(directory, `lane-${files++}.db`);
  cloneSqliteFile(template(), file);
  const before = contents(file);
  const system = new SqliteAdapter({ file });
  const db = system.connection;
  void system.open({ name: "db", laneIndex, inProcess: true, borrowed });
  if (system.checkpoint.mode !== "savepoint") throw new Error(`chose ${system.checkpoint.mode}`);
  const write = (statements: readonly string[]): void => {
    // On a connection that is inside a transaction already, a transaction is a savepoint.
    const words: Readonly<Record<string, string>> = { begin: "savepoint api", commit: "release api", rollback: "rollback to api" };
    for (const sql of statements) {
      try {
        db.exec(words[sql] ?? sql);
        if (sql === "rollback") db.exec("release api");
      } catch {
        // Refused, as the API would be.
      }
    }
  };
  return Promise.resolve({
    system,
    write: async (random) => write(randomStatements(random)),
    close: async () => {
      await system.close();
      if (borrowed) leftAsFound(file, before);
    },
  });
}

describe("sqlite journal, another process in Node", () => {
  systemContract({ lane: (index) => apart({ language: "node", checkpoint: "journal" }, index), cycles: size(6, 10_000) });
});

describe("sqlite journal, another process in Node, other seeds", () => {
  systemContract({
    lane: (index) => apart({ language: "node", checkpoint: "journal" }, index),
    cycles: size(6, 2000),
    seed: 77,
    brief: true,
  });
});

describe("sqlite journal, a file in rollback mode, borrowed", () => {
  systemContract({
    lane: (index) => apart({ language: "node", journalMode: "delete", checkpoint: "journal", borrowed: true }, index),
    cycles: size(6, 2000),
    seed: 3,
    brief: true,
  });
});

describe("sqlite journal, another process in Python", () => {
  systemContract({
    lane: (index) => apart({ language: "python", checkpoint: "journal" }, index),
    cycles: size(6, 2000),
    seed: 4,
    brief: true,
  });
});

describe("sqlite copy, another process in Node", () => {
  systemContract({ lane: (index) => apart({ language: "node", checkpoint: "copy" }, index), cycles: size(6, 1000), seed: 5 });
});

describe("sqlite copy, another process in Python, a file in rollback mode", () => {
  systemContract({
    lane: (index) => apart({ language: "python", journalMode: "delete", checkpoint: "copy" }, index),
    cycles: size(6, 300),
    seed: 6,
    brief: true,
  });
});

describe("sqlite journal, borrowed", () => {
  systemContract({
    lane: (index) => apart({ language: "node", checkpoint: "journal", borrowed: true }, index),
    cycles: size(6, 10_000),
    seed: 9,
    brief: true,
  });
});

describe("sqlite savepoint, borrowed", () => {
  systemContract({ lane: (index) => inProcess(index, true), cycles: size(6, 2000), seed: 10, brief: true });
});

describe("sqlite savepoint, a target in this process", () => {
  systemContract({ lane: (index) => inProcess(index), cycles: size(6, 10_000), seed: 7 });
});
