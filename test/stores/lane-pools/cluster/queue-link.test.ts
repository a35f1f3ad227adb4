import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QueueLink } from "../../../../src/lane-pools/cluster/queue-link.ts";
import { ownRedis } from "../../../support/cluster.ts";
import { until } from "../../../support/e2e.ts";

const open = (url: string, onNote: (note: string) => void = () => undefined): Promise<QueueLink> =>
  QueueLink.open({ url, ca: [], name: "of a test", onNote });

describe("a connection", () => {
  let server: Awaited<ReturnType<typeof ownRedis>>;
  beforeAll(async () => {
    server = await ownRedis();
  });
  afterAll(() => server.stop());

  it.each([
    ["no URL of Redis", () => "http://user:pass-word@127.0.0.1:1", "REDIS_URL_INVALID", 2, /it does not begin with redis: or rediss:/],
    [
      "nobody there",
      () => "redis://user:pass-word@127.0.0.1:1",
      "QUEUE_UNREACHABLE",
      3,
      /Connection refused \(redis:\/\/127\.0\.0\.1:1\/0\)/,
    ],
    ["a wrong password", () => server.url.replace("//", "//user:pass-word@"), "QUEUE_UNREACHABLE", 3, /Access refused \(redis:/],
    [
      "no TLS there",
      () => server.url.replace("redis:", "rediss:"),
      "QUEUE_UNREACHABLE",
      3,
      /cannot connect to the Redis server of the distributed run: .+ \(rediss:/,
    ],
  ])("is refused by name: %s", async (_what, url, code, exitStatus, message) => {
    const error = await open(url()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, exitStatus, message: expect.stringMatching(message) as string });
    expect(String((error as Error).message)).not.toContain("pass-word");
  });

  it("says what the server refuses", async () => {
    const link = await open(server.url);
    await link.redis.set("seqqa-test", "no list");
    await expect(link.exec(link.redis.pipeline().rpush("seqqa-test", "x"))).rejects.toMatchObject({
      code: "QUEUE_REFUSED",
      exitStatus: 3,
      message: expect.stringMatching(/refused a command: WRONGTYPE /) as string,
    });
    link.close();
  });

  it("waits for a server that is away, and tells of it; but not at the end", async () => {
    const notes: string[] = [];
    const link = await open(server.url, (note) => notes.push(note));
    await link.redis.set("seqqa-test", "1");
    let isAnswered = false;
    let parted = -1;
    const back = server.restart!(2500);
    await until(() => notes.length > 0, "that it is away");
    const asked = link.redis.set("seqqa-test", "2").then(() => (isAnswered = true));
    const before = performance.now();
    await link.parting(asked, 60_000);
    parted = performance.now() - before;
    expect([isAnswered, parted < 30_000]).toEqual([false, true]);
    await back;
    await asked;
    await until(() => notes.length === 2, "that it is back");
    expect(notes.map((note) => note.replace(/:\d+/, ":port"))).toEqual([
      "Redis at redis://127.0.0.1:port/0 is not reachable. seqqa waits until Redis answers again.",
      "Redis at redis://127.0.0.1:port/0 is reachable again.",
    ]);
    link.close();
  });
});
