import { afterAll, beforeAll, describe } from "vitest";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { size } from "../../../sizes.ts";
import { redis } from "../../../support/services/kinds.ts";
import { find, type Found } from "../../../support/services/service.ts";
import { commandsAnywhere, randomCommands, SEED, type Command } from "../../../contract/system/redis-world.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";
import { redisLane } from "../../../support/redis-lane.ts";
import { Writer } from "../../../contract/system/writers/writer.ts";

// A server of these tests' own: they flush, and change its settings.
let server: Found;
beforeAll(async () => {
  server = await find(redis, { running: false });
  if (server.kind === "missing") throw new Error(server.problem);
});
afterAll(() => (server.kind === "found" ? server.stop() : undefined));

async function lane(index: number, wipes: number, user?: string, borrowed = false): Promise<Subject> {
  const base = server.kind === "found" ? server.url : "";
  const { hostname, port } = new URL(base);
  const writer = new Writer<Command>("redis-writer.mjs", hostname, port, String(index));
  const failed = await writer.run(["FLUSHDB"], ...SEED, ...(user === undefined ? [] : [["ACL", "SETUSER", ...user.split(" ")]]));
  if (failed > 0) throw new Error(`${failed} commands of the seed were refused`);
  const url = new URL(`${base}/${index}`);
  if (user !== undefined) [url.username, url.password] = [user.split(" ")[0]!, "secret"];
  const system = new RedisAdapter({ url: url.href });
  await system.open({ name: "db", laneIndex: index, inProcess: false, borrowed });
  const why = system.checkpoint.why;
  if (why.includes("all keys") !== (user !== undefined)) throw new Error(`chose otherwise: ${why}`);
  return {
    system,
    write: async (random) => void (await writer.run(...randomCommands(random, wipes))),
    close: async () => {
      await system.close();
      await writer.stop();
    },
  };
}

/** A lane with a server of its own, all of whose databases hold something. */
async function wholeServer(index: number): Promise<Subject> {
  const own = await redisLane(`${server.kind === "found" ? server.url : ""}/9`);
  const { hostname, port } = new URL(own.url);
  const writer = new Writer<Command>("redis-writer.mjs", hostname, port, "3");
  const failed = await writer.run(...SEED, ["SELECT", "9"], ...SEED);
  if (failed > 0) throw new Error(`${failed} commands of the seed were refused`);
  const system = new RedisAdapter({ url: own.url });
  await system.open({ name: "db", laneIndex: index, inProcess: false, borrowed: false });
  return {
    system,
    write: async (random) => void (await writer.run(...commandsAnywhere(random, 2))),
    close: async () => {
      await system.close();
      await writer.stop();
      await own.close();
    },
  };
}

describe("redis, all databases of a lane's own server", () => {
  systemContract({ lane: wholeServer, cycles: size(6, 3000), seed: 17 });
});

describe("redis, another process", () => {
  systemContract({ lane: (index) => lane(index, 1), cycles: size(6, 10_000) });
});

describe("redis, another process, other seeds", () => {
  systemContract({ lane: (index) => lane(index, 0), cycles: size(6, 3000), seed: 21, brief: true });
});

describe("redis, another process that flushes often", () => {
  systemContract({ lane: (index) => lane(index, 30), cycles: size(6, 1000), seed: 5, brief: true });
});

describe("redis, a database that is the user's own", () => {
  systemContract({ lane: (index) => lane(index, 3, undefined, true), cycles: size(6, 1000), seed: 13, brief: true });
});

describe("redis, all keys every time, for a user who may not turn notifications on", () => {
  const user = "narrow on >secret ~* &* +@all -config";
  systemContract({ lane: (index) => lane(index, 3, user), cycles: size(6, 1000), seed: 9, brief: true });
});
