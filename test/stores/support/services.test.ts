import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mysqlUrl, postgresUrl, redisUrl } from "../../support/services.ts";
import { mysql, postgres, redis } from "../../support/services/kinds.ts";
import { find, freePort, variable, type Found, type Service } from "../../support/services/service.ts";

describe("servers for the tests", () => {
  it("names one of each kind", async () => {
    expect(await postgresUrl()).toMatch(/^postgres(ql)?:\/\/.+/);
    expect(await mysqlUrl()).toMatch(/^(mysql|mariadb):\/\/.+/);
    expect(await redisUrl()).toMatch(/^rediss?:\/\/.+/);
  });

  const long = { timeout: 300_000 };
  it.each([postgres, mysql, redis])("starts $name from its binaries where none is running, and stops it", long, async (service) => {
    const found = await find(service, { running: false });
    if (found.kind === "missing") throw new Error(found.problem);
    const { port } = new URL(found.url);
    const ping = {
      postgres: ["psql", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-c", "select 1"],
      mysql: ["mariadb", "-h", "127.0.0.1", "-P", port, "-u", "root", "-e", "select 1"],
      redis: ["redis-cli", "-p", port, "ping"],
    }[service.name]!;
    const once = (): number | null => spawnSync(ping[0]!, ping.slice(1), { encoding: "utf8" }).status;
    try {
      expect(once()).toBe(0);
      await found.restart!();
      expect(once()).toBe(0);
    } finally {
      await found.stop();
    }
    expect(once()).not.toBe(0);
  });

  it("says by name what cannot be had, and how to get it", async () => {
    const port = await freePort();
    const before = process.env[variable(redis)];
    process.env[variable(redis)] = `redis://127.0.0.1:${port}`;
    try {
      const found = await find(redis);
      expect(found).toMatchObject({
        kind: "missing",
        problem: expect.stringMatching(/need redis.*SEQQA_TEST_REDIS.*apt-get install redis-server/),
      });
    } finally {
      if (before === undefined) delete process.env[variable(redis)];
      else process.env[variable(redis)] = before;
    }
  });
});

/** As root on Debian; elsewhere nothing is installed. */
const debianRoot = process.getuid?.() === 0 && existsSync("/etc/debian_version");

/** Looks for a Redis whose binaries are not there until an `apt-get` of the test's own has run, which says what it was asked for. */
async function installing(aptGet: string): Promise<{ readonly found: Found; readonly asked: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-test-apt-"));
  const [program, log, installed] = [join(folder, "apt-get"), join(folder, "log"), join(folder, "installed")];
  writeFileSync(program, `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> ${log}\n${aptGet.replace("INSTALLED", installed)}\n`);
  chmodSync(program, 0o755);
  const service: Service = { ...redis, start: (port, directory) => (existsSync(installed) ? redis.start(port, directory) : undefined) };
  const path = process.env["PATH"]!;
  process.env["PATH"] = `${folder}:${path}`;
  try {
    const found = await find(service, { running: false });
    return { found, asked: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
  } finally {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("where there are no binaries", () => {
  const asked = ["noninteractive update -q", "noninteractive install -y -q --no-install-recommends redis-server"];

  it("Debian's package is installed, and a server of our own started from it", async () => {
    const { found, asked: was } = await installing('[ "$1" = install ] && touch INSTALLED; true');
    if (!debianRoot) {
      expect({ found, was }).toMatchObject({ found: { kind: "missing" }, was: [] });
      return;
    }
    if (found.kind === "missing") throw new Error(found.problem);
    try {
      expect(was).toEqual(asked);
      expect(found.how).toMatch(/^started on port \d+$/);
      expect(spawnSync("redis-cli", ["-p", new URL(found.url).port, "ping"], { encoding: "utf8" }).stdout).toBe("PONG\n");
    } finally {
      await found.stop();
    }
  });

  it.runIf(debianRoot).each([
    ["that fails is repeated", 'echo "E: no such host" >&2; exit 100', "failed: E: no such host"],
    ["that says nothing is named", "exit 100", "apt-get update -q"],
    ["that installs no binaries, too", "true", "and redis-server is installed, but its binaries are not found"],
  ])("an apt-get %s, with how to get a server", async (_, aptGet, says) => {
    const { found } = await installing(aptGet);
    if (found.kind !== "missing") throw new Error("There is a server.");
    expect(found.problem).toContain(says);
    expect(found.problem).toMatch(/^These tests need redis, .*SEQQA_TEST_REDIS.*apt-get install redis-server$/s);
  });
});
