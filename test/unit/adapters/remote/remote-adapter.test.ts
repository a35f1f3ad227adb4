import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { RemoteAdapter } from "../../../../src/adapters/remote/index.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import type { StoreScope } from "../../../../src/model/stores/store-adapter.ts";

const SCOPE: StoreScope = { name: "app", laneIndex: 0, inProcess: false, borrowed: false };

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}
type Answer = readonly [status: number, body: string] | "hang" | "cut" | "reset";

const open: { readonly server: Server; readonly adapters: RemoteAdapter[] }[] = [];
afterEach(async () => {
  for (const { server, adapters } of open.splice(0)) {
    for (const adapter of adapters) await adapter.close().catch(() => undefined);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A target whose answers a test decides; by default one that serves the protocol over `world.state`. */
async function serve(answer: (call: Call, index: number) => Answer | undefined = () => undefined): Promise<{
  readonly url: string;
  readonly calls: Call[];
  readonly world: { state: string; readonly saved: string[] };
  adapter(url?: string, limits?: { readonly timeoutMs?: number; readonly mostBytes?: number }): RemoteAdapter;
}> {
  const calls: Call[] = [];
  const world = { state: '{"n":0}', saved: [] as string[] };
  const own = ({ path, body }: Call): Answer => {
    if (path.endsWith("/checkpoint")) return [200, JSON.stringify({ id: String(world.saved.push(world.state)) })];
    if (path.endsWith("/state")) return [200, world.state];
    world.state = world.saved[Number((JSON.parse(body) as { readonly id: string }).id) - 1]!;
    return [204, ""];
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const call = { method: request.method!, path: request.url!, body: Buffer.concat(chunks).toString(), headers: request.headers };
      const index = calls.push(call) - 1;
      const given = answer(call, index) ?? own(call);
      if (given === "hang") return;
      if (given === "reset") return void request.socket.destroy();
      if (given === "cut") {
        response.writeHead(200, { "content-length": 100 });
        response.write("{");
        setTimeout(() => request.socket.destroy(), 20);
        return;
      }
      response.writeHead(given[0]).end(given[0] === 204 ? undefined : given[1]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/__seqqa`;
  const adapters: RemoteAdapter[] = [];
  open.push({ server, adapters });
  return {
    url,
    calls,
    world,
    adapter: (other = url, limits = {}) => {
      const adapter = new RemoteAdapter({ url: other }, limits);
      adapters.push(adapter);
      return adapter;
    },
  };
}

async function errorOf(promise: Promise<unknown>): Promise<SeqqaError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SeqqaError);
  expect((error as SeqqaError).hint).toBeDefined();
  return error as SeqqaError;
}

describe("the protocol", () => {
  it("is three requests, as any server understands them", async () => {
    const target = await serve();
    const adapter = target.adapter();
    await adapter.open(SCOPE);
    target.calls.length = 0;
    const mark = await adapter.mark();
    await adapter.restore(mark);
    await adapter.observe();
    expect(target.calls.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/__seqqa/checkpoint", ""],
      ["GET", "/__seqqa/state", ""],
      ["POST", "/__seqqa/rollback", '{"id":"2"}'],
      ["GET", "/__seqqa/state", ""],
    ]);
    expect(target.calls[0]!.headers).not.toHaveProperty("content-type");
    expect(target.calls[2]!.headers).toMatchObject({ "content-type": "application/json" });
  });

  it("gives numbers as ids back as numbers", async () => {
    const target = await serve(({ path }) =>
      path.endsWith("checkpoint") ? [201, '{"id":7.5}'] : path.endsWith("rollback") ? [200, "done"] : undefined,
    );
    const adapter = target.adapter();
    await adapter.open(SCOPE);
    await adapter.restore(await adapter.mark());
    expect(target.calls.at(-1)!.body).toBe('{"id":7.5}');
  });

  it("tells states apart by their values alone: not by the order of keys or by blanks", async () => {
    const target = await serve();
    const adapter = target.adapter();
    target.world.state = '{"a":1,"b":[1,{"c":null,"d":"x"}]}';
    await adapter.open(SCOPE);
    const mark = await adapter.mark();
    const dump = await adapter.dump();
    target.world.state = ' { "b": [1, {"d":"x", "c":null}], "a": 1.0 }';
    expect(await adapter.changed(mark)).toBe(false);
    expect(await adapter.dump()).toBe(dump);
    for (const other of [
      '{"a":1,"b":[{"c":null,"d":"x"},1]}',
      '{"a":1,"b":[1,{"c":null,"d":"y"}]}',
      '{"a":1}',
      '{"a":"1","b":[1,{"c":null,"d":"x"}]}',
    ]) {
      target.world.state = other;
      expect(await adapter.changed(mark), other).toBe(true);
      expect(await adapter.dump(), other).not.toBe(dump);
    }
  });

  it("keeps 0 and -0 apart", async () => {
    const target = await serve();
    const adapter = target.adapter();
    await adapter.open(SCOPE);
    const [mark, dump] = [await adapter.mark(), await adapter.dump()];
    target.world.state = '{"n":-0}';
    expect(await adapter.changed(mark)).toBe(true);
    expect(await adapter.dump()).not.toBe(dump);
    expect(await adapter.observe()).toEqual({ kind: "value", value: { n: -0 } });
  });

  it("keeps integers beyond 2^53 apart", async () => {
    const target = await serve();
    const adapter = target.adapter();
    target.world.state = '{"id":9007199254740993,"text":"9007199254740993","half":1234567890123456.5,"low":-9007199254740993}';
    await adapter.open(SCOPE);
    expect(await adapter.state()).toEqual({
      id: 9007199254740993n,
      text: "9007199254740993",
      half: 1234567890123456.5,
      low: -9007199254740993n,
    });
    const mark = await adapter.mark();
    target.world.state = target.world.state.replace("993", "992");
    expect(await adapter.changed(mark)).toBe(true);
  });

  it("puts a target of the user's own back as it was found", async () => {
    const target = await serve();
    const adapter = target.adapter();
    await adapter.open({ ...SCOPE, borrowed: true });
    target.world.state = '{"n":1}';
    await adapter.mark();
    target.world.state = '{"n":2}';
    await adapter.close();
    expect(target.world.state).toBe('{"n":0}');
    await adapter.open(SCOPE);
    target.world.state = '{"n":3}';
    await adapter.close();
    expect(target.world.state).toBe('{"n":3}');
  });

  it("sends credentials, and shows them nowhere", async () => {
    const target = await serve(({ path }) => (path.endsWith("rollback") ? [500, "no"] : undefined));
    const adapter = target.adapter(target.url.replace("://", "://me:s%C3%BCcret@"));
    const error = await errorOf(adapter.open(SCOPE));
    expect(target.calls[0]!.headers).toMatchObject({ authorization: `Basic ${Buffer.from("me:sücret").toString("base64")}` });
    expect(error.message).toBe(`POST ${target.url}/rollback was answered with status 500.`);
    expect(JSON.stringify([adapter.uses, error.message, error.hint, error.stack, String(error.cause)])).not.toMatch(/cret|me:/);
  });

  it("repeats a request whose idle connection was closed, once", async () => {
    let resets = 0;
    const target = await serve(({ path }) => (path.endsWith("checkpoint") && resets++ % 2 === 0 ? "reset" : undefined));
    const adapter = target.adapter();
    await adapter.open(SCOPE);
    await adapter.mark();
    expect(resets).toBe(4);
  });
});

describe("what goes wrong is said in one sentence", () => {
  const at = (name: string, answer: Answer) => (call: Call) => (call.path.endsWith(name) ? answer : undefined);

  it.each([
    [
      "state",
      [404, ""],
      "REMOTE_REFUSED",
      /^GET http.*\/__seqqa\/state was answered with status 404, so the target serves no checkpoints under this URL\.$/,
    ],
    [
      "checkpoint",
      [405, ""],
      "REMOTE_REFUSED",
      /^POST http.*\/checkpoint was answered with status 405, so the target serves no checkpoints/,
    ],
    ["rollback", [500, "{}"], "REMOTE_REFUSED", /^POST http.*\/rollback was answered with status 500\.$/],
    ["state", [302, ""], "REMOTE_REFUSED", /status 302/],
    ["state", [401, ""], "REMOTE_REFUSED", /status 401/],
    [
      "state",
      [200, "<!doctype html>"],
      "REMOTE_BAD_ANSWER",
      /^The answer to GET http.*\/state is not JSON; it begins with "<!doctype html>"\.$/,
    ],
    ["state", [200, ""], "REMOTE_BAD_ANSWER", /is not JSON; it is empty/],
    ["state", [200, `${"[".repeat(1100)}${"]".repeat(1100)}`], "REMOTE_BAD_ANSWER", /is nested too deeply/],
    ["checkpoint", [200, "{}"], "REMOTE_BAD_ANSWER", /^The answer to POST http.*\/checkpoint has no field "id"\.$/],
    ["checkpoint", [200, "null"], "REMOTE_BAD_ANSWER", /has no field "id"/],
    ["checkpoint", [204, ""], "REMOTE_BAD_ANSWER", /is not JSON; it is empty/],
    ["checkpoint", [200, '{"id":null}'], "REMOTE_BAD_ANSWER", /neither a number nor a string/],
    ["checkpoint", [200, '{"id":""}'], "REMOTE_BAD_ANSWER", /neither a number nor a string/],
    ["checkpoint", [200, '{"id":9007199254740993}'], "REMOTE_BAD_ANSWER", /neither a number nor a string/],
    ["checkpoint", [200, `{"id":"${"x".repeat(1001)}"}`], "REMOTE_BAD_ANSWER", /neither a number nor a string/],
    ["state", "cut", "REMOTE_UNREACHABLE", /got no answer from the target/],
  ] as const)("%s: %j", async (name, answer, code, message) => {
    const target = await serve(at(name, answer));
    const error = await errorOf(target.adapter().open(SCOPE));
    expect(error).toMatchObject({ code, exitStatus: 3, message: expect.stringMatching(message) as string });
  });

  it("a target that hangs, and one that sends without end", async () => {
    const target = await serve(at("state", "hang"));
    const late = await errorOf(target.adapter(target.url, { timeoutMs: 60 }).open(SCOPE));
    expect(late).toMatchObject({ code: "REMOTE_TIMEOUT", message: `GET ${target.url}/state got no complete answer within 0.06 s.` });
    const huge = await serve(at("state", [200, JSON.stringify("x".repeat(5000))]));
    const large = await errorOf(huge.adapter(huge.url, { mostBytes: 1024 }).open(SCOPE));
    expect(large).toMatchObject({ code: "REMOTE_TOO_LARGE" });
  });

  it("a target that is not there", async () => {
    const error = await errorOf(new RemoteAdapter({ url: "http://127.0.0.1:1/__seqqa" }).open(SCOPE));
    expect(error).toMatchObject({
      code: "REMOTE_UNREACHABLE",
      message: "Connection refused: GET http://127.0.0.1:1/__seqqa/state got no answer from the target.",
    });
  });

  it("a world that is used outside of its run", async () => {
    const target = await serve();
    expect(await errorOf(target.adapter().state())).toMatchObject({ code: "STORE_NOT_OPEN" });
  });

  it.each([
    ["/__seqqa", /has no host, because the lane's target has no HTTP URL/],
    ["undefined/__seqqa", /is not a valid URL/],
    ["ftp://host/x", /begins with ftp:/],
    ["http://host/x?y=1", /has a query/],
    ["http://me:secret@ho st/x", /is not a valid URL/],
    ["", /without the URL/],
  ])("the URL %s", (url, message) => {
    let error: unknown;
    try {
      void new RemoteAdapter({ url });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "REMOTE_URL_INVALID", exitStatus: 2, message: expect.stringMatching(message) as string });
    expect(String((error as Error).stack)).not.toContain("secret");
  });
});
