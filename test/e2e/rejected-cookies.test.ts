import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";

/** Its login sets a cookie for localhost, which the address 127.0.0.1 of a lane is not. */
const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/login") response.setHeader("set-cookie", "sid=1; Path=/; Domain=localhost");
  const isKnown = request.url !== "/me" || request.headers.cookie === "sid=1";
  response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" }).end("{}");
}).listen(process.env.PORT);
`;

const EXPLORATION = (setup: string): string => `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  name: "sessions",
  maxDepth: 2,
  ${setup}
  actions: [
    new Action({ name: "login", run: async (api) => api.post("/login") }),
    new Action({ name: "me", run: async (api) => api.get("/me"), mayNeverSucceed: true }),
  ],
  invariants: [],
});
`;

const JOURNEY = `import { Journey, Step } from "seqqa";
export const journey = new Journey({
  name: "sessions",
  steps: [
    new Step({ name: "login", action: async (client) => client.post("/login") }),
    new Step({ name: "me", action: async (client) => client.get("/me") }),
  ],
});
`;

const NOTE =
  'The cookie "sid" was not kept, because Domain=localhost does not match the host 127.0.0.1. Set target.ready to http://localhost:{port}/, or make the target set the cookie without Domain.';

const folder = (ready: string, files: Readonly<Record<string, string>>): string =>
  folderWith({ "server.mjs": SERVER, "seqqa.yaml": `target:\n  command: node server.mjs\n${ready}`, ...files });

describe("a cookie that the client rejects", () => {
  it.each(laneCounts)("is named in a note, and is kept with target.ready on its host (%s lanes)", async (lanes) => {
    const noted = async (ready: string) => {
      const cwd = folder(ready, { "s.explore.ts": EXPLORATION("") });
      const ran = await seqqa(["run", ".", "--reporter", "json", "--parallel", lanes], { cwd });
      const { notes, coverage } = only(documentOf(ran));
      return { notes: notes.filter((note) => note.includes("cookie")), coverage: coverage.actions["me"]?.statuses };
    };
    expect(await noted("")).toEqual({ notes: [NOTE], coverage: { 401: expect.any(Number) as number } });
    expect(await noted("  ready: http://localhost:{port}/\n")).toEqual({
      notes: [],
      coverage: { 200: expect.any(Number) as number, 401: expect.any(Number) as number },
    });
  });

  it("is named if setup throws, and in the notes of a journey", async () => {
    const setup = `setup: async (world) => { await world.api.post("/login"); if (!(await world.api.get("/me")).ok) throw new Error("not logged in"); },`;
    const ran = await seqqa(["run", "."], { cwd: folder("", { "s.explore.ts": EXPLORATION(setup) }) });
    expect(ran.stdout + ran.stderr).toContain(NOTE);
    const journeys = await seqqa(["run", "--all"], { cwd: folder("", { "journeys/sessions.ts": JOURNEY }) });
    expect(journeys.stdout + journeys.stderr).toContain(NOTE);
  });
});
