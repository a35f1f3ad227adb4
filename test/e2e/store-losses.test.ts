import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { commandOf, descendants, documentOf, emptyFolder, only, seqqa, start, until, type Explored, type Ran } from "../support/e2e.ts";
import { ownServer, type OwnServer } from "../support/losses.ts";
import { onMysql, onPostgres, template } from "../support/store-templates.ts";

const STEPS = String(size(30, 5000));

/** Calls of a small run take a while, so that it is not over before what it is to meet. */
const SLOWLY: Readonly<Record<string, string>> = full ? {} : { WAIT_MS: "60" };

type Kind = "postgres" | "mysql";

/** Disturbances of the quick suite: each of them on one store. At full size both stores meet all of them. */
const QUICK: Readonly<Record<Kind, readonly string[]>> = {
  postgres: ["the server is restarted", "the run is killed"],
  mysql: ["all connections are ended"],
};

const command = (parallel: number, steps = STEPS): readonly string[] =>
  `run fixtures/ledger --only ledger --config fixtures/ledger/store.yaml --reporter json --parallel ${parallel} --max-steps ${steps} --output ${emptyFolder()}`.split(
    " ",
  );

/** One server of a kind does for all: each test leaves nothing on it. */
const servers = new Map<Kind, Promise<OwnServer>>();
function serverOf(kind: Kind): Promise<OwnServer> {
  const server = servers.get(kind) ?? ownServer(kind);
  servers.set(kind, server);
  return server;
}

function clean(ran: Ran): Explored {
  const result = only(documentOf(ran));
  expect(result).toMatchObject({ errors: [], divergences: [], violations: [] });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  return result;
}

describe.each(full ? (["postgres", "mysql"] as const) : (["postgres"] as const))(
  "%s, in the middle of a run",
  { timeout: 600_000 },
  (kind) => {
    const meets = (what: string): boolean => full || QUICK[kind].includes(what);

    it("survives what ends targets, connections and the server: the same answer; a killed run is swept by the next", async () => {
      const server = await serverOf(kind);
      const env = { STORE_URL: server.template };
      if (meets("the run is killed")) {
        const killed = start(command(size(1, 2), "100000"), { env });
        await server.untilAtWork(size(1, 2));
        killed.child.kill("SIGKILL");
        await killed.ended;
        expect((await server.ofRuns()).length).toBeGreaterThan(0);
      }
      // The next run sweeps what a killed one left.
      const undisturbed = clean(await seqqa(command(1), { env }));
      expect(await server.ofRuns()).toEqual([]);

      const disturbances: Readonly<Record<string, (pid: number) => Promise<void>>> = {
        "a target is killed": (pid) => {
          process.kill(
            descendants(pid).find((one) => /^node server\.mjs$/.test(commandOf(one)))!,
            "SIGKILL",
          );
          return Promise.resolve();
        },
        "our connections are ended": () => server.endOurs(),
        "all connections are ended": () => server.endAll(),
        "the server is restarted": () => server.restart(),
        "the server is away for a while": () => server.restart(8000),
      };
      for (const [what, disturb] of Object.entries(disturbances)) {
        if (!meets(what)) continue;
        const running = start(command(size(1, 2)), { env: { ...env, ...SLOWLY } });
        await server.untilAtWork(size(1, 2));
        await disturb(running.pid);
        expect(running.child.exitCode, what).toBeNull();
        const ran = await running.ended;
        expect(clean(ran).digest, what).toBe(undisturbed.digest);
        expect(await server.ofRuns(), what).toEqual([]);
      }
    });

    it.runIf(full)("two runs at once on one server leave each other alone", async () => {
      const server = await serverOf(kind);
      const env = { STORE_URL: server.template };
      const first = start(command(size(1, 2)), { env: { ...env, ...(!full && { WAIT_MS: "100" }) } });
      await server.untilAtWork(size(1, 2));
      const before = (await server.ofRuns()).length;
      const second = seqqa(command(1), { env });
      await until(async () => (await server.ofRuns()).length > before, "stores of both", 60_000);
      expect(first.child.exitCode, "the first run still runs").toBeNull();
      expect(clean(await second).digest).toBe(clean(await first.ended).digest);
      expect(await server.ofRuns()).toEqual([]);
    });
  },
);

/** Whether a lane's server has seen some steps of the exploration. */
async function atWork(pid: number): Promise<boolean> {
  let redis: Redis | undefined;
  try {
    // Its port stands in its configuration file, which its command line names.
    const port = Number(/^port (\d+)$/m.exec(readFileSync(commandOf(pid).split(" ")[1]!, "utf8"))![1]);
    redis = new Redis({ port, host: "127.0.0.1", lazyConnect: true, retryStrategy: () => null });
    redis.on("error", () => undefined);
    await redis.connect();
    return Number(/total_commands_processed:(\d+)/.exec(await redis.info("stats"))?.[1]) > size(200, 3000);
  } catch {
    return false;
  } finally {
    redis?.disconnect();
  }
}

describe("Redis, in the middle of a run", { timeout: 300_000 }, () => {
  it.runIf(full)("a lane's server is killed: the same answer", async () => {
    const env = { STORE_URL: await template("redis") };
    // Long enough that the run is still at work when its server is killed.
    const steps = String(size(110, 8000));
    const undisturbed = clean(await seqqa(command(1, steps), { env }));
    // Its requests wait for the server that is gone.
    const running = start(command(2, steps), { env: { ...env, ...SLOWLY, TIMEOUT: "5" } });
    const servers = (): readonly number[] => descendants(running.pid).filter((pid) => /^\S*redis-server /.test(commandOf(pid)));
    await until(
      async () => (await Promise.all(servers().map(atWork))).filter(Boolean).length === 2 && running.child.exitCode === null,
      "work in two lanes",
      60_000,
    );
    process.kill(servers()[0]!, "SIGKILL");
    const ran = await running.ended;
    expect(clean(ran).digest).toBe(undisturbed.digest);
    expect(servers()).toEqual([]);
  });
});

describe("stores that cannot be had", () => {
  it.each([
    ["postgresql://u:geheim@127.0.0.1:1/shop_test", 3, /cannot connect to the database postgresql:\/\/127\.0\.0\.1:1\/shop_test: /],
    ["mysql://u:geheim@127.0.0.1:1/shop_test", 3, /cannot connect to the database mysql:\/\/127\.0\.0\.1:1\/shop_test: /],
    ["redis://u:geheim@127.0.0.1:1/0", 3, /Redis at .*127\.0\.0\.1:1.* cannot be reached/],
    ["postgresql://u:geheim@db.example.com/shop", 2, /"shop" on db\.example\.com/],
  ])("%s: one sentence, no password", async (url, status, says) => {
    const ran = await seqqa(command(1), { env: { STORE_URL: url } });
    expect(ran.status).toBe(status);
    const all = `${ran.stdout}${ran.stderr}`;
    expect(all).toMatch(says);
    expect(all).not.toContain("geheim");
  });

  it("doctor says the same, and with what there is, that a trial was put back", async () => {
    const env = { STORE_URL: "postgresql://u:geheim@127.0.0.1:1/shop_test" };
    const doctor = ["doctor", "fixtures/ledger", "--config", "fixtures/ledger/store.yaml"];
    const missing = await seqqa(doctor, { env });
    expect(missing.status).toBe(3);
    expect(missing.stdout).toMatch(/problem +db: reachable +.*cannot connect to the database/);
    expect(`${missing.stdout}${missing.stderr}`).not.toContain("geheim");
    // In the quick suite one store: test/stores/contract/system has that each of them is put back.
    for (const kind of some(["postgres", "mysql", "redis"] as const, 1)) {
      const url = await template(kind);
      if (kind === "postgres") await onPostgres(url, "CREATE TABLE things AS SELECT 1 AS id");
      if (kind === "mysql") await onMysql(url, "CREATE TABLE things AS SELECT 1 AS id");
      const fine = await seqqa(doctor, { env: { STORE_URL: url } });
      expect(fine.stdout).toMatch(/ok +db: trial +checkpoint .*, and seqqa restored the store exactly/);
      expect(fine.status).toBe(0);
    }
  });
});
