// NocoDB on PostgreSQL, without its cache. Without PORT, the program only creates the tables.
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { SERVER, DATABASE_URL, MAIL_URL, PORT } = process.env;
const load = createRequire(join(SERVER, "package.json"));
const { hostname, port, username, pathname } = new URL(DATABASE_URL);
const mail = new URL(MAIL_URL ?? "smtp://127.0.0.1:25");
Object.assign(process.env, {
  NC_DB: `pg://${hostname}:${port === "" ? "5432" : port}?u=${username}&p=none&d=${pathname.slice(1)}`,
  NC_TOOL_DIR: mkdtempSync(join(tmpdir(), "seqqa-known-nocodb-")),
  NC_AUTH_JWT_SECRET: "only-for-tests",
  NC_DISABLE_CACHE: "true",
  NC_DISABLE_TELE: "true",
  NC_SMTP_FROM: "app@example.org",
  NC_SMTP_HOST: mail.hostname,
  NC_SMTP_PORT: mail.port,
});
const { Noco } = load("nocodb");
const app = load("express")();
const server = app.listen(Number(PORT ?? 0), "127.0.0.1");
app.use(await Noco.init({}, server, app));
if (PORT === undefined) process.exit(0);
