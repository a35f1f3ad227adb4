import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type ApiClient } from "../../../../src/adapters/http/index.ts";
import { HttpStub } from "../../../../src/adapters/stub/index.ts";
import { Action, Agent, World, type ExplorationResult } from "../../../../src/index.ts";
import { closeServers, freePort, serve } from "../../../unit/adapters/http/servers.ts";

afterEach(closeServers);

/** Explores a target that calls these paths of a stub when it is paid. The stub has a reply for `/charges` and one for `/broken` that throws. */
async function explored(paths: readonly string[]): Promise<ExplorationResult> {
  const payments = new HttpStub({ url: `http://127.0.0.1:${await freePort()}` });
  payments.whenPost("/charges").respond({ id: 1 });
  payments.whenPost("/broken").respond(() => {
    throw new Error("no such customer");
  });
  const url = await serve((request, response) => {
    request.resume();
    void Promise.all(paths.map((path) => fetch(payments.url + path, { method: "POST" }))).then(() => response.end("{}"));
  });
  return new Agent({
    world: new World({ api: new HttpClient(url) as ApiClient, systems: { payments } }),
    actions: [new Action({ name: "pay", run: (api) => (payments.calls.length > 0 ? Promise.resolve(null) : api.post("/pay")) })],
    invariants: [],
  }).explore();
}

describe("a stub", () => {
  it("that the target never calls is named", async () => {
    const { notes } = await explored([]);
    expect(notes).toContainEqual(expect.stringMatching(/^systems\.payments received no call\./));
  });

  it("that is called without a reply is named with the call", async () => {
    const { notes } = await explored(["/v1/charges?a=1", "/v1/charges?a=2", "/charges"]);
    expect(notes).toContainEqual("Calls of systems.payments matched no reply and got status 404: POST /v1/charges.");
  });

  it("that is called as its replies say is not named", async () => {
    const { notes, errors } = await explored(["/charges"]);
    expect([notes.filter((note) => note.includes("systems.payments")), errors]).toEqual([[], []]);
  });

  it("whose reply throws is an error of the step", async () => {
    const { errors } = await explored(["/broken"]);
    expect(errors).toMatchObject([
      {
        code: "STUB_THREW",
        path: ["pay"],
        message: expect.stringContaining("systems.payments could not answer POST /broken: no such customer"),
      },
    ]);
  });
});
