import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";

/** A coupon that can be redeemed once, unless two requests arrive at once. */
const SERVER = `
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS coupons (id INTEGER PRIMARY KEY, uses INTEGER NOT NULL)");
createServer(async (request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url === "/coupons") return send(201, { id: Number(db.prepare("INSERT INTO coupons (uses) VALUES (0)").run().lastInsertRowid) });
  const id = Number(request.url.split("/")[2]);
  const coupon = db.prepare("SELECT uses FROM coupons WHERE id = ?").get(id);
  if (coupon === undefined || coupon.uses > 0) return send(409, {});
  await sleep(4);
  db.prepare("UPDATE coupons SET uses = uses + 1 WHERE id = ?").run(id);
  send(200, { done: "yes" });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { Rule, singleUse } from "seqqa/rules";
export const agent = new Agent<any>({
  name: "coupons",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  actions: [
    new Action<any>({ name: "issue", precondition: (context) => !context.has("coupon"), run: async (api, context) => { const answer = await api.post("/coupons"); context.set("coupon", answer.json<any>().id); return answer; } }),
    new Action<any>({ name: "redeem", precondition: (context) => context.has("coupon"), run: (api, context) => api.post("/coupons/" + context.getRequired("coupon")) }),
  ],
  invariants: [
    singleUse({ create: "issue", use: "redeem" }),
    new Rule<any>({ name: "documented", message: "the answer differs from its description", severity: "SEVERITY", judge: (_world, { action }) => action.name !== "redeem" }),
  ],
});
`;

interface Found {
  readonly races: readonly { readonly verdict: string; readonly invariant?: string }[];
  readonly raceCoverage: { readonly skipped: Readonly<Record<string, number>> };
  readonly unjudgedRules?: readonly string[];
  readonly notes: readonly string[];
  readonly violations: readonly { readonly id: string }[];
}

describe("a call with a finding", () => {
  const explored = async (severity: string, known: readonly string[] = []): Promise<Found & { readonly stdout: string }> => {
    const cwd = folderWith({
      "server.mjs": SERVER,
      "coupons.explore.ts": EXPLORATION.replace("SEVERITY", severity),
      "known.yaml": known.map((id) => `- ${id}\n`).join(""),
      "seqqa.yaml":
        `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\nexploration: { max_depth: 3 }\n` +
        (known.length > 0 ? "known_findings: known.yaml\n" : ""),
    });
    const { stdout, stderr } = await seqqa(["run", ".", "--output", "out"], { cwd });
    return { ...(only(writtenIn(join(cwd, "out"))) as unknown as Found), stdout: stdout + stderr };
  };

  it("of medium severity is raced, so that the rule finds that its code is accepted twice", async () => {
    const { races, stdout } = await explored("medium");
    expect(
      races.map(({ invariant }) => invariant),
      stdout,
    ).toEqual(["single_use_redeem"]);
  });

  it("of high severity is not, and the rule is not checked, unless the finding is known", async () => {
    const { races, unjudgedRules, notes, violations, stdout } = await explored("high");
    expect([races, unjudgedRules], stdout).toEqual([[], ["single_use_redeem"]]);
    expect(notes).toContain(
      "single_use_redeem did not send its calls at the same time, because each of them has a finding of high or critical severity.",
    );
    expect(stdout).toMatch(/\? single_use_redeem/);
    const again = await explored(
      "high",
      violations.map(({ id }) => id),
    );
    expect(
      again.races.map(({ invariant }) => invariant),
      again.stdout,
    ).toEqual(["single_use_redeem"]);
  });
});
