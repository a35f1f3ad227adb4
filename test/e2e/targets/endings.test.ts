import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { groupRuns } from "../../../src/targets/process/kill-group.ts";
import { here, identify } from "../../../src/targets/process/process-identity.ts";
import { echo, eventually, folderWith, hostOf, isRunning } from "../../process/targets/support/servers.ts";

/** `npm test` builds first: whole processes run the built package. */
const dist = fileURLToPath(new URL("../../../dist", import.meta.url));

const USER = `
import { TargetHost } from "${dist}/targets/index.js";
const target = { command: "sleep 1000 & exec node server.mjs", env: { DB: "{db_path}" } };
const host = await TargetHost.create({ folder: process.cwd(), target }, { directory: process.cwd() + "/tmp" });
const lane = await host.provision(0);
const { pid } = await (await fetch(lane.baseUrl)).json();
process.stdout.write(JSON.stringify({ pid, tmpDir: lane.tmpDir }) + "\\n");
`;

const children: ChildProcess[] = [];
// Not SIGKILL: their targets must end with them.
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
});

interface User {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly pid: number;
  readonly tmpDir: string;
}

/** A process that uses a TargetHost and then does what `then` says. */
async function user(then: string): Promise<User> {
  const folder = folderWith();
  mkdirSync(join(folder, "tmp"));
  writeFileSync(join(folder, "user.mjs"), USER + then);
  const child = spawn(process.execPath, ["user.mjs"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const said = await new Promise<string>((resolve) => child.stdout.once("data", (data: Buffer) => resolve(String(data))));
  return { folder, child, ended, ...(JSON.parse(said) as { pid: number; tmpDir: string }) };
}

const STAY = `setInterval(() => {}, 1000);`;

describe("a process that ends without close()", () => {
  it.each([
    ["by itself, the targets not keeping it", ``, { code: 0, signal: null }],
    ["by process.exit", `process.exit(5);`, { code: 5, signal: null }],
    [
      "by an exception",
      `console.error = () => {}; process.on("uncaughtException", () => process.exit(9)); setImmediate(() => { throw new Error("x"); });`,
      { code: 9, signal: null },
    ],
  ])("%s", async (_, then, end) => {
    const { ended, pid, tmpDir } = await user(then);
    expect(await ended).toEqual(end);
    await eventually(() => !groupRuns(pid), "the target is gone");
    expect(existsSync(tmpDir)).toBe(false);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s, which still is what ended it", async (signal) => {
    const { child, ended, pid, tmpDir } = await user(STAY);
    child.kill(signal);
    expect(await ended).toEqual({ code: null, signal });
    await eventually(() => !groupRuns(pid), "the target is gone");
    expect(existsSync(tmpDir)).toBe(false);
  });

  it("leaves a signal to the handler of the command line", async () => {
    const { child, ended, pid } = await user(`process.on("SIGINT", async () => { await host.close(); process.exit(130); }); ${STAY}`);
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(isRunning(pid)).toBe(false);
  });
});

describe("a process that was killed", () => {
  it("is cleaned up after by the next run, and nothing else is touched", async () => {
    const { folder, child, ended, pid, tmpDir } = await user(STAY);
    const bystander = spawn("sleep", ["1000"], { detached: true });
    children.push(bystander);
    const living = await user(STAY);
    const root = join(folder, "tmp", `seqqa-${process.getuid?.()}`);
    child.kill("SIGKILL");
    await ended;
    await eventually(() => isRunning(pid), "the orphan runs on");
    expect(existsSync(tmpDir)).toBe(true);

    // Pids are used again: a dead run's registry names one that is somebody else's now.
    const start = identify(process.pid)?.start;
    const recycled = join(root, "run-recycled");
    mkdirSync(join(recycled, "processes"), { recursive: true });
    writeFileSync(join(recycled, "owner.json"), JSON.stringify({ pid: bystander.pid, start: "1", place: here() }));
    writeFileSync(join(recycled, "processes", "x.json"), JSON.stringify({ pid: bystander.pid, start: "1" }));
    // Runs that cannot be judged from here, or run still.
    for (const [name, owner] of Object.entries({
      elsewhere: { pid: 1, start: "1", place: { ...here(), host: "another-machine" } },
      container: { pid: 1, start: "1", place: { ...here(), namespace: "pid:[1]" } },
      ours: { pid: process.pid, start, place: here() },
    })) {
      mkdirSync(join(root, `run-${name}`));
      writeFileSync(join(root, `run-${name}`, "owner.json"), JSON.stringify(owner));
    }
    mkdirSync(join(root, "something-else"));

    const host = await hostOf({ folder, target: { command: "node server.mjs" } });
    await eventually(() => !groupRuns(pid), "the orphans are gone");
    expect(existsSync(tmpDir)).toBe(false);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
    expect(isRunning(living.pid)).toBe(true);
    const left = readdirSync(root).filter((name) => name !== "ports");
    expect(left.filter((name) => !/^run-[0-9a-f]{12}$/.test(name)).sort()).toEqual([
      "run-container",
      "run-elsewhere",
      "run-ours",
      "something-else",
    ]);
    expect(left.filter((name) => /^run-[0-9a-f]{12}$/.test(name))).toHaveLength(1);
    expect((await echo((await host.provision(0)).baseUrl)).pid).toBeGreaterThan(0);
  });

  it("leaves orphans that no registry knows: they carry the run's mark", async () => {
    const { folder, child, ended, pid, tmpDir } = await user(STAY);
    const processes = join(tmpDir, "..", "..", "processes");
    for (const name of readdirSync(processes)) writeFileSync(join(processes, name), "");
    child.kill("SIGKILL");
    await ended;
    await hostOf({ folder });
    await eventually(() => !groupRuns(pid), "the orphans are gone");
  });
});
