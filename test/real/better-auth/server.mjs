import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";

const part = (path) => import(pathToFileURL(join(process.env.REAL_SERVER, "node_modules/better-auth/dist", path)).href);
const [{ betterAuth }, { getMigrations }, { toNodeHandler }, { organization }] = await Promise.all(
  ["index.mjs", "db/get-migration.mjs", "integrations/node.mjs", "plugins/index.mjs"].map(part),
);

// Set up the way its documentation shows.
const options = {
  database: new Database(process.env.DB_PATH),
  baseURL: `http://127.0.0.1:${process.env.PORT}`,
  secret: "a-secret-that-is-only-used-in-tests-0000",
  emailAndPassword: { enabled: true },
  user: { deleteUser: { enabled: true } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [organization()],
};
await (await getMigrations(options)).runMigrations();
createServer(toNodeHandler(betterAuth(options))).listen(process.env.PORT, "127.0.0.1");
