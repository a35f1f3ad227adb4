import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { InProcessClock } from "../../../../src/adapters/clock/index.ts";
import { HttpStub, SmtpStub } from "../../../../src/adapters/stub/index.ts";
import { WorldState } from "../../../../src/lane/state/world-state.ts";
import { World } from "../../../../src/model/declare/world.ts";
import type { Observed } from "../../../../src/model/stores/store-adapter.ts";
import type { Fingerprint } from "../../../../src/state/canonical/facts.ts";
import { loadHasher } from "../../../../src/state/index.ts";
import { canonicalizer } from "../../state/support.ts";
import { freePort } from "../../../support/http-servers.ts";

await loadHasher();

describe("the server of an HttpStub", () => {
  it("passes the target's time to functions that make replies and webhooks", async () => {
    const stub = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
    const clock = new InProcessClock({ id: "stub" });
    onTestFinished(() => clock.close());
    clock.advance("1 hour");
    new WorldState(new World({ systems: { clock, stub } }) as unknown as World<never, never>);
    stub
      .whenPost("/tokens")
      .respond((_call, _data, nowMs) => ({ body: { nowMs } }))
      .thenSend((_call, _data, nowMs) => ({ path: "/hook", body: nowMs, headers: {} }));
    await stub.listen();
    onTestFinished(() => stub.close());
    const { nowMs } = (await (await fetch(`${stub.url}/tokens`, { method: "POST" })).json()) as { nowMs: number };
    for (const time of [nowMs, stub.waiting[0]!.body as number]) expect(Math.round((time - Date.now()) / 60_000)).toBe(60);
  });

  it("keeps all values of a form field that is repeated", async () => {
    const stub = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
    stub.whenPost("/refunds").respond((call) => ({ body: call.json }));
    await stub.listen();
    onTestFinished(() => stub.close());
    const refund = async (form: string): Promise<unknown> => {
      stub.write({ ...(stub.capture() as object), calls: [] });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect(await (await fetch(`${stub.url}/refunds`, { method: "POST", headers, body: form })).json()).toEqual(stub.calls[0]!.json);
      return stub.observe();
    };
    expect(await refund("charge[]=1&charge[]=2")).not.toEqual(await refund("charge[]=3&charge[]=2"));
    await refund("charge[]=1&charge[]=2&reason=");
    expect(stub.calls[0]!.json).toEqual({ "charge[]": ["1", "2"], reason: "" });
  });
});

describe("the order of the requests that a stub received", () => {
  const observed = async (steps: readonly (readonly string[])[]): Promise<Observed> => {
    const stub = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
    await stub.listen();
    onTestFinished(() => stub.close());
    for (const paths of steps) {
      stub.beginStep();
      for (const path of paths) await fetch(`${stub.url}${path}`, { method: "POST", body: `{"key":"${randomUUID()}"}` });
    }
    return stub.observe();
  };
  const nameOf = (stub: Observed): Fingerprint => canonicalizer().unordered({ systems: { stub }, context: {}, clients: {} });

  it("is no part of the state within one step, because a target may send them in parallel", async () => {
    const [one, other] = [
      await observed([["/a"], ["/charge", "/notify/1", "/notify/2"]]),
      await observed([["/a"], ["/notify/2", "/notify/1", "/charge"]]),
    ];
    expect(nameOf(one)).toEqual(nameOf(other));
    // Experiments compare the lists entry by entry, so the requests are listed in the same order, except if they differ only in numbers and ids.
    const paths = ({ value }: Observed & { kind: "value" }): unknown =>
      (value as { calls: { path: string }[] }).calls.map(({ path }) => path.slice(0, 3));
    expect(paths(one as never)).toEqual(paths(other as never));
    expect(nameOf(one)).not.toEqual(nameOf(await observed([["/a"], ["/charge", "/notify/1", "/notify/1"]])));
  });

  it("is part of the state if they belong to different steps", async () => {
    expect(nameOf(await observed([["/charge"], ["/notify"]]))).not.toEqual(nameOf(await observed([["/notify"], ["/charge"]])));
    expect(nameOf(await observed([["/charge"], ["/notify"]]))).not.toEqual(nameOf(await observed([["/charge", "/notify"]])));
  });
});

describe("the server of an SmtpStub", () => {
  it("closes at once, also while a client keeps its connection open", async () => {
    const stub = new SmtpStub({ url: `smtp://127.0.0.1:${await freePort()}` });
    await stub.listen();
    const client = connect(Number(new URL(stub.url).port), "127.0.0.1");
    onTestFinished(() => void client.destroy());
    await once(client, "data");
    await stub.close();
    await once(client, "close");
  }, 5_000);
});
