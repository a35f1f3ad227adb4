// A process of its own that writes through its own connection, as an API would: one JSON array of statements per line of input,
// answered by how many of them failed. Statements are kept prepared, as servers do.
import { createInterface } from "node:readline";
import Database from "better-sqlite3";

const [file, journalMode] = process.argv.slice(2);
const db = new Database(file, { timeout: 5000 });
db.pragma(`journal_mode = ${journalMode}`);
db.pragma("foreign_keys = on");
const prepared = new Map();

for await (const line of createInterface({ input: process.stdin })) {
  let failed = 0;
  for (const sql of JSON.parse(line)) {
    try {
      if (!prepared.has(sql)) {
        if (prepared.size > 500) prepared.clear();
        prepared.set(sql, db.prepare(sql));
      }
      const statement = prepared.get(sql);
      if (statement.reader) statement.all();
      else statement.run();
    } catch (error) {
      if (/^SQLITE_(BUSY|LOCKED|CORRUPT|SCHEMA)/.test(error.code ?? "")) throw error;
      failed++;
    }
  }
  if (db.inTransaction && !line.includes("leave open")) db.exec("rollback");
  process.stdout.write(`${failed}\n`);
}
db.close();
