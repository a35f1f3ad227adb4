import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explore } from "../models/index.ts";
import { remote } from "../models/remote.ts";
import { full } from "../sizes.ts";
import { documentOf, folderWith, only, root, seqqa, startNode, until } from "../support/e2e.ts";

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** The seats of `fixtures/remote`, running, with the first one reserved. */
async function running(): Promise<string> {
  const port = await freePort();
  startNode([join(root, "fixtures/remote/server.mjs")], { env: { PORT: String(port) } });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/sold`).catch(() => undefined))?.ok === true, "a running server");
  await fetch(`${url}/seats/1/reserve`, { method: "POST" });
  return url;
}

const state = async (url: string): Promise<unknown> => (await fetch(`${url}/__seqqa/state`)).json();

const exploration = (world: string, setup = ""): string => `import { Action, Agent, World } from "seqqa";
import { RemoteAdapter } from "seqqa/adapters/remote";
const on = (id) => ["reserve", "pay", "release"].map((verb) => new Action({ name: verb + "_" + id, run: async (api, context) => {
  const answer = await api.post("/seats/" + id + "/" + verb);
  if (answer.ok) context.set("seat_" + id, answer.json().seat);
  return answer;
} }));
export const agent = new Agent({ name: "seats", world: (lane) => new World({ ${world} }), ${setup} actions: [...on(1), ...on(2), ...on(3)], invariants: [], maxSteps: 100_000 });
`;

const BOUNDS = full ? { flags: [], model: {} } : { flags: ["--max-depth", "2"], model: { maxDepth: 2 } };

describe("a target of the user's own that runs already", () => {
  it("that saves itself is left as it was found", async () => {
    const url = await running();
    const before = await state(url);
    const cwd = folderWith({
      "seqqa.yaml": `base_url: ${url}\n`,
      "seats.explore.js": exploration('systems: { shop: new RemoteAdapter({ url: lane.baseUrl + "/__seqqa" }) }, stateFromContext: []'),
    });
    const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out", ...BOUNDS.flags], { cwd });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    const counts = explore({ ...remote(false), initial: ["rff", 0] }, BOUNDS.model);
    expect(only(documentOf(ran))).toMatchObject({
      statesVisited: counts.states,
      transitions: counts.transitions,
      divergences: [],
      errors: [],
    });
    expect(await state(url)).toEqual(before);
  });

  it("that a reset puts back begins there, whatever it was in, and is left there", async () => {
    const url = await running();
    const before = await state(url);
    // Only the test knows that this is what the reset does.
    expect(await (await fetch(`${url}/__seqqa/checkpoint`, { method: "POST" })).json()).toEqual({ id: 1 });
    await fetch(`${url}/seats/2/reserve`, { method: "POST" });
    const cwd = folderWith({
      "seqqa.yaml": `base_url: ${url}\n`,
      "seats.explore.js": exploration(`reset: async ({ api }) => { await api.post("/__seqqa/rollback", { json: { id: 1 } }); },
        stateFromContext: ["seat_1", "seat_2", "seat_3"],
        context: { seat_1: "reserved", seat_2: "free", seat_3: "free" }`),
    });
    const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out", ...BOUNDS.flags], { cwd });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    const counts = explore({ ...remote(false), initial: ["rff", 0] }, BOUNDS.model);
    expect(only(documentOf(ran))).toMatchObject({
      statesVisited: counts.states,
      transitions: counts.transitions,
      divergences: [],
      errors: [],
    });
    expect(await state(url)).toEqual(before);
  });

  it("that a reset puts back incompletely gives no graph that looks right", async () => {
    const url = await running();
    const cwd = folderWith({
      "seqqa.yaml": `base_url: ${url}\n`,
      "seats.explore.js": exploration(`reset: async ({ api }) => {
        for (const id of [1, 2, 3]) await api.post("/seats/" + id + "/release");
      }, context: { seat_1: "free", seat_2: "free", seat_3: "free" }`),
    });
    const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out"], { cwd });
    const result = only(documentOf(ran));
    expect(ran.status).toBe(3);
    expect(result.divergences.length).toBeGreaterThan(0);
    expect(result.notes.join("\n")).not.toContain("Not part of the state");
  });
});
