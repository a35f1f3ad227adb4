import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Rule } from "../../../../src/model/declare/rule.ts";
import { World } from "../../../../src/model/declare/world.ts";
import type { RequestOptions } from "../../../../src/model/http/client.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { rejectedMeansUnchanged } from "../../../../src/rules/rejected-means-unchanged.ts";
import { laneOf } from "../../../support/lane-parts.ts";

/** Returns the bodies that an API receives if a rule sends the request of a step again, and the answer that the rule gets. */
async function sentAgain(
  options: RequestOptions,
): Promise<{ readonly bodies: readonly Buffer[]; readonly second: ApiResponse | undefined }> {
  const bodies: Buffer[] = [];
  const api = new HttpClient(async (request) => {
    bodies.push(Buffer.from(await request.arrayBuffer()));
    return new Response(null, { status: 204 });
  });
  let second: ApiResponse | undefined;
  const judge: Rule["judge"] = async (_world, step) => {
    second = await step.again(step.answers[0]!);
    return true;
  };
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World({ api }),
    actions: [new Action({ name: "put", run: async (client) => client.put("/avatar/1", options) })],
    invariants: [new Rule<object, HttpClient>({ name: "again", message: "", judge: judge as never })],
  });
  const { base, runtime } = await laneOf(definition);
  const { rootLo: lo, rootHi: hi } = base.report;
  await runtime.expand({ units: [{ path: [], from: 0, to: 1, lo, hi, snapshot: undefined } as never], direct: true });
  await api.close();
  return { bodies, second };
}

describe("a request that a rule sends again", () => {
  it.each([
    ["a text", { body: "caf\u00e9" }],
    ["JSON", { json: { id: 1 } }],
    ["bytes that are a text", { body: new TextEncoder().encode("caf\u00e9") }],
  ])("has the same body: %s", async (_what, options) => {
    const { bodies, second } = await sentAgain(options);
    expect(second?.statusCode).toBe(204);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  it("is not sent if its body is bytes that are no text, because only the text of a body is kept", async () => {
    const { bodies, second } = await sentAgain({ body: new Uint8Array([0x89, 0x50, 0xff]) });
    expect([bodies.length, second]).toEqual([1, undefined]);
  });

  it("is not sent if its body has several parts", async () => {
    expect(await sentAgain({ multipart: { name: "x" } })).toMatchObject({ bodies: [{}], second: undefined });
  });
});

describe("a call that was refused and changed a store", () => {
  it("is reported with the fields that it changed, in the message and for the search", async () => {
    const store = new MemoryAdapter({ state: { n: 0 } });
    const run = async (): Promise<ApiResponse> => {
      store.state.n++;
      return ApiResponse.of(409);
    };
    const definition = new AgentDefinition<object, MemoryAdapter<{ n: number }>>({
      world: new World({ api: store, systems: { store } }),
      actions: [new Action({ name: "refuse", run })],
      invariants: [rejectedMeansUnchanged<object, MemoryAdapter<{ n: number }>>()],
    });
    const { base, runtime } = await laneOf(definition as never);
    const { rootLo: lo, rootHi: hi } = base.report;
    const unit = { path: [], from: 0, to: 1, lo, hi, snapshot: undefined };
    const { stepEvents } = await runtime.expand({ units: [unit as never], direct: true });
    const message = expect.stringContaining("(systems.store.n)") as string;
    expect(stepEvents[0]!.findings).toMatchObject([{ invariant: "rejected_means_unchanged", fields: ["systems.store.n"], message }]);
  });
});
