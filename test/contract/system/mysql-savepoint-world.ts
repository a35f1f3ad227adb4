import { randomStatements } from "./mysql-world.ts";
import type { Random } from "./random.ts";

export { SCHEMA, SEED } from "./mysql-world.ts";

/** What a target sends, one text at a time; many are refused, which is meant. */
export function randomTexts(random: Random): string[] {
  if (random.chance(50)) return statements(random);
  const body = Array.from({ length: 1 + random.below(4) }, () => statements(random)).flat();
  if (random.chance(40)) {
    body.push("savepoint one", ...statements(random));
    if (random.chance(30)) body.push("savepoint `one`", ...statements(random));
    body.push(random.pick(["rollback to one", "release savepoint ONE", "ROLLBACK WORK TO SAVEPOINT one"]), ...statements(random));
  }
  if (random.chance(15)) body.push("create temporary table if not exists passing(n int)", "insert into passing values (1)");
  if (random.chance(10))
    body.push("set session transaction isolation level read committed", "set transaction isolation level serializable");
  const begin = random.pick([
    "begin",
    "BEGIN WORK",
    "/* x */ start transaction",
    "start transaction read only",
    "set autocommit = 0",
    "/*!50000 begin */",
  ]);
  const end = random.pick([
    "commit",
    "COMMIT;",
    "commit work",
    "rollback",
    "rollback and chain",
    "commit and chain",
    "set autocommit = 1",
    "begin",
  ]);
  return [begin, ...body, end, ...statements(random), random.pick(["commit", "rollback"])];
}

/** One statement a text: more are not taken on the connection that is lent. */
function statements(random: Random): string[] {
  return randomStatements(random, false).flatMap((text) => (/^(?:create|begin)\b/i.test(text) ? [text] : text.split("; ")));
}
