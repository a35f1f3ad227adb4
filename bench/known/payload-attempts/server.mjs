// Payload's REST API behind node:http on PostgreSQL. Users are locked after five wrong passwords.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(createRequire(join(process.env.SERVER, "package.json")).resolve(name)).href);
const [{ buildConfig, getPayload, handleEndpoints }, { postgresAdapter }] = [await load("payload"), await load("@payloadcms/db-postgres")];
const config = buildConfig({
  secret: "only-for-tests",
  telemetry: false,
  collections: [{ slug: "users", auth: { maxLoginAttempts: 5 }, fields: [] }],
  // Without PORT, the program only creates the tables.
  db: postgresAdapter({ pool: { connectionString: process.env.DATABASE_URL }, push: process.env.PORT === undefined }),
});
await getPayload({ config });
if (process.env.PORT === undefined) process.exit(0);

async function answer(request, response) {
  const { method, headers, url } = request;
  const body = method === "GET" ? undefined : Readable.toWeb(request);
  const asked = new Request(`http://${headers.host}${url}`, { method, headers, body, duplex: "half" });
  const answer = await handleEndpoints({ config, request: asked });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

createServer((request, response) => void answer(request, response)).listen(process.env.PORT, "127.0.0.1");
