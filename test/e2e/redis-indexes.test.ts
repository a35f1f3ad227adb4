import { expect, it } from "vitest";
import { full } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

/** A raffle whose winners are in the database of the URL, and whose counter of draws is in another: the second draw wins. With `BUG` every one from the second on. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const { Redis } = createRequire(${JSON.stringify(import.meta.url)})("ioredis");

const redis = new Redis(process.env.REDIS_URL).on("error", () => {});
const counters = redis.duplicate({ db: Number(process.env.COUNTERS) }).on("error", () => {});
createServer(async (request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const drawn = Number((await counters.get("draws")) ?? 0);
  if (request.method === "GET") return answer(200, { winners: await redis.llen("winners") });
  if (request.url === "/again") return answer(200, { removed: await counters.del("draws") + await redis.del("winners") });
  if (drawn === 4) return answer(409, {});
  await counters.incr("draws");
  if (drawn + 1 === 2 || (drawn + 1 > 2 && process.env.BUG === "1")) await redis.rpush("winners", "ticket");
  answer(200, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  actions: ["draw", "again"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [new Invariant({ name: "one_winner", check: async ({ api }) => (await api.get("/")).json().winners <= 1 })],
});
`;

it.each([
  ["found", "1", { status: 1, statesVisited: 4, violations: [["draw", "draw", "draw"]] }],
  ["not there, nothing is found", "", { status: 0, statesVisited: 5, violations: [] }],
])("a bug behind a counter in another database of a lane's own Redis is %s", async (_what, bug, expected) => {
  const url = await template("redis");
  // Another one than that of the URL, whichever that is.
  const counters = url.endsWith("/3") ? "4" : "3";
  const cwd = folderWith({
    "server.mjs": SERVER,
    "raffle.explore.ts": EXPLORATION,
    "seqqa.yaml": `systems: { cache: { url: "${url}" } }
target: { command: node server.mjs, env: { PORT: "{port}", REDIS_URL: "{url:cache}", COUNTERS: "${counters}", BUG: "${bug}" } }
`,
  });
  const ran = await seqqa(["run", ".", "--parallel", full ? "2" : "1", "--reporter", "json"], { cwd });
  const { statesVisited, violations, divergences, errors } = only(documentOf(ran));
  expect({
    status: ran.status,
    statesVisited,
    violations: violations.map(({ reproductionPath }) => reproductionPath),
    divergences,
    errors,
  }).toEqual({ ...expected, divergences: [], errors: [] });
});
