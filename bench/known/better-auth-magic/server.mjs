// better-auth with magic links, behind node:http on PostgreSQL, set up as its documentation shows. The link is sent by mail.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTransport } from "nodemailer";

const { Pool } = createRequire(join(process.env.SERVER, "package.json"))("pg");
const part = (path) => import(pathToFileURL(join(process.env.SERVER, "node_modules/better-auth/dist", path)).href);
const [{ betterAuth }, { magicLink }, { getMigrations }, { toNodeHandler }] = await Promise.all(
  ["index.mjs", "plugins/index.mjs", "db/get-migration.mjs", "integrations/node.mjs"].map(part),
);
const mail = createTransport(process.env.MAIL_URL ?? "smtp://127.0.0.1");
const options = {
  database: new Pool({ connectionString: process.env.DATABASE_URL }),
  baseURL: `http://127.0.0.1:${process.env.PORT ?? 3000}`,
  secret: "a-secret-that-is-only-used-in-tests-0000",
  plugins: [
    magicLink({
      sendMagicLink: ({ email, url }) => mail.sendMail({ from: "app@example.org", to: email, subject: "Log in", text: url }),
    }),
  ],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
// Without PORT, the program only creates the tables.
if (process.env.PORT === undefined) {
  await (await getMigrations(options)).runMigrations();
  process.exit(0);
}
createServer(toNodeHandler(betterAuth(options))).listen(process.env.PORT, "127.0.0.1");
