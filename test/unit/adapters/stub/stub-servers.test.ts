import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpStub, SmtpStub } from "../../../../src/adapters/stub/index.ts";
import { freePort } from "../http/servers.ts";

describe("the server of an HttpStub", () => {
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
