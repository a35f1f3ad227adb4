// Payload's REST API behind node:http on SQLite. Everybody may register, and users may delete themselves.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(createRequire(join(process.env.SERVER, "package.json")).resolve(name)).href);
const [{ buildConfig, getPayload, handleEndpoints }, { sqliteAdapter }] = [await load("payload"), await load("@payloadcms/db-sqlite")];
const own = ({ req: { user } }) => user !== null && { id: { equals: user.id } };
const config = buildConfig({
  secret: "only-for-tests",
  telemetry: false,
  collections: [{ slug: "users", auth: true, access: { create: () => true, read: own, delete: own }, fields: [] }],
  db: sqliteAdapter({ client: { url: `file:${process.env.DB_PATH}` }, push: true }),
});
await getPayload({ config });

async function answer(request, response) {
  const { method, headers, url } = request;
  const body = method === "GET" || method === "DELETE" ? undefined : Readable.toWeb(request);
  const asked = new Request(`http://${headers.host}${url}`, { method, headers, body, duplex: "half" });
  const answer = await handleEndpoints({ config, request: asked });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

createServer((request, response) => void answer(request, response)).listen(process.env.PORT, "127.0.0.1");
