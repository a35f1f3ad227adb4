// better-auth behind node:http on PostgreSQL, with transactions turned on.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = createRequire(join(process.env.SERVER, "package.json"));
const [{ Pool }, { PostgresDialect }] = [load("pg"), load("kysely")];
const part = (name) => import(pathToFileURL(createRequire(load.resolve("better-auth")).resolve(name)).href);
const [{ betterAuth }, { getMigrations }, { toNodeHandler }] = await Promise.all(
  ["better-auth", "better-auth/db", "better-auth/node"].map(part),
);
const options = {
  database: {
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) }),
    type: "postgres",
    transaction: true,
  },
  baseURL: `http://127.0.0.1:${process.env.PORT ?? 3000}`,
  secret: "a-secret-that-is-only-used-in-tests-0000",
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
// Without PORT, the program only creates the tables.
if (process.env.PORT === undefined) {
  await (await getMigrations(options)).runMigrations();
  process.exit(0);
}
createServer(toNodeHandler(betterAuth(options))).listen(process.env.PORT, "127.0.0.1");
