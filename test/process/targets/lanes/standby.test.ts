import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canStandBy } from "../../../../src/targets/lanes/standby.ts";
import type { TargetHost, TargetHostOptions } from "../../../../src/targets/index.ts";
import { echo, ECHO, eventually, failureOf, folderWith, hostOf, isRunning } from "../support/servers.ts";

const COMMAND = "node server.mjs";
const target = { command: COMMAND, env: { PORT: "{port}", DB: "{db_path}" } } as const;

/** Waits with listening while there is a file `shut`, and writes each start and each listening server into `events`. `first` runs before that. */
const gated = (first = ""): string => `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
const starts = existsSync("events") ? readFileSync("events", "utf8").split("\\n").filter((line) => line.startsWith("start")).length : 0;
appendFileSync("events", "start " + process.pid + "\\n");
${first}
while (existsSync("shut")) await pause(10);
${ECHO}
server.once("listening", () => appendFileSync("events", "listen " + process.pid + "\\n"));
`;

interface Gated {
  readonly host: TargetHost;
  readonly folder: string;
  readonly events: (which: "start" | "listen") => readonly number[];
  /** Until so many servers were started, or began to listen. */
  readonly until: (which: "start" | "listen", count: number) => Promise<void>;
  readonly shut: () => void;
  readonly open: () => void;
  readonly running: () => readonly number[];
}

async function gatedHost(first?: string, options: TargetHostOptions = {}, server = gated(first)): Promise<Gated> {
  const folder = folderWith({ "server.mjs": server, events: "" });
  const host = await hostOf({ folder, target }, options);
  const events = (which: string): readonly number[] =>
    readFileSync(join(folder, "events"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith(which))
      .map((line) => Number(line.split(" ")[1]));
  return {
    host,
    folder,
    events,
    until: (which, count) => eventually(() => events(which).length >= count, `${count} times ${which}`, 20_000),
    shut: () => writeFileSync(join(folder, "shut"), ""),
    open: () => rmSync(join(folder, "shut"), { force: true }),
    running: () => events("start").filter(isRunning),
  };
}

/** Files of the run that are left. */
function left(folder: string): readonly string[] {
  const shared = join(folder, "tmp", `seqqa-${process.getuid?.()}`);
  return [...readdirSync(shared).filter((name) => name !== "ports"), ...readdirSync(join(shared, "ports"))];
}

describe("a standby lane", () => {
  it("is built beside the first lane that was lost, and the next lost lane has it while no other target can start", async () => {
    const { host, events, until, shut, open, running } = await gatedHost();
    const first = await host.provision(0);
    expect(events("start")).toHaveLength(1);
    const second = await host.reprovision(0, "build");
    expect(second).toMatchObject({ index: 0, generation: 1 });
    expect(second.standby).toBeUndefined();
    await until("listen", 3);
    shut();
    const before = await echo(second.baseUrl);
    const third = await host.reprovision(0, "build");
    expect(third).toMatchObject({ index: 0, standby: true, restartable: true });
    expect(third.generation).toBeGreaterThan(second.generation);
    const now = await echo(third.baseUrl);
    expect(events("listen")).toHaveLength(3);
    expect(events("listen")).toContain(now.pid);
    expect(now.env["DB"]).toBe(third.dbPath);
    expect(third.systems.map(({ url }) => url)).toEqual([`sqlite:${third.dbPath}`]);
    expect(new Set([first, second, third].flatMap(({ baseUrl, dbPath, tmpDir }) => [baseUrl, dbPath, tmpDir])).size).toBe(9);
    expect(existsSync(third.dbPath!)).toBe(true);
    expect(await host.endOf(0)).toMatchObject({ exitCode: null });
    // The lost target is ended meanwhile, and the next one is started in its place.
    await until("start", 4);
    expect(isRunning(before.pid)).toBe(false);
    expect(running()).toHaveLength(2);
    expect(existsSync(second.dbPath!)).toBe(false);
    open();
    await until("listen", 4);
    expect((await host.reprovision(0, "use")).standby).toBe(true);
  });

  it("is built once more as soon as a lane waits for it, so that two starts run side by side", async () => {
    const { host, until, shut, open, running } = await gatedHost();
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("listen", 3);
    shut();
    await host.reprovision(0, "build");
    await until("start", 4);
    const waiting = host.reprovision(0, "build");
    await until("start", 5);
    expect(running()).toHaveLength(2);
    open();
    expect((await waiting).standby).toBe(true);
  });

  it("is one for all lanes: with two lost at once there are three targets", async () => {
    const { host, until, events, running } = await gatedHost(undefined, { lanes: 2 });
    await Promise.all([host.provision(0), host.provision(1)]);
    await Promise.all([host.reprovision(0, "build"), host.reprovision(1, "build")]);
    await until("listen", 5);
    await eventually(() => running().length === 3, "three targets");
    const lanes = await Promise.all([host.reprovision(0, "build"), host.reprovision(1, "build")]);
    expect(lanes.map(({ index, standby }) => [index, standby])).toEqual([
      [0, true],
      [1, true],
    ]);
    const heard = await Promise.all(lanes.map(({ baseUrl }) => echo(baseUrl)));
    expect(heard.map(({ env }) => env["DB"])).toEqual(lanes.map(({ dbPath }) => dbPath));
    await until("listen", 7);
    await eventually(() => running().length === 3, "three targets");
    expect(events("start")).toHaveLength(7);
  });

  it("is not built for a lane that is provisioned anew for another reason, nor where none was built before", async () => {
    const { host, events } = await gatedHost();
    await host.provision(0);
    await host.reprovision(0);
    await host.reprovision(0, "use");
    await host.release(0);
    expect(events("start")).toHaveLength(3);
  });

  it("is not used once its target ended by itself", async () => {
    const { host, until, events } = await gatedHost();
    await host.provision(0);
    const second = await host.reprovision(0, "build");
    await until("listen", 3);
    const { pid } = await echo(second.baseUrl);
    const standby = events("listen").find((one, at) => at > 0 && one !== pid)!;
    process.kill(standby, "SIGKILL");
    await eventually(() => !isRunning(standby), "ended");
    const third = await host.reprovision(0, "build");
    expect(third.standby).toBeUndefined();
    expect((await echo(third.baseUrl)).env["DB"]).toBe(third.dbPath);
  });

  it("is not used where its target answers no more", async () => {
    const answering = `server.on("request", (_, response) => response.once("close", () => appendFileSync("events", "answered " + process.pid + "\\n")));`;
    const { host, folder, until, events } = await gatedHost(undefined, {}, gated() + answering);
    await host.provision(0);
    const { pid } = await echo((await host.reprovision(0, "build")).baseUrl);
    await until("listen", 3);
    const standby = events("listen").find((one, at) => at > 0 && one !== pid)!;
    // Once it is ready: half a minute is waited for a target that starts.
    await eventually(() => readFileSync(join(folder, "events"), "utf8").includes(`answered ${standby}\n`), "the standby lane is ready");
    process.kill(standby, "SIGSTOP");
    const third = await host.reprovision(0, "build");
    expect(third.standby).toBeUndefined();
    expect((await echo(third.baseUrl)).pid).not.toBe(standby);
    await eventually(() => !isRunning(standby), "ended");
  });

  it("that cannot be built is the only one: lanes are provisioned as without it, and nothing of it is left", async () => {
    // The second lane's store is the first that has this number.
    const { host, folder, until, events, running } = await gatedHost(
      `if (process.env.DB.includes("/lane-1/")) { appendFileSync("events", "failed " + process.pid + "\\n"); process.exit(4); }`,
    );
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("start", 3);
    const run = (): string => readdirSync(join(folder, "tmp", `seqqa-${process.getuid?.()}`)).find((name) => name.startsWith("run-"))!;
    const lanes = (): readonly string[] =>
      readdirSync(join(folder, "tmp", `seqqa-${process.getuid?.()}`, run())).filter((name) => name.startsWith("lane-"));
    await eventually(() => lanes().length === 1 && running().length === 1, "the standby lane's end");
    for (let again = 0; again < 2; again++) expect((await host.reprovision(0, "build")).standby).toBeUndefined();
    expect(events("start")).toHaveLength(5);
    expect(running()).toHaveLength(1);
    await host.close();
    expect(running()).toEqual([]);
    expect(left(folder)).toEqual([]);
  });

  it.each([
    ["that waits", 3, false],
    ["that is being built", 3, true],
  ])("%s is removed with the host", async (_which, starts, isShut) => {
    const { host, folder, until, shut, running } = await gatedHost();
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("listen", starts);
    if (isShut) {
      shut();
      await host.reprovision(0, "build");
      await until("start", 4);
    }
    expect(running()).toHaveLength(2);
    await host.close();
    expect(running()).toEqual([]);
    expect(left(folder)).toEqual([]);
  });

  it("that is being built is given up on an interruption", async () => {
    const ender = new AbortController();
    const { host, until, shut, running } = await gatedHost(undefined, { signal: ender.signal });
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("listen", 3);
    shut();
    await host.reprovision(0, "build");
    await until("start", 4);
    ender.abort(new Error("interrupted"));
    await eventually(() => running().length === 1, "the standby lane's end");
    expect((await failureOf(host.reprovision(0, "build"))).message).toBe("interrupted");
  });

  it("is removed when it is needed no more, and no other is built", async () => {
    const { host, until, shut, open, events, running } = await gatedHost();
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("listen", 3);
    shut();
    await host.reprovision(0, "build");
    await until("start", 4);
    host.endStandby();
    await eventually(() => running().length === 1, "the standby lane's end");
    open();
    expect((await host.reprovision(0, "build")).standby).toBeUndefined();
    expect(events("start")).toHaveLength(5);
    expect(running()).toHaveLength(1);
  });

  it("prints into a log of its own until it is a lane", async () => {
    const output = folderWith({});
    const { host, until } = await gatedHost(`console.log("hello from " + process.env.DB);`, {
      output: { folder: output, hide: (line) => line },
    });
    await host.provision(0);
    await host.reprovision(0, "build");
    await until("listen", 3);
    const { dbPath } = await host.reprovision(0, "build");
    await eventually(() => existsSync(join(output, "targets", "standby.log")), "a log");
    await host.close();
    expect(readdirSync(join(output, "targets")).sort()).toEqual(["lane-0.log", "standby.log"]);
    expect(readFileSync(join(output, "targets", "standby.log"), "utf8")).toContain(`hello from ${dbPath}`);
  });
});

describe("which targets have a standby lane", () => {
  it.each([
    ["one of a command", { target: { command: COMMAND } }, true],
    ["none that uses {lane}", { target: { command: `${COMMAND} {lane}` } }, false],
    ["none that uses {lane} in its environment", { target: { command: COMMAND, env: { A: "a{lane}" } } }, false],
    [
      "none that uses {lane} in its warm-up",
      { target: { command: COMMAND, warmUp: [{ path: "/", json: {}, headers: { a: "{lane}" } }] } },
      false,
    ],
    ["none on a fixed port", { target: { command: COMMAND }, baseUrl: "http://127.0.0.1:3000" }, false],
    ["none that is started again before each branch", { target: { command: COMMAND, rollback: "restart" } }, false],
    ["none where the configuration says so", { target: { command: COMMAND, standby: false } }, false],
    ["no module", { target: { module: "a.ts" } }, false],
    ["none that runs already", { baseUrl: "http://127.0.0.1:3000" }, false],
    ["no listed lanes", { lanes: [{ baseUrl: "http://127.0.0.1:3000" }] }, false],
  ] as const)("%s", (_which, config, expected) => {
    expect(canStandBy({ folder: "/", ...config })).toBe(expected);
  });
});
