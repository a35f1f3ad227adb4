import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

/** Tokens hold nothing but who it is, and times in whole seconds: two logins in one second give one token. */
const SERVER = `import { createHmac, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, owner TEXT)");
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (claims) => {
  const iat = Math.floor(Date.now() / 1000);
  const text = part({ alg: "HS256", typ: "JWT" }) + "." + part({ ...claims, iat, exp: iat + 3600 });
  return text + "." + createHmac("sha256", "only-for-tests").update(text).digest("base64url");
};
createServer((request, response) => {
  const end = (status, body, headers) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  if (request.url === "/login") {
    const token = sign({ sub: "ada" });
    return end(200, { token }, process.env.BY === "cookie" ? { "set-cookie": "session=" + token + "; Path=/; HttpOnly" } : {});
  }
  if (request.headers.authorization === undefined && request.headers.cookie === undefined) return end(401, {});
  if (db.prepare("SELECT count(*) AS n FROM notes").get().n >= 2) return end(409, {});
  db.prepare("INSERT INTO notes VALUES (?, ?)").run(randomUUID(), "ada");
  end(201, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const AGENT = `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  actions: [
    new Action({
      name: "login",
      run: async (api) => {
        const answer = await api.post("/login");
        if (process.env["BY"] === "header") api.setAuthToken(answer.json<{ token: string }>().token);
        return answer;
      },
    }),
    new Action({ name: "note", run: async (api) => api.post("/notes") }),
  ],
  invariants: [],
});
`;

describe("a JWT with times in whole seconds", () => {
  it.each(["header", "cookie"])("sent in a %s is its claims: nothing is left out of the states, whenever the steps run", async (by) => {
    const cwd = folderWith({
      "seqqa.yaml": `target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", BY: ${by} }\n`,
      "server.mjs": SERVER,
      "notes.explore.ts": AGENT,
    });
    linkPackages(cwd, "seqqa", "better-sqlite3");
    const results = [];
    for (const parallel of laneCounts) {
      const ran = await seqqa(["run", ".", "--parallel", parallel, "--reporter", "json", "--output", "out"], { cwd, env: { BY: by } });
      expect(ran.status).toBe(0);
      results.push(only(documentOf(ran)));
    }
    // Logged in or not, and with none, one or two notes; a note needs a login before it.
    expect(results.map(({ statesVisited }) => statesVisited)).toEqual(laneCounts.map(() => 4));
    expect(results[0]).toMatchObject({ stopReason: "exhausted", divergences: [], errors: [] });
    expect(new Set(results.map(({ digest }) => digest)).size).toBe(1);
  });
});
