/**
 * A target that fails in every way that a network service can, always in the same states: it is slow, refuses a request once, answers 500, resets the
 * connection, sends bytes that are not HTTP, cuts its answer off, and ends its process. Its counter has no limit, so the number of states is
 * unlimited.
 */
export const SOAK_SERVER = `
import { createServer } from "node:http";
const url = process.env.DB_URL;
let read, write;
if (url === undefined) {
  const { default: Database } = await import("better-sqlite3");
  const db = new Database(process.env.DB_PATH);
  db.exec("CREATE TABLE IF NOT EXISTS counts (id INTEGER PRIMARY KEY, value INTEGER NOT NULL); INSERT OR IGNORE INTO counts VALUES (1, 0)");
  read = () => db.prepare("SELECT value FROM counts").pluck().get();
  write = (n) => db.prepare("UPDATE counts SET value = ? WHERE id = 1").run(n);
} else {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await pool.query("CREATE TABLE IF NOT EXISTS counts (id integer PRIMARY KEY, value integer NOT NULL)");
  await pool.query("INSERT INTO counts VALUES (1, 0) ON CONFLICT DO NOTHING");
  read = async () => (await pool.query("SELECT value FROM counts")).rows[0].value;
  write = (n) => pool.query("UPDATE counts SET value = $1 WHERE id = 1", [n]);
}
/** The states in which a request was refused: the next attempt is accepted. */
const refused = new Set();

createServer(async (request, response) => {
  const { socket, url: path } = request;
  const n = await read();
  const answer = (status, body, headers = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  const fine = () => answer(200, { n });
  switch (path) {
    case "/add":
      await write(n + 1);
      return answer(201, { n: n + 1 });
    case "/delay":
      return void setTimeout(fine, n % 3);
    case "/shed":
      if (n % 50 !== 7 || refused.delete(n)) return fine();
      refused.add(n);
      return answer(503, { error: "busy" }, { "retry-after": "0" });
    case "/fail":
      return n % 10 === 4 ? answer(500, { error: "x".repeat(2000) }) : fine();
    case "/reset":
      return n === 5 ? socket.resetAndDestroy() : fine();
    case "/garbage":
      return n % 10 === 6 ? socket.end("\\x16\\x03\\x01 \\x00\\xff this is not HTTP\\r\\n\\r\\n") : fine();
    case "/cut":
      return n === 7 ? socket.end("HTTP/1.1 200 OK\\r\\ncontent-length: 100\\r\\n\\r\\n{") : fine();
    case "/crash":
      return n === 8 ? process.exit(7) : fine();
    default:
      return fine();
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

export const SOAK_EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
const read = (name) => new Action({ name, run: (api) => api.get("/" + name) });
export const agent = new Agent({
  actions: [
    new Action({ name: "add", run: (api) => api.post("/add") }),
    ...["delay", "shed", "fail", "reset", "garbage", "cut", "crash"].map(read),
  ],
  invariants: [new Invariant({ name: "below_twelve", check: async (world) => (await world.api.get("/count")).json().n < 12 })],
  continueAfterViolation: true,
  maxSteps: Number(process.env.SOAK_STEPS),
});
`;

/** The findings that every exploration of {@link SOAK_SERVER} reports: rule, last action, and number of steps of the path. */
export const SOAK_FINDINGS: readonly string[] = [
  "below_twelve add 12",
  "fail_server_error fail 5",
  "invalid_http_answer cut 8",
  "invalid_http_answer garbage 7",
  "target_crashed crash 9",
  "target_crashed reset 6",
];

/** The frequency of explorations on two lanes in threads: one exploration of this number. */
const TWO_LANES_EVERY = 4;

/**
 * A program that repeats the same exploration until the time is up, and writes a line of JSON after each exploration. Every exploration needs the
 * same memory, so memory that grows from one to the next is a leak. Arguments: the time in seconds, and the number of explorations that are measured at least.
 */
export const SOAK_PROGRAM: string = `
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent } from "./soak.explore.mjs";

const module = new URL("./soak.explore.mjs", import.meta.url).href;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const used = async () => {
  for (let i = 0; i < 4; i++) {
    await pause(20);
    gc();
  }
  return process.memoryUsage();
};
/** Everything that a run could leave behind, by its names. */
const open = () => ({
  resources: process.getActiveResourcesInfo().toSorted(),
  files: readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync("/proc/self/fd/" + fd).replace(/\\d+(?=\\])/, "n")];
    } catch {
      return [];
    }
  }).toSorted(),
  children: execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" }).split("\\n").filter((line) => line !== "" && !line.includes("--ppid")),
  temporary: [...new Set(["/dev/shm", tmpdir()])].flatMap((base) => {
    const root = join(base, "seqqa-" + process.getuid());
    try {
      return readdirSync(root).filter((one) => {
        try {
          return JSON.parse(readFileSync(join(root, one, "owner.json"), "utf8")).pid === process.pid;
        } catch {
          return false;
        }
      });
    } catch {
      return [];
    }
  }).concat(readdirSync(tmpdir()).filter((one) => one !== "seqqa-" + process.getuid())),
  listeners: process.eventNames().map((name) => String(name) + " " + process.listenerCount(name)).toSorted(),
});

const say = (line) => console.log(JSON.stringify(line));
const end = performance.now() + Number(process.argv[2]) * 1000;
let steps = 0;
let last;
const explore = async (round) => {
  const parallel = round % ${TWO_LANES_EVERY} === ${TWO_LANES_EVERY - 1} ? 2 : 1;
  const result = await agent.explore({ config: "seqqa.yaml", parallel, ...(parallel === 1 ? {} : { module }) });
  steps += result.steps;
  last = result;
  const { heapUsed, rss } = await used();
  const { digest, stopReason, verdict, unverified, errors, divergences } = result;
  const violations = result.violations.map((one) => ({ id: one.id, invariant: one.invariant, path: one.reproductionPath, confirmed: one.confirmed }));
  say({ kind: "round", round, parallel, steps, heapUsed, rss, digest, stopReason, verdict, unverified, errors, divergences, violations });
};
// A run loads code and opens what stays for the process; the beginning is what there is after one run of each kind.
await explore(0);
await explore(${TWO_LANES_EVERY - 1});
say({ kind: "open", when: "start", ...open() });
for (let round = ${TWO_LANES_EVERY}; round < ${TWO_LANES_EVERY} + Number(process.argv[3]) || performance.now() < end; round++) await explore(round);
for (const { invariant, reproductionPath } of last.violations) {
  const { violations } = await agent.replay(reproductionPath, { config: "seqqa.yaml" });
  say({ kind: "replay", invariant, path: reproductionPath, broken: violations.map((one) => one.invariant) });
}
last = undefined;
await used();
say({ kind: "open", when: "end", ...open() });
`;
