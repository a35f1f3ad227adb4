import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { descendants, emptyFolder, folderWith, isRunning, linkPackages, only, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { directoriesOf } from "../support/run-directories.ts";
import { atTerminal } from "../support/terminal.ts";

/** Notes in memory. At the moment that `HOLD` names it makes a file of that name and goes no further: nothing is answered any more. */
const SERVER = `
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const [moment, file] = (process.env.HOLD ?? "").split("=");
const hold = (now) => now === moment && (writeFileSync(file, ""), true);
let notes = 0;
const server = createServer((request, response) => {
  if (request.method === "POST" && notes === 1 && hold("step")) return;
  if (request.method === "GET" && notes === 2 && hold("rule")) return;
  if (request.method === "POST") notes++;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ notes }));
});
process.on("SIGHUP", () => undefined);
if (hold("target")) setInterval(() => undefined, 1000);
else server.listen(Number(process.env.PORT), "127.0.0.1");
`;
/** Makes the same file, and never answers. */
const SERVICE = `
import { writeFileSync } from "node:fs";
writeFileSync(process.env.HOLD.split("=")[1], "");
setInterval(() => undefined, 1000);
`;
const target = `
target: { command: node server.mjs, ready_timeout: 600, rollback: restart, env: { PORT: "{port}", HOLD: "\${HOLD:-}" } }
`;
const FILES = {
  "server.mjs": SERVER,
  "service.mjs": SERVICE,
  "seqqa.yaml": target,
  "with-service.yaml": `${target}
services: [{ name: mail, command: node service.mjs, ready: "/", env: { PORT: "1", HOLD: "\${HOLD:-}" } }]
`,
  "notes.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const add = new Action({
  name: "add",
  run: async (api, context) => {
    const response = await api.post("/notes");
    context.set("notes", response.json<{ notes: number }>().notes);
    return response;
  },
});
const oneNote = new Invariant({ name: "one_note", check: async (world) => (await world.api.get("/notes")).json<{ notes: number }>().notes < 2 });
export const agent = new Agent({ actions: [add], invariants: [oneNote], maxDepth: 2 });
`,
};

let cwd = "";
let id = "";
beforeAll(async () => {
  cwd = folderWith(FILES);
  linkPackages(cwd, "seqqa");
  const ran = await seqqa(["run", "."], { cwd });
  expect(ran.status, ran.stdout + ran.stderr).toBe(1);
  const [finding] = only(writtenIn(join(cwd, "reports"))).violations;
  expect(finding!.reproductionPath).toEqual(["add", "add"]);
  ({ id } = finding!);
}, 100_000);

/** A file that the target makes when a moment is reached, and the environment that tells it to. */
function held(moment: string): { readonly env: Readonly<Record<string, string>>; readonly reached: () => boolean } {
  const file = join(emptyFolder(), "reached");
  return { env: { HOLD: `${moment}=${file}` }, reached: () => existsSync(file) };
}

/** Nothing that a replay started, or wrote for itself, is there any more. */
function expectNothingLeft(pid: number, started: readonly number[]): void {
  expect(started.length).toBeGreaterThan(0);
  expect(started.filter(isRunning)).toEqual([]);
  expect(directoriesOf(pid)).toEqual([]);
}

describe("a signal ends a replay with 130, and its target", () => {
  it.each([
    ["while a service comes up", "service", "SIGINT"],
    ["while the target comes up", "target", "SIGTERM"],
    ["while a step is not answered", "step", "SIGINT"],
    ["while the rule is not answered", "rule", "SIGTERM"],
  ] as const)("%s", async (_when, moment, signal) => {
    const { env, reached } = held(moment);
    const config = moment === "service" ? ["--config", "with-service.yaml", "--output", "reports"] : [];
    const { child, ended, pid } = start(["replay", id, ...config], { cwd, env });
    await until(reached, moment);
    const started = descendants(pid);
    child.kill(signal);
    const { status, stdout, stderr } = await ended;
    expect([status, stderr]).toEqual([130, "Interrupted: finishing what is in progress; once more ends at once.\n"]);
    expect(stdout).toMatch(/^\[HIGH\] one_note, id \w+\nof notes \(notes\.explore\.ts\), run \S+\n\n$/);
    expectNothingLeft(pid, started);
  });
});

const PROMPT = "Press Enter to go on. ";

describe("--from-step at a terminal", () => {
  /** Waits for Enter before the second step: where the lane's target is, and what runs then. */
  async function waiting(): Promise<
    Awaited<ReturnType<typeof atTerminal>> & { readonly notes: () => Promise<unknown>; readonly started: readonly number[] }
  > {
    const typed = await atTerminal(["replay", id, "--from-step", "2"], cwd);
    await until(() => typed.shown().includes(PROMPT), "the question");
    const [, url] = /before step 2 \(add\):\n {2}(http:\S+)\n/.exec(typed.shown())!;
    return { ...typed, notes: async () => (await fetch(url!)).json(), started: descendants(typed.pid) };
  }

  it("brings the world there, waits while it is looked at and changed, and goes on at Enter", async () => {
    const { notes, started, press, ended, shown, pid } = await waiting();
    expect(await notes()).toEqual({ notes: 1 });
    // Other keys than Enter are no answer.
    press("no");
    expect(await notes()).toEqual({ notes: 1 });
    press("\r");
    expect(await ended).toBe(1);
    expect(shown()).toMatch(
      /\nstep {2}action [^\n]*\n2 {5}add {5}POST \/notes {2}200 {7}200\n\nStill fails: one_note is broken again\.\n$/,
    );
    expectNothingLeft(pid, started);
  });

  it("the end of the input goes on, too", async () => {
    const { started, press, ended, shown, pid } = await waiting();
    press("\x04");
    expect(await ended).toBe(1);
    expect(shown()).toContain("Still fails: ");
    expectNothingLeft(pid, started);
  });

  it("Ctrl-C ends it with 130, and its target", async () => {
    const { started, press, ended, shown, pid } = await waiting();
    press("\x03");
    expect(await ended).toBe(130);
    expect(shown()).toContain("Interrupted: ");
    expect(shown()).not.toMatch(/Still fails|Gone|Diverged/);
    expectNothingLeft(pid, started);
  });

  it("Ctrl-C in the middle of a step ends it with 130, and its target", async () => {
    const { env, reached } = held("step");
    const { pid, press, ended, shown } = await atTerminal(["replay", id], cwd, env);
    await until(reached, "the step");
    const started = descendants(pid);
    press("\x03");
    expect(await ended).toBe(130);
    // The terminal's signal is for seqqa; the target is not in its foreground, or it would look as if it had crashed.
    expect(shown()).not.toMatch(/Still fails|Gone|Diverged|error/);
    expectNothingLeft(pid, started);
  });
});

describe("--from-step where nobody sits at a terminal", () => {
  it.each([
    ["still fails", "server.mjs", SERVER, 1],
    ["is gone", "server.mjs", SERVER.replace("notes++", "notes = 1"), 0],
  ] as const)("does not wait: %s", async (_what, name, text, expected) => {
    const folder = folderWith({ ...FILES, [name]: text });
    linkPackages(folder, "seqqa");
    const { status, stdout, stderr, pid } = await seqqa(["replay", id, "--from-step", "2", "--output", join(cwd, "reports")], {
      cwd: folder,
    });
    expect([status, stderr]).toEqual([expected, ""]);
    expect(stdout).toMatch(/\nThe world is as it was before step 2 \(add\):\n {2}http:\S+\n/);
    expect(directoriesOf(pid)).toEqual([]);
  });
});
