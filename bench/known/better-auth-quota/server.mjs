// An API on PostgreSQL whose calls need a key of better-auth's API key plugin. The plugin counts the calls.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { Pool } = createRequire(join(process.env.SERVER, "package.json"))("pg");
const part = (path) => import(pathToFileURL(join(process.env.SERVER, "node_modules", path)).href);
const [{ betterAuth }, { getMigrations }, { toNodeHandler }, { apiKey }] = await Promise.all(
  ["better-auth/dist/index.mjs", "better-auth/dist/db/get-migration.mjs", "better-auth/dist/integrations/node.mjs"]
    .concat("@better-auth/api-key/dist/index.mjs")
    .map(part),
);
const options = {
  database: new Pool({ connectionString: process.env.DATABASE_URL }),
  baseURL: `http://127.0.0.1:${process.env.PORT ?? 3000}`,
  secret: "a-secret-that-is-only-used-in-tests-0000",
  emailAndPassword: { enabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
// Without PORT, the program only creates the tables.
if (process.env.PORT === undefined) {
  await (await getMigrations(options)).runMigrations();
  process.exit(0);
}
const auth = betterAuth(options);
const accounts = toNodeHandler(auth);

/**
 * Creates a key for two calls per hour for a new user, or makes a call with a key. The hourly refill is set, because otherwise a refused call deletes
 * the key.
 */
async function answer({ url, headers }) {
  if (url === "/keys") {
    const { user } = await auth.api.signUpEmail({ body: { name: "Ada", email: "ada@example.org", password: "secret-12" } });
    const quota = { remaining: 2, refillAmount: 2, refillInterval: 3_600_000 };
    return [201, await auth.api.createApiKey({ body: { userId: user.id, ...quota } })];
  }
  const { valid, error } = await auth.api.verifyApiKey({ body: { key: headers["x-api-key"] ?? "" } });
  return valid ? [200, { done: true }] : [429, { error }];
}

async function serve(request, response) {
  if (request.url.startsWith("/api/auth")) return accounts(request, response);
  const [status, body] = await answer(request);
  return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

createServer((request, response) => void serve(request, response)).listen(process.env.PORT, "127.0.0.1");
