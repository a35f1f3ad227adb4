import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { folderWith, linkPackages, seqqaProcess, writtenIn, type Document, type Ran } from "../support/e2e.ts";
import { junitErrors } from "../support/junit/junit-errors.ts";
import { parseXml } from "../support/xml.ts";

/** Stands in the places that `report.redact` names, and then in many that it does not. */
const SECRET = "zq7hush41f9c0";

const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, password TEXT, profile TEXT)");
const secret = process.env.HUSH;
const evil = "<script>alert(1)</script></script>]]>\\u0000\\u001b[31mred\\u001b]0;title\\u0007 \\u202e @octocat | \`x\` ##[error]x\\n::error::x\\n  ::add-mask::x";
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("latin1");
  const send = (status, content, headers = {}) => response.writeHead(status, headers).end(content);
  switch (new URL(request.url, "http://h").pathname) {
    case "/login":
      console.log("signed in with token=" + secret + ", said " + secret);
      db.prepare("INSERT INTO users (password, profile) VALUES (?, ?)").run(secret, JSON.stringify({ secret, note: "it is " + secret }));
      return send(201, JSON.stringify({ token: secret, user: { list: [{ password: [secret] }], motto: "I am " + secret } }), {
        "set-cookie": "sid=" + secret + "; Path=/", "x-echo": "token=" + secret, location: "/users/" + secret + "?token=" + secret,
      });
    case "/echo":
      return send(500, JSON.stringify({ url: request.url, headers: request.headers, raw: request.rawHeaders, body, password: secret }));
    case "/text":
      return send(500, "no access with password: " + secret + " or token=" + secret + " (" + secret + ")");
    case "/crash":
      console.error("the secret=" + secret + " is " + secret);
      process.exit(7);
    case "/evil":
      return send(200, evil + JSON.stringify({ lone: "\\ud800" }).replace("\\\\\\\\", "\\\\"), { "content-type": "text/html", "x-evil": "<b>]]>" });
    case "/big":
      return send(500, Buffer.alloc(5_000_000, Buffer.from([0, 27, 91, 51, 49, 109, 255, 254, 128, 60, 93, 93, 62])), { "content-type": "application/octet-stream" });
    default:
      return send(200, "{}");
  }
}).listen(Number(process.env.PORT));
`;

const EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
const token = (context) => context.get("token") ?? "";
const post = (name, send, more = {}) => new Action({ name, precondition: (context) => context.has("token"), run: send, ...more });
export const agent = new Agent({
  actions: [
    new Action({
      name: "log_in",
      precondition: (context) => !context.has("token"),
      run: async (api, context) => {
        const response = await api.post("/login", { json: { password: process.env.HUSH } });
        const { token } = response.json();
        context.set("token", token);
        context.set("session", { deep: [{ access_token: token }] });
        api.setAuthToken(token);
        return response;
      },
    }),
    post("form", (api, context) => api.post("/echo?token=" + token(context), { form: { "user[password]": token(context), a: "1" } })),
    post("multipart", (api, context) => api.post("/echo?access_token=" + token(context), { multipart: { secret: token(context), plain: "x" } }), {}),
    post("text", (api, context) => { console.log("sends Bearer " + token(context)); return api.get("/text"); }),
    post("throws", (api, context) => { throw new Error("refused " + token(context) + ", password='" + token(context) + "'"); }),
    new Action({ name: "crash", run: (api) => api.post("/crash") }),
    new Action({ name: "evil", run: async (api, context) => { const response = await api.get("/evil"); context.set("evil", response.text); return response; } }),
    new Action({ name: "big", run: (api) => api.get("/big") }),
  ],
  invariants: [new Invariant({ name: "calm", check: (world) => !world.context.has("evil") })],
});
`;

const JOURNEY = `
import { Journey, Step } from "seqqa";
export const journey = new Journey({
  name: "sign_in",
  steps: [
    new Step({ name: "log in", args: { password: process.env.HUSH, again: "it is " + process.env.HUSH }, action: (api, context, args) => api.post("/login", { json: args }) }),
    new Step({ name: "evil", action: (api) => api.get("/evil") }),
    new Step({ name: "read", action: async (api, context) => { context.set("token", process.env.HUSH); throw new Error("no way in with " + process.env.HUSH + ": " + (await api.get("/evil")).text); } }),
  ],
});
`;

const CONFIG = `
target:
  command: node server.mjs
  env: { PORT: "{port}", DB_PATH: "{db_path}" }
exploration: { max_steps: 40, max_depth: 2 }
report: { formats: [html, json, junit, sarif], output_dir: ./out }
`;

interface Seen {
  readonly ran: Ran;
  readonly document: Document;
  readonly folder: string;
  /** Everything that was written and printed. */
  readonly all: ReadonlyMap<string, string>;
}

async function run(folder: string, args: readonly string[], output: string): Promise<Seen> {
  const out = join(folder, output);
  const summary = join(folder, `${output}.md`);
  const env = { HUSH: SECRET, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder };
  const ran = await seqqaProcess([...args, "--verbose", "--output", out], { cwd: folder, env });
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const all = new Map(files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")]));
  all.set("summary", readFileSync(summary, "utf8")).set("stdout", ran.stdout).set("stderr", ran.stderr);
  return { ran, document: writtenIn(out), folder: out, all };
}

describe("what a target answers", () => {
  let seen: readonly Seen[];
  beforeAll(async () => {
    const folder = folderWith({ "server.mjs": SERVER, "a.explore.ts": EXPLORATION, "journeys/sign-in.ts": JOURNEY, "seqqa.yaml": CONFIG });
    linkPackages(folder, "better-sqlite3");
    seen = [await run(folder, ["run", "."], "explored"), await run(folder, ["run", "sign_in"], "walked")];
  }, 120_000);

  it("is found out, so that there is something to show", () => {
    const [explored, walked] = seen;
    const found = explored!.document.explorations[0]!.violations.map(({ invariant }) => invariant).toSorted();
    expect(found).toEqual([
      "big_server_error",
      "calm",
      "form_server_error",
      "multipart_server_error",
      "target_crashed",
      "text_server_error",
    ]);
    expect(explored!.document.explorations[0]!.errors.map(({ source }) => source)).toContain("throws");
    expect([explored!.ran.status, walked!.ran.status]).toEqual([1, 1]);
    for (const name of ["report.html", "results.json", "junit.xml", "stdout", "stderr", "summary"])
      expect(explored!.all.get(name)).not.toBe("");
    expect([...explored!.all.keys()].some((name) => name.endsWith(".db"))).toBe(true);
  });

  it("has no secret left in any byte that is written or printed", () => {
    for (const { all } of seen) {
      const leaks = [...all]
        .filter(([, text]) => text.includes(SECRET))
        .map(([name, text]) => `${name}: ${text.slice(text.indexOf(SECRET) - 200, text.indexOf(SECRET) + 40)}`);
      expect(leaks).toEqual([]);
      expect(all.get("results.json")).toContain("[redacted]");
    }
  });

  it("leaves the document one by its schema, and JUnit valid and inert", async () => {
    for (const { all } of seen) {
      const text = Buffer.from(all.get("junit.xml")!, "latin1").toString("utf8");
      expect(await junitErrors(text)).toEqual([]);
      parseXml(text);
      expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]/); // oxlint-disable-line no-control-regex
    }
    expect(seen[0]!.document.explorations[0]!.violations.find(({ invariant }) => invariant === "calm")!.response!.body).toContain(
      "</script>]]>\0\x1b[31m",
    );
  });

  it("prints no control character, and no command of GitHub but seqqa's own", () => {
    for (const { ran, all } of seen) {
      for (const text of [ran.stdout, ran.stderr, all.get("summary")!]) expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/); // oxlint-disable-line no-control-regex
      const lines = `${ran.stdout}\n${ran.stderr}`.split("\n");
      const commands = lines.filter((line) => /^\s*::/.test(line) || line.includes("##["));
      for (const line of commands) expect(line).toMatch(/^::(?:error|warning|notice) (?:file|title)=[^:]*::/);
      expect(commands.length).toBeGreaterThan(0);
      expect(all.get("summary")!.replace(/<code>.*?<\/code>/g, "")).not.toMatch(/script|octocat/);
    }
  });
});
