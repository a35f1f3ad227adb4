// Strapi's accounts on PostgreSQL, with sessions that refresh tokens renew. The code for resetting the password is sent by mail.
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { SERVER, DATABASE_URL, MAIL_URL, PORT } = process.env;
const load = createRequire(join(SERVER, "package.json"));
const app = mkdtempSync(join(tmpdir(), "seqqa-known-strapi-"));
const mail = new URL(MAIL_URL ?? "smtp://127.0.0.1:25");
const config = {
  admin: {
    auth: { secret: "only" },
    apiToken: { salt: "for" },
    transfer: { token: { salt: "tests" } },
    secrets: { encryptionKey: "0".repeat(32) },
  },
  api: {},
  database: { connection: { client: "postgres", connection: { connectionString: DATABASE_URL } } },
  middlewares: ["errors", "security", "cors", "query", "body", "favicon", "public"].map((name) => `strapi::${name}`),
  plugins: {
    email: {
      config: {
        provider: "nodemailer",
        providerOptions: { host: mail.hostname, port: Number(mail.port), ignoreTLS: true },
        settings: { defaultFrom: "app@example.org", defaultReplyTo: "app@example.org" },
      },
    },
    "users-permissions": { config: { jwtSecret: "only-for-tests", jwtManagement: "refresh", ratelimit: { enabled: false } } },
  },
  server: { host: "127.0.0.1", port: Number(PORT ?? 0), app: { keys: ["only-for-tests"] } },
};
mkdirSync(join(app, "config"));
mkdirSync(join(app, "public/uploads"), { recursive: true });
for (const [name, value] of Object.entries(config))
  writeFileSync(join(app, "config", `${name}.js`), `module.exports = ${JSON.stringify(value)};`);
writeFileSync(
  join(app, "package.json"),
  JSON.stringify({ name: "app", version: "1.0.0", dependencies: { "@strapi/plugin-users-permissions": "*" } }),
);
symlinkSync(join(SERVER, "node_modules"), join(app, "node_modules"));

const { createStrapi } = load("@strapi/strapi");
const strapi = await createStrapi({ appDir: app, distDir: app, serveAdminPanel: false }).load();
if (PORT === undefined) {
  // Without PORT, the program only creates the tables, and permits everybody to renew a session.
  const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
  await strapi.db
    .query("plugin::users-permissions.permission")
    .create({ data: { action: "plugin::users-permissions.auth.refresh", role: role.id } });
  await strapi.destroy();
  process.exit(0);
}
await strapi.listen();
