import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { full } from "../sizes.ts";
import { emptyFolder, folderWith, linkPackages, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { canInstall, install } from "../support/install.ts";

const isInstalled = (): boolean =>
  readdirSync("/usr/lib").some((name) => existsSync(join("/usr/lib", name, "faketime/libfaketimeMT.so.1"))) ||
  existsSync("/usr/lib/faketime/libfaketimeMT.so.1");

beforeAll(() => {
  if (isInstalled()) return;
  const problem = canInstall() ? install("libfaketime") : "this is not Debian, or not root";
  if (problem !== undefined) throw new Error(`The tests of the clock need libfaketime: ${problem}`);
}, 120_000);

async function explored(
  bug: string,
  parallel: string,
  ...more: readonly string[]
): Promise<{ readonly status: number | null; readonly found: Explored }> {
  const folder = emptyFolder();
  const args = ["run", join(root, "fixtures/clock"), "--output", folder, "--parallel", parallel, ...more];
  const { status } = await seqqa(args, { env: { BUG: bug } });
  return { status, found: only(writtenIn(folder)) };
}

interface Modelled {
  readonly advances: number;
  readonly plan?: "trial" | "paid";
  /** Days. */
  readonly endsIn?: number;
  readonly charged?: number;
}

/** The number of states of fixtures/clock, by a model of its own: days that are left, not times. */
function statesOfModel(): number {
  const seen = new Set<string>();
  const waiting: Modelled[] = [{ advances: 0 }];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const key = JSON.stringify([state.advances, state.plan, state.endsIn, state.charged]);
    if (seen.has(key)) continue;
    seen.add(key);
    const { advances, endsIn, charged = 0 } = state;
    if (advances < 3) waiting.push({ ...state, advances: advances + 1, ...(endsIn !== undefined && { endsIn: endsIn - 10 }) });
    if (endsIn === undefined) waiting.push({ advances, plan: "trial", endsIn: 14, charged: 0 });
    else if (endsIn <= 0 && charged < 2) waiting.push({ advances, plan: "paid", endsIn: 30, charged: charged + 1 });
  }
  return seen.size;
}

const EXPLORATION = `
import { Action, Agent } from "seqqa";
import { advanceClock } from "seqqa/adapters/clock";
export const agent = new Agent({ name: "one", actions: [new Action({ name: "read", run: async (api) => api.get("/") }), advanceClock("1 day")], invariants: [] });
`;

describe("the target's clock as a store", () => {
  it("a correct API keeps its rules while time passes, with one digest for every number of lanes", async () => {
    // In the quick suite two lanes are held to the model alone.
    const runs: Awaited<ReturnType<typeof explored>>[] = [];
    for (const parallel of full ? ["1", "2"] : ["2"]) runs.push(await explored("", parallel));
    for (const { status, found } of runs) {
      expect(found.violations).toEqual([]);
      expect(found.divergences).toEqual([]);
      expect(status).toBe(0);
    }
    expect(new Set(runs.map(({ found }) => found.digest)).size).toBe(1);
    expect(runs[0]!.found.statesVisited).toBe(statesOfModel());
  });

  it.each([
    ["trial", "no_content_after_the_end", "start_trial advance_10_days advance_10_days"],
    ["early", "charged_for_time_that_passed", "start_trial renew"],
  ])("the defect %s breaks %s after %s", async (bug, invariant, path) => {
    const { status, found } = await explored(bug, "1", ...(full ? [] : ["--bail"]));
    expect(found.violations[0]).toMatchObject({ invariant, reproductionPath: path.split(" "), confirmed: true });
    expect(status).toBe(1);
  });

  it.each([
    [
      "a target that does not follow",
      "clock://libfaketime",
      "command: env -u LD_PRELOAD node server.mjs",
      "systems.clock does not move the target's clock: the target's Date header shows",
    ],
    [
      "a url that is no clock",
      "clock://sundial",
      "command: node server.mjs",
      'The url of systems.clock is "clock://sundial", which is not a valid clock URL.',
    ],
    [
      "a limit that is no number",
      "clock://libfaketime?max_advances=some",
      "command: node server.mjs",
      'The url of systems.clock is "clock://libfaketime?max_advances=some", which is not a valid clock URL.',
    ],
  ])("%s is refused in one sentence", async (_what, url, command, sentence) => {
    const folder = folderWith({
      "server.mjs":
        'import { createServer } from "node:http";\ncreateServer((_request, response) => response.end("{}")).listen(Number(process.env.PORT), "127.0.0.1");\n',
      "seqqa.yaml": `systems: { clock: { url: "${url}" } }\ntarget: { ${command}, env: { PORT: "{port}" } }\n`,
      "one.explore.ts": EXPLORATION,
    });
    linkPackages(folder, "seqqa");
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
    expect(stderr).toContain(sentence);
    expect(status).toBe(2);
  });

  it("a probe shows the time of a target whose answers have no Date header, which is refused without a probe", async () => {
    const folder = folderWith({
      "server.mjs": `
import { createServer } from "node:http";
createServer((request, response) => {
  response.sendDate = false;
  response.end(request.url === "/time" ? String(Math.floor(Date.now() / 1000)) : "{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`,
      "seqqa.yaml":
        'systems: { clock: { url: "clock://libfaketime${PROBE}" } }\ntarget: { command: node server.mjs, env: { PORT: "{port}" } }\n',
      "one.explore.ts": EXPLORATION,
    });
    linkPackages(folder, "seqqa");
    const refused = await seqqa(["run", "."], { cwd: folder, env: { PROBE: "?max_advances=2" } });
    expect(refused.stderr).toContain("systems.clock does not move the target's clock: the target's answers have no Date header");
    expect(refused.stderr).toContain("clock://libfaketime?probe=/time");
    expect(refused.status).toBe(2);
    const output = emptyFolder();
    const { status } = await seqqa(["run", ".", "--output", output], { cwd: folder, env: { PROBE: "?max_advances=2&probe=/time" } });
    expect(only(writtenIn(output)).statesVisited).toBe(3);
    expect(status).toBe(0);
  });

  it("is refused for a target that already runs", async () => {
    const server = createServer((_request, response) => response.end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const folder = folderWith({
      "seqqa.yaml": `base_url: http://127.0.0.1:${port}\nsystems: { clock: { url: "clock://libfaketime" } }\n`,
      "one.explore.ts": EXPLORATION,
    });
    linkPackages(folder, "seqqa");
    const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
    expect(stderr).toContain("cannot move the clock of a target that already runs");
    expect(status).toBe(2);
  });
});
