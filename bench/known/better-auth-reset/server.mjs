// better-auth behind node:http on SQLite, set up as its documentation shows. The reset link is sent by mail.
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { createTransport } from "nodemailer";

const part = (path) => import(pathToFileURL(join(process.env.SERVER, "node_modules/better-auth/dist", path)).href);
const [{ betterAuth }, { getMigrations }, { toNodeHandler }] = await Promise.all(
  ["index.mjs", "db/get-migration.mjs", "integrations/node.mjs"].map(part),
);
const mail = createTransport(process.env.MAIL_URL);
const options = {
  database: new Database(process.env.DB_PATH),
  baseURL: `http://127.0.0.1:${process.env.PORT}`,
  secret: "a-secret-that-is-only-used-in-tests-0000",
  emailAndPassword: {
    enabled: true,
    sendResetPassword: ({ user, token }) =>
      mail.sendMail({ from: "app@example.org", to: user.email, subject: "Reset", text: `token=${token}` }),
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
await (await getMigrations(options)).runMigrations();
createServer(toNodeHandler(betterAuth(options))).listen(process.env.PORT, "127.0.0.1");
