// A process that borrows a file, explores it without an end (`quiet`: stands in a state that it has recorded), and is killed in the middle. It says when
// it has begun.
import Database from "better-sqlite3";
import { SqliteAdapter } from "../../../../src/adapters/sqlite/index.ts";
import { Random } from "../../../contract/system/random.ts";
import { randomStatements } from "../../../contract/system/sqlite-world.ts";

const [file = "", how = "busy", seed = "1"] = process.argv.slice(2);
const random = new Random(Number(seed));

const target = new Database(file, { timeout: 5000 });
target.pragma("foreign_keys = on");

/** As the target would: some statements are refused. */
function write(): void {
  for (const sql of randomStatements(random)) {
    try {
      const statement = target.prepare(sql);
      if (statement.reader) statement.all();
      else statement.run();
    } catch {
      // Refused.
    }
  }
  if (target.inTransaction) target.exec("rollback");
}

const system = new SqliteAdapter({ file });
await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
// What `setup` writes.
for (let i = 0; i < 5; i++) write();
await system.root();
const root = await system.mark();
if (how === "quiet") {
  write();
  write();
  await system.changed(root);
}
process.stdout.write("begun\n");
if (how === "quiet") await new Promise((resolve) => setTimeout(resolve, 60_000));
const images: unknown[] = [];
for (;;) {
  await system.restore(root);
  for (let depth = random.below(4); depth >= 0; depth--) {
    const mark = await system.mark();
    write();
    write();
    if (random.chance(30)) images.push(await system.capture());
    if (random.chance(30)) await system.restore(mark);
    if (random.chance(20) && images.length > 0) await system.write(random.pick(images));
  }
}
