import Database from "better-sqlite3";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ECHO, echo, eventually, failureOf, folderWith, hostOf, isRunning, listen } from "../support/servers.ts";

const COMMAND = "node server.mjs";

describe("a target per lane", () => {
  it("gives every lane a process, a port and a store of its own", async () => {
    const host = await hostOf({ target: { command: `${COMMAND} {lane} {db_path}`, env: { PORT: "{port}", DB: "{db_url}" } } });
    const [zero, one] = await Promise.all([host.provision(0), host.provision(1)]);
    expect([zero.index, one.index, zero.generation, one.generation]).toEqual([0, 1, 0, 0]);
    expect(zero.baseUrl).not.toBe(one.baseUrl);
    expect(zero.dbPath).not.toBe(one.dbPath);
    for (const lane of [zero, one]) {
      expect(lane).toMatchObject({ borrowed: false, restartable: true, targetModule: undefined });
      expect(lane.systems.map(({ name, kind, url }) => [name, kind, url])).toEqual([["db", "sqlite", lane.dbUrl]]);
      const heard = await echo(lane.baseUrl);
      expect(heard.argv).toEqual([String(lane.index), lane.dbPath]);
      expect(heard.env["DB"]).toBe(`sqlite:${lane.dbPath}`);
      expect(lane.baseUrl).toBe(`http://127.0.0.1:${heard.env["PORT"]}`);
      expect(existsSync(lane.dbPath ?? "")).toBe(true);
      expect(statSync(lane.tmpDir).mode & 0o777).toBe(0o700);
    }
  });

  it("gives PORT when the user does not, and runs in target.cwd", async () => {
    const folder = folderWith({ "api/server.mjs": ECHO });
    const host = await hostOf({ folder, target: { command: COMMAND, cwd: "api" } });
    const heard = await echo((await host.provision(0)).baseUrl);
    expect(heard.cwd).toBe(join(folder, "api"));
  });

  it.each([
    ["once on its stores, also if the target is restarted", "{db_path}", []],
    ["again if the target is restarted, without stores", "", ["POST /setup"]],
  ])("executes the writing requests of warm_up %s", async (_how, argument, again) => {
    const server = `import { createServer } from "node:http";
      import { appendFileSync } from "node:fs";
      createServer(({ method, url }, response) => {
        appendFileSync("requests", method + " " + url + "\\n");
        response.end();
      }).listen(process.env.PORT, "127.0.0.1");`;
    const folder = folderWith({ "server.mjs": server });
    const host = await hostOf({
      folder,
      target: { command: `${COMMAND} ${argument}`, ready: "/ready", warmUp: ["POST /setup", "GET /warm"] },
    });
    await host.provision(0);
    await host.halt(0);
    await host.start(0);
    const requests = readFileSync(join(folder, "requests"), "utf8").split("\n");
    expect(requests.filter((line) => /setup|warm/.test(line))).toEqual(["POST /setup", "GET /warm", ...again, "GET /warm"]);
  });

  it("leaves the shell's own braces and variables alone", async () => {
    const host = await hostOf({ target: { command: `X=a; ${COMMAND} "$X" \${X} '{x}' "{port}"` } });
    const { baseUrl } = await host.provision(0);
    expect((await echo(baseUrl)).argv).toEqual(["a", "a", "{x}", new URL(baseUrl).port]);
  });

  it("clones a template for every lane and never writes it", async () => {
    const folder = folderWith();
    const template = join(folder, "shop.db");
    const db = new Database(template);
    db.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (42)");
    db.close();
    const before = readFileSync(template);
    const host = await hostOf({ folder, dbUrl: "sqlite:./shop.db", target: { command: `${COMMAND} {db_path} {url:db}` } });
    const lane = await host.provision(0);
    const clone = new Database(lane.dbPath ?? "");
    expect(clone.prepare("SELECT id FROM orders").pluck().all()).toEqual([42]);
    clone.exec("INSERT INTO orders VALUES (43)");
    clone.close();
    expect(readFileSync(template)).toEqual(before);
    expect((await echo(lane.baseUrl)).argv).toEqual([lane.dbPath, lane.dbUrl]);
    const again = await host.reprovision(0);
    expect(new Database(again.dbPath ?? "").prepare("SELECT count(*) FROM orders").pluck().get()).toBe(1);
  });

  it("keeps the settings of a store and takes the given way to clone", async () => {
    const folder = folderWith({ "server.mjs": ECHO, "a.db": "" });
    const cloned: [string | undefined, string][] = [];
    const host = await hostOf(
      { folder, systems: { main: { url: "sqlite:a.db", checkpoint: "copy", ignore: ["t.c"] } }, target: { command: COMMAND } },
      { cloneStore: (source, target) => void cloned.push([source, target]) },
    );
    const lane = await host.provision(0);
    expect(lane.systems).toMatchObject([{ name: "main", checkpoint: "copy", ignore: ["t.c"], isolation: undefined }]);
    expect(lane.dbUrl).toBeUndefined();
    expect(cloned).toEqual([[join(folder, "a.db"), lane.systems[0]?.url.slice("sqlite:".length)]]);
  });

  it("starts anew with fresh stores and the next generation", async () => {
    const host = await hostOf({ target: { command: COMMAND, env: { DB: "{db_path}" } } });
    const first = await host.provision(0);
    const before = await echo(first.baseUrl);
    const database = new Database(first.dbPath ?? "");
    database.exec("CREATE TABLE t (x)");
    const second = await host.reprovision(0);
    expect(second.generation).toBe(1);
    expect(second.dbPath).not.toBe(first.dbPath);
    expect(new Database(second.dbPath ?? "").prepare("SELECT count(*) FROM sqlite_schema").pluck().get()).toBe(0);
    expect((await echo(second.baseUrl)).pid).not.toBe(before.pid);
    expect(isRunning(before.pid)).toBe(false);
    expect(existsSync(first.tmpDir)).toBe(false);
  });

  it("tells that a process ended by itself, and forgets it with the next one", async () => {
    const host = await hostOf({ target: { command: `${COMMAND}; echo "bye" >&2; exit 7` } });
    const { baseUrl } = await host.provision(0);
    expect(await host.endOf(0)).toEqual({ exitCode: null, signal: null, output: [] });
    await fetch(`${baseUrl}/exit`).catch(() => {});
    expect(await host.endOf(0)).toEqual({ exitCode: 7, signal: null, output: ["bye"] });
    await host.reprovision(0);
    expect(await host.endOf(0)).toMatchObject({ exitCode: null, signal: null });
    await host.release(0);
    expect(await host.endOf(0)).toBeUndefined();
  });

  it("stops everything and removes everything", async () => {
    const folder = folderWith();
    // Deaf to SIGTERM, in a pipeline, with a child that left the group.
    const deaf = `process.on("SIGTERM", () => {});\n${ECHO}\nimport { spawn } from "node:child_process";
      spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();`;
    writeFileSync(join(folder, "server.mjs"), deaf);
    const host = await hostOf({ folder, target: { command: `sleep 1000 | ${COMMAND}`, env: { DB: "{db_path}" } } });
    const lane = await host.provision(0);
    const { pid, env } = await echo(lane.baseUrl);
    const sleepers = (): string[] =>
      readdirSync("/proc").filter((id) => {
        try {
          return readFileSync(`/proc/${id}/environ`, "utf8").includes(`SEQQA_RUN=${env["SEQQA_RUN"]}`);
        } catch {
          return false;
        }
      });
    expect(sleepers().length).toBeGreaterThanOrEqual(3);
    await host.close();
    expect(isRunning(pid)).toBe(false);
    await eventually(() => sleepers().length === 0, "no process left");
    expect(readdirSync(join(folder, "tmp", `seqqa-${process.getuid?.()}`))).toEqual(["ports"]);
    expect(readdirSync(join(folder, "tmp", `seqqa-${process.getuid?.()}`, "ports"))).toEqual([]);
    await host.close();
    expect(await failureOf(host.provision(0))).toMatchObject({ code: "TARGETS_CLOSED" });
  });

  it("gives up a start that is under way when it is closed", async () => {
    const host = await hostOf({ target: { command: "sleep 1000" } });
    const started = failureOf(host.provision(0));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = performance.now();
    await host.close();
    expect(await started).toMatchObject({ code: "TARGETS_CLOSED" });
    expect(performance.now() - before).toBeLessThan(1_500);
  });
});

describe("targets that are not started", () => {
  it("borrows the one of base_url", async () => {
    const baseUrl = `http://127.0.0.1:${await listen(createServer((_, response) => response.writeHead(404).end()))}`;
    const folder = folderWith({ "own.db": "" });
    const host = await hostOf({ folder, baseUrl: `${baseUrl}/`, dbUrl: "sqlite:own.db" });
    const lane = await host.provision(0);
    expect(lane).toMatchObject({ baseUrl, borrowed: true, restartable: false, dbPath: join(folder, "own.db") });
    expect(host.canMakeLanes(1)).toBeUndefined();
    expect(host.canMakeLanes(2)).toMatchObject({
      exitStatus: 2,
      message: "Each of the 2 lanes needs its own target, but base_url names only one target, which already runs.",
    });
    expect((await host.reprovision(0)).generation).toBe(1);
    await host.close();
    expect(existsSync(join(folder, "own.db"))).toBe(true);
  });

  it("borrows those of lanes, and refuses two on one target or store", async () => {
    const [first, second] = [
      await listen(createServer((_, response) => response.end())),
      await listen(createServer((_, response) => response.end())),
    ];
    const folder = folderWith({ "a.db": "", "b.db": "" });
    const one = { baseUrl: `http://127.0.0.1:${first}`, dbUrl: "sqlite:a.db" };
    const host = await hostOf({ folder, lanes: [one, { baseUrl: `http://127.0.0.1:${second}`, systems: { db: { url: "sqlite:b.db" } } }] });
    expect([(await host.provision(0)).baseUrl, (await host.provision(1)).dbPath]).toEqual([one.baseUrl, join(folder, "b.db")]);
    expect(host.canMakeLanes(3)?.message).toBe("Each of the 3 lanes needs its own target, but `lanes` in seqqa.yaml lists only 2.");
    const sameTarget = await failureOf(hostOf({ folder, lanes: [one, { baseUrl: `http://localhost:${first}/` }] }));
    expect(sameTarget).toMatchObject({ code: "LANES_SHARED", exitStatus: 2 });
    const sameStore = await failureOf(
      hostOf({ folder, lanes: [one, { baseUrl: `http://127.0.0.1:${second}`, dbUrl: `sqlite:${folder}/./a.db` }] }),
    );
    expect(sameStore).toMatchObject({ code: "LANES_SHARED", message: "lanes[0] and lanes[1] in seqqa.yaml name the same store." });
  });

  it("makes any number of lanes when nothing is declared", async () => {
    const host = await hostOf({});
    const lanes = await Promise.all([0, 1, 2].map((index) => host.provision(index)));
    expect(lanes.map(({ baseUrl, systems, restartable }) => [baseUrl, systems, restartable])).toEqual(lanes.map(() => ["", [], false]));
    expect(new Set(lanes.map(({ tmpDir }) => tmpDir)).size).toBe(3);
    expect(host.canMakeLanes(64)).toBeUndefined();
  });

  it("hands a module on, bundled once", async () => {
    const folder = folderWith({ "target.ts": "", "shop.db": "" });
    const bundled: string[] = [];
    const bundleModule = async (file: string): Promise<string> => `file://${bundled.push(file)}${file}`;
    const host = await hostOf({ folder, target: { module: "target.ts" }, dbUrl: "sqlite:shop.db" }, { bundleModule });
    const [zero, one] = [await host.provision(0), await host.provision(1)];
    expect(bundled).toEqual([join(folder, "target.ts")]);
    expect(zero).toMatchObject({ targetModule: `file://1${folder}/target.ts`, baseUrl: "", borrowed: false, restartable: false });
    expect(zero.dbPath).not.toBe(one.dbPath);
    expect(await failureOf(hostOf({ folder, target: { module: "no.ts" } }))).toMatchObject({
      code: "TARGET_MODULE_MISSING",
      exitStatus: 2,
    });
  });
});
