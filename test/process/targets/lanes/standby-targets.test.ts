import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { spareCount, spareNumber } from "../../../../src/targets/lanes/standby-targets.ts";
import { ECHO, echo, eventually, failureOf, folderWith, hostOf, isRunning } from "../support/servers.ts";

const COMMAND = "node server.mjs";
const target = { command: COMMAND, env: { PORT: "{port}", DB: "{db_path}", LANE: "{lane}" }, rollback: "restart" } as const;

describe("restarting a lane's process", () => {
  it("keeps its port, its store and its number; only the process is another one", async () => {
    const host = await hostOf({ target });
    const lane = await host.provision(0);
    expect(lane).toMatchObject({ restarts: true, restartable: true, spares: [] });
    const before = await echo(lane.baseUrl);
    await host.halt(0);
    expect(isRunning(before.pid)).toBe(false);
    expect(existsSync(lane.dbPath!)).toBe(true);
    await host.start(0);
    const after = await echo(lane.baseUrl);
    expect(after.pid).not.toBe(before.pid);
    expect({ ...after.env, SHLVL: "", _: "" }).toEqual({ ...before.env, SHLVL: "", _: "" });
    await host.halt(0);
    await host.halt(0);
    await host.start(0);
    await host.close();
    expect(isRunning(after.pid)).toBe(false);
  });

  it("ends a process that is deaf to SIGTERM at once, and all that its shell started", async () => {
    const folder = folderWith({ "server.mjs": `process.on("SIGTERM", () => {});\n${ECHO}` });
    const host = await hostOf({ folder, target: { ...target, command: `sleep 1000 | ${COMMAND}` } });
    const { pid } = await echo((await host.provision(0)).baseUrl);
    const begun = performance.now();
    await host.halt(0);
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(isRunning(pid)).toBe(false);
  });

  it("says how a process ended that does not come back, and provisions anew", async () => {
    const folder = folderWith({
      "server.mjs": `import { existsSync, writeFileSync } from "node:fs";
        if (existsSync("started")) { console.error("only once"); process.exit(4); }
        writeFileSync("started", "");
        ${ECHO}`,
    });
    const host = await hostOf({ folder, target });
    await host.provision(0);
    await host.halt(0);
    const error = await failureOf(host.start(0));
    expect(error).toMatchObject({ code: "TARGET_EXITED" });
    expect(error.message).toContain("only once");
    await host.close();
    expect(await failureOf(host.start(0))).toMatchObject({ code: "TARGETS_CLOSED" });
  });

  it("carries the mark of its run, by which leftovers are found", async () => {
    const folder = folderWith();
    const host = await hostOf({ folder, target });
    const lane = await host.provision(0);
    await host.halt(0);
    await host.start(0);
    const { pid } = await echo(lane.baseUrl);
    const marked = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(marked).toMatch(/SEQQA_RUN=[0-9a-f]{12}/);
    await host.close();
    await eventually(() => !isRunning(pid), "ended");
  });
});

describe("spares", () => {
  it("are whole lanes: a process, a port, a store and a number of their own, ended with their lane", async () => {
    const host = await hostOf({ target }, { lanes: 2, spares: 2 });
    const lanes = await Promise.all([host.provision(0), host.provision(1)]);
    const all = lanes.flatMap((lane) => [lane, ...lane.spares!]);
    expect(all.map(({ index }) => index)).toEqual([0, 2, 4, 1, 3, 5]);
    expect(new Set(all.map(({ baseUrl }) => baseUrl)).size).toBe(6);
    expect(new Set(all.map(({ dbPath }) => dbPath)).size).toBe(6);
    const heard = await Promise.all(all.map(({ baseUrl }) => echo(baseUrl)));
    expect(heard.map(({ env }) => Number(env["LANE"]))).toEqual(all.map(({ index }) => index));
    await host.release(0);
    expect(heard.map(({ pid }) => isRunning(pid))).toEqual([false, false, false, true, true, true]);
    expect((await host.reprovision(1)).spares!.map(({ generation }) => generation)).toEqual([1, 1]);
  });

  it("are not made where the stores alone are put back", async () => {
    const host = await hostOf({ target: { ...target, rollback: "stores" } }, { lanes: 1, spares: 2 });
    expect(await host.provision(0)).toMatchObject({ restarts: false, spares: [] });
  });

  it("are as many as there are cores for", () => {
    const config = { folder: "/", target };
    expect(spareCount(config, { cores: 8, lanes: 1 })).toBe(3);
    expect(spareCount(config, { cores: 4, lanes: 2 })).toBe(2);
    expect(spareCount(config, { cores: 2, lanes: 16 })).toBe(1);
    expect(spareCount({ folder: "/", target: { ...target, rollback: "stores" } }, { cores: 8, lanes: 1 })).toBe(0);
    expect(spareCount({ folder: "/", target: { module: "a.ts", rollback: "restart" } }, { cores: 8, lanes: 1 })).toBe(0);
    // A port that the target chooses by itself is there once.
    expect(
      spareCount(
        { folder: "/", baseUrl: "http://127.0.0.1:3000", target: { command: COMMAND, rollback: "restart" } },
        { cores: 8, lanes: 1 },
      ),
    ).toBe(0);
    const numbers = [0, 1, 2].flatMap((lane) => [0, 1].map((spare) => spareNumber(lane, spare, 3)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8]);
  });
});
