import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import type { Race } from "../../../../src/model/results/result.ts";
import { raceScript } from "../../../../src/reports/curl/race-script.ts";
import { redactor } from "../../../../src/reports/index.ts";
import { exchangeOf, gatedRace, race } from "../../../support/race.ts";
import { runScript, type RanScript } from "../../../support/run-script.ts";

const folder = mkdtempSync(join(tmpdir(), "seqqa-race-"));
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((one) => one.closeAllConnections()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Orders that can be refunded: `racy` answers the first refund of an order when the second one has come, and refunds both; else in turn. */
async function shop(racy: boolean): Promise<{ readonly url: string; readonly seen: readonly string[] }> {
  const orders: number[] = [];
  const seen: string[] = [];
  let waiting: (() => void) | undefined;
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => void response.writeHead(status).end(JSON.stringify(body));
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    if (request.url === "/orders") return answer(201, { id: 100 + orders.push(0), amount: 100 });
    const [, id, verb] = /^\/orders\/(\d+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    const order = Number(id) - 101;
    if (verb === "pay") return answer(200, { id: Number(id) });
    if (!racy) return orders[order]!++ === 0 ? answer(200, { id: Number(id), refunded: 100 }) : answer(409, { error: "refunded already" });
    const refunded = (): void => answer(200, { id: Number(id), refunded: 100 });
    if (waiting === undefined) waiting = refunded;
    else {
      waiting();
      waiting = undefined;
      refunded();
    }
  });
  servers.push(server.unref());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const run = (script: string, env: Readonly<Record<string, string>>): Promise<RanScript> => runScript(folder, script, env);

const scriptOf = (changes: Partial<Race> = {}, names: readonly string[] = []): string => raceScript(race(changes), redactor(names))!;

it("sends both calls at the same time, after the prefix with its own ids, and ends with 1 where no order gives the answers", async () => {
  const { url, seen } = await shop(true);
  const { status, out } = await run(scriptOf(), { BASE_URL: url });
  expect(out).toContain("The race was seen in round 1");
  expect(status).toBe(1);
  // The server answers the first refund only once it has the second one.
  expect(seen).toEqual(["POST /orders", "POST /orders/101/pay", "POST /orders/101/refund", "POST /orders/101/refund"]);
});

it("goes on for as many rounds as it is told to, each with its own order, and ends with 0", async () => {
  const { url, seen } = await shop(false);
  const { status, out } = await run(scriptOf(), { BASE_URL: url, ROUNDS: "3" });
  expect(out).toContain("The race was not seen in 3 rounds.");
  expect(status).toBe(0);
  expect(seen.filter((one) => one.endsWith("/refund"))).toEqual(
    ["101", "101", "102", "102", "103", "103"].map((id) => `POST /orders/${id}/refund`),
  );
});

it("sides of several requests each have a process of their own", async () => {
  const { observed } = race();
  const calls = observed.calls.map((call) => ({
    ...call,
    requests: [exchangeOf("POST", "/orders/1/pay", 200, '{"id":1}'), ...call.requests],
  }));
  const { url, seen } = await shop(true);
  const script = scriptOf({ observed: { ...observed, calls } });
  expect((await run(script, { BASE_URL: url })).status).toBe(1);
  expect(seen.filter((one) => one === "POST /orders/101/pay")).toHaveLength(3);
});

it("says that the answers cannot tell where they are those of an order, too; CHECK then decides", async () => {
  const { allowed, observed } = race();
  const silent = scriptOf({ allowed: allowed.map((one) => ({ ...one, calls: observed.calls })) });
  expect(silent).toContain("#   + refunds (amount = 100, id = 2, order_id = 1)");
  const { url } = await shop(true);
  const blind = await run(silent, { BASE_URL: url });
  expect(blind.out).toContain("the race differs only in the state");
  expect(blind.status).toBe(2);
  expect(await run(silent, { BASE_URL: url, CHECK: "false" })).toMatchObject({ status: 1 });
  expect(await run(silent, { BASE_URL: url, CHECK: "true", ROUNDS: "2" })).toMatchObject({ status: 0 });
});

it("tells a race by bodies where statuses are those of an order: ids in answers may be others, but not the same one twice", async () => {
  const created = (id: number): Race["observed"]["calls"][number] => ({
    action: "create_order",
    status: 201,
    requests: [exchangeOf("POST", "/orders", 201, JSON.stringify({ id, amount: 100 }))],
  });
  const base = race().observed;
  const twice = scriptOf({
    prefix: [],
    steps: [],
    observed: { ...base, calls: [created(1), created(1)] },
    allowed: [{ ...base, order: [0, 1], calls: [created(1), created(2)] }],
  });
  const { url } = await shop(false);
  expect(await run(twice, { BASE_URL: url, ROUNDS: "2" })).toMatchObject({ status: 0 });
  const server = createServer(
    (request, response) => void request.resume().on("end", () => response.writeHead(201).end('{"id":7,"amount":100}')),
  );
  servers.push(server.unref());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const same = await run(twice, { BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  expect(same).toMatchObject({ status: 1 });
});

it("compares no body after HEAD, of which curl writes the headers in its place", async () => {
  const call = (method: string, body: string): Race["observed"]["calls"][number] => ({
    action: method,
    status: 200,
    requests: [exchangeOf(method, "/orders/1", 200, body)],
  });
  const base = race().observed;
  const script = scriptOf({
    first: "HEAD",
    second: "POST",
    prefix: [],
    steps: [],
    observed: { ...base, calls: [call("HEAD", ""), call("POST", '{"left":"none"}')] },
    allowed: [{ ...base, order: [0, 1], calls: [call("HEAD", ""), call("POST", '{"left":"one"}')] }],
  });
  const server = createServer((request, response) => void request.resume().on("end", () => response.end('{"left":"none"}')));
  servers.push(server.unref());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  expect(await run(script, { BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })).toMatchObject({ status: 1 });
});

it("ends with 3 where the path goes another way, with 2 where nothing answers", async () => {
  const { url } = await shop(false);
  const [create, pay] = race().steps;
  const other = scriptOf({ steps: [create!, { ...pay!, requests: [exchangeOf("POST", "/orders/1/pay", 402, "{}")] }] });
  expect(await run(other, { BASE_URL: url })).toMatchObject({ status: 3 });
  expect(await run(scriptOf(), { BASE_URL: "http://127.0.0.1:9" })).toMatchObject({ status: 2 });
});

it("holds no secret, and whatever is in names, requests and answers is data to the shell", async () => {
  const HOSTILE = `'; touch pwned; '$(touch pwned)\`touch pwned\`"\\%s%n\n\r\0\u001b[31m\ud800`;
  const script = scriptOf(
    {
      first: HOSTILE,
      second: HOSTILE,
      message: HOSTILE,
      prefix: [HOSTILE],
      observed: {
        ...race().observed,
        changes: [HOSTILE],
        calls: race().observed.calls.map((call) => ({
          ...call,
          action: HOSTILE,
          requests: [exchangeOf("POST", `/a/${encodeURIComponent(HOSTILE.slice(0, 40))}?q=';touch%20pwned;'`, 200, HOSTILE, HOSTILE)],
        })),
      },
      schedule: { system: HOSTILE, held: 0, write: 1, statement: HOSTILE },
    },
    ["password", "authorization"],
  );
  expect(script).not.toMatch(/pw-1|Bearer abc|[\0\r\u001b\ud800-\udfff]/);
  expect(script).toContain('"${SECRET_PASSWORD+set}"');
  const env = { BASE_URL: "http://127.0.0.1:9", SECRET_PASSWORD: "a", SECRET_AUTHORIZATION: "b" };
  expect(await run(script, env)).toMatchObject({ status: 2 });
  expect(await run("test ! -e pwned", {})).toMatchObject({ status: 0 });
});

it("says what curl cannot do", () => {
  expect(scriptOf({ delivery: "http2" })).toContain(
    "# The run sent the calls together (HTTP/2); curl sends each call on a connection of its own",
  );
  expect(raceScript(gatedRace(), redactor([]))).toContain(
    "curl cannot hold a statement, so this script shows the race only by chance. seqqa replay r00000000000000a7 follows",
  );
  expect(scriptOf({ observed: { ...race().observed, calls: [] } })).toBeUndefined();
});

it("without a way, says so if nothing answers", async () => {
  expect(await run(scriptOf({ prefix: [], steps: [] }), { BASE_URL: "http://127.0.0.1:9" })).toMatchObject({ status: 2 });
});

it("is not tried if a body was not recorded, and sends paths as recorded", async () => {
  const base = race().observed;
  const calls = base.calls.map((call) => ({ ...call, requests: [exchangeOf("POST", "/a/../b", 200, "{}", "PNG\ufffd")] }));
  const { url, seen } = await shop(true);
  expect(await run(scriptOf({ observed: { ...base, calls } }), { BASE_URL: url })).toMatchObject({ status: 2 });
  expect(seen).toEqual([]);
  expect(scriptOf()).toContain("--parallel-immediate --silent --globoff --path-as-is --noproxy");
});
