import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { InProcessClock } from "../../../../src/adapters/clock/index.ts";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { HttpStub, webhookActions } from "../../../../src/adapters/stub/index.ts";
import { GraphQLClient } from "../../../../src/clients/graphql/index.ts";
import { World } from "../../../../src/index.ts";
import { clientPartOf } from "../../../../src/model/http/client.ts";
import { closeServers, freePort, serve } from "../../../support/http-servers.ts";

afterEach(closeServers);

interface Got {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A target that answers every request with a cookie. Returns its URL and what it received. */
async function target(): Promise<{ readonly url: string; readonly got: Got[] }> {
  const got: Got[] = [];
  const url = await serve((request, response) => {
    got.push({ path: request.url!, headers: request.headers });
    request.resume();
    response.setHeader("set-cookie", "third=party; Path=/").end("{}");
  });
  return { url, got };
}

/** A stub with one queued webhook. */
async function stubWithWebhook(): Promise<HttpStub> {
  const stub = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
  stub
    .whenPost("/charges")
    .respond({})
    .thenSend({ path: "/hooks", body: { paid: true } });
  await stub.listen();
  onTestFinished(() => stub.close());
  await fetch(`${stub.url}/charges`, { method: "POST" });
  return stub;
}

describe("webhookActions", () => {
  it("sends no token, cookie or header of the user, keeps no cookie, and signs with the target's time", async () => {
    const [{ url, got }, payments] = await Promise.all([target(), stubWithWebhook()]);
    const clock = new InProcessClock({ id: "webhooks" });
    onTestFinished(() => clock.close());
    clock.advance("30 days");
    const api = new HttpClient(`${url}/v1`, { headers: { "x-tenant": "7" } });
    await api.get("/login");
    api.setAuthToken("secret");
    const before = clientPartOf(api)!.version;
    const world = new World({ api, systems: { payments, clock } });
    const [send] = webhookActions("payments", { headers: (_webhook, _body, nowMs) => ({ "x-time": String(nowMs) }) });
    await send!.run(api, world.context);
    const { path, headers } = got.at(-1)!;
    expect([path, headers["authorization"], headers["cookie"], headers["x-tenant"]]).toEqual([
      "/v1/hooks",
      undefined,
      undefined,
      undefined,
    ]);
    expect(Number(headers["x-time"])).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    expect(clientPartOf(api)!.version).toBe(before);
  });

  it("works with a GraphQLClient, relative to the server", async () => {
    const [{ url, got }, payments] = await Promise.all([target(), stubWithWebhook()]);
    const api = new GraphQLClient(`${url}/graphql`);
    const world = new World({ api, systems: { payments } });
    const [send] = webhookActions<Record<string, unknown>, GraphQLClient>("payments");
    expect((await send!.run(api, world.context))!.statusCode).toBe(200);
    expect(got.at(-1)).toMatchObject({ path: "/hooks", headers: { "content-type": "application/json" } });
  });
});
