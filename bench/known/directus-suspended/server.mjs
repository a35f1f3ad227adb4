// Directus on PostgreSQL. Without PORT, the program only creates the tables and the administrator.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { SERVER, DATABASE_URL, PORT } = process.env;
const { hostname, port, username, pathname } = new URL(DATABASE_URL);
const cli = join(SERVER, "node_modules/directus/cli.js");
Object.assign(process.env, {
  HOST: "127.0.0.1",
  KEY: "seqqa",
  SECRET: "a-secret-that-is-only-used-in-tests",
  DB_CLIENT: "pg",
  DB_HOST: hostname,
  DB_PORT: port === "" ? "5432" : port,
  DB_DATABASE: pathname.slice(1),
  DB_USER: username,
  DB_PASSWORD: "",
  ADMIN_EMAIL: "ada@example.org",
  ADMIN_PASSWORD: "secret-12",
  TELEMETRY: "false",
  LOG_LEVEL: "warn",
});
process.chdir(SERVER);
process.argv = [process.argv[0], cli, PORT === undefined ? "bootstrap" : "start"];
await import(pathToFileURL(cli).href);
