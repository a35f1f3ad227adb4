import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, linkPackages, only, seqqa, writtenIn } from "../support/e2e.ts";

const SERVER = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  for await (const chunk of request);
  response.writeHead(request.url === "/odd" ? 500 : 200).end(JSON.stringify({ answered: 'the "marked" answer', at: Math.random() }));
}).listen(Number(process.env.PORT));
`;

const EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
const sent = { json: { sent: "the marked request" } };
export const agent = new Agent({
  actions: [
    new Action({ name: "throws", run: async (api) => { throw new Error("odd: " + (await api.post("/a", sent)).text); } }),
    new Action({ name: "quotes", run: async (api) => { throw new Error(JSON.stringify({ got: (await api.post("/a", sent)).text, sent: JSON.stringify(sent.json) })); } }),
    new Action({ name: "parses", run: async (api) => { (await api.post("/a", sent)).json().not.there; } }),
    new Action({ name: "odd", run: (api) => api.post("/odd", sent) }),
  ],
  invariants: [
    new Invariant({ name: "checked", check: async (world) => { throw new Error("seen: " + (await world.api.get("/b")).text); } }),
  ],
});
`;

const CONFIG = `
target: { command: node server.mjs, env: { PORT: "{port}" } }
exploration: { max_depth: 1 }
report: { formats: [html, json, junit], output_dir: ./out, include_request_response: false }
`;

describe("report.include_request_response: false", () => {
  it("leaves bodies out of all that is written and printed, also where user code throws them", async () => {
    const folder = folderWith({ "server.mjs": SERVER, "a.explore.ts": EXPLORATION, "seqqa.yaml": CONFIG });
    linkPackages(folder, "seqqa");
    const out = join(folder, "out");
    const ran = await seqqa(["run", ".", "--verbose"], { cwd: folder });
    const { errors, violations } = only(writtenIn(out));
    expect(errors.map(({ source }) => source).toSorted()).toEqual(["checked", "parses", "quotes", "throws"]);
    expect(errors.find(({ source }) => source === "throws")!.message).toBe('Action "throws" threw: odd: [not shown]');
    const replayed = await seqqa(["replay", violations[0]!.id], { cwd: folder });
    expect([ran.status, replayed.status]).toEqual([1, 1]);
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = new Map(files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")]));
    for (const [name, text] of [...texts, ["run", ran.stdout + ran.stderr], ["replay", replayed.stdout + replayed.stderr]] as const)
      expect(text.includes("marked"), name).toBe(false);
  });
});
