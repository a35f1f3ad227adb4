import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, seqqa, seqqaProcess, start, until } from "../support/e2e.ts";

const journey = (name: string, action: string): string =>
  `import { Journey, Step } from "seqqa";\nexport const journey = new Journey({ name: "${name}", client: {}, steps: [new Step({ name: "one", action: ${action} })] });\n`;

/** Explores a context, whose action waits for what never comes. */
const HANGS = `import { Action, Agent, World } from "seqqa";
export const agent = new Agent({
  world: () => new World({ api: {} }),
  actions: [new Action({ name: "hang", run: async () => { console.error("begun"); await new Promise(() => {}); return null; } })],
  invariants: [],
});
`;

describe("a run that is ended before it is over", () => {
  it("by process.exit(0) of a step is no success: 3", async () => {
    const cwd = folderWith({ "journeys/a.ts": journey("ends", "async () => { process.exit(0); }") });
    expect(await seqqaProcess(["run", "ends"], { cwd })).toMatchObject({
      status: 3,
      stdout: "",
      stderr:
        "error: The run stopped early: your code, or code that it imports, called process.exit(0).\nhint: Correct this code. seqqa report shows the results so far, and seqqa clean restores the stores.\n",
    });
  });

  it("by an interruption, while code of the run waits for nothing that could come: 130", async () => {
    const cwd = folderWith({ "a.explore.ts": HANGS });
    const { child, said, ended } = start(["run", "."], { cwd });
    await until(() => said.stderr.includes("begun"), "the action");
    child.kill("SIGINT");
    const { status, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toContain("error: The run stopped early: your code, or code that it imports, waits for a promise that never settles.\n");
  });

  it("by an interruption, while journeys wait for a target that is not ready: 130, at once", async () => {
    const cwd = folderWith({
      "seqqa.yaml": "target: { command: node wait.mjs, ready_timeout: 60 }\n",
      "wait.mjs": "import { writeFileSync } from 'node:fs';\nwriteFileSync('started', '');\nsetInterval(() => {}, 1000);\n",
      "journeys/a.ts": journey("waits", "async () => {}"),
    });
    const { child, ended } = start(["run", "waits"], { cwd });
    await until(() => existsSync(join(cwd, "started")), "the target");
    const begun = performance.now();
    child.kill("SIGINT");
    const { status, stderr } = await ended;
    expect(status).toBe(130);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(stderr).toBe("Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.\n");
  });

  it("not by its reader: it goes on to its own status and its reports", async () => {
    const cwd = folderWith({ "journeys/a.ts": journey("fails", "async () => { throw new Error('no'); }") });
    const { child, ended } = start(["run", "fails"], { cwd });
    child.stdout!.destroy();
    child.stderr!.destroy();
    expect((await ended).status).toBe(1);
    expect(existsSync(join(cwd, "reports/report.html"))).toBe(true);
  });

  it("not by what a timer of a step throws: the step fails, and the next journey is run", async () => {
    const late = "async () => { setTimeout(() => { throw new Error('late'); }, 5); await new Promise((done) => setTimeout(done, 300)); }";
    const cwd = folderWith({ "journeys/a.ts": journey("late", late), "journeys/b.ts": journey("next", "async () => {}") });
    const { status, stdout } = await seqqa(["run", "--all"], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain("A call that the step did not await failed: Threw: late. Await every call of the step.\n");
    expect(stdout).toContain("2 journeys: 1 passed, 1 failed\n");
  });
});
