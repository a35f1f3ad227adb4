import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { mysqlUrl, postgresUrl, redisUrl } from "../../support/services.ts";
import { mysql, postgres, redis } from "../../support/services/kinds.ts";
import { find, freePort, variable } from "../../support/services/service.ts";

describe("servers for the tests", () => {
  it("names one of each kind", async () => {
    expect(await postgresUrl()).toMatch(/^postgres(ql)?:\/\/.+/);
    expect(await mysqlUrl()).toMatch(/^(mysql|mariadb):\/\/.+/);
    expect(await redisUrl()).toMatch(/^rediss?:\/\/.+/);
  });

  it.each([postgres, mysql, redis])("starts $name from its binaries where none is running, and stops it", async (service) => {
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
      process.env[variable(redis)] = before;
    }
  });
});
