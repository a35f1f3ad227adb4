import { describe, expect, it } from "vitest";
import { Action, type ActionOptions } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { contextPartOf } from "../../../../src/model/context/context.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { RaceScope } from "../../../../src/races/lane/race-scope.ts";
import { Side } from "../../../../src/races/lane/side.ts";
import { laneOf } from "../../../support/lane-parts.ts";

/** Returns the end of a call that is answered with this status and body to this request body. */
async function endOf(status: number, body: unknown, sent: unknown, options: Partial<ActionOptions> = {}): Promise<Side["end"]> {
  const request = { method: "POST", url: "http://target/call", headers: {}, body: JSON.stringify(sent) };
  const answer = new ApiResponse(status, JSON.stringify(body), {}, request);
  const action = new Action<object, object>({ ...(options as object), name: "call", run: async () => answer });
  const { base } = await laneOf(new AgentDefinition<object, object>({ world: new World({ api: {} }), actions: [action], invariants: [] }));
  const side = new Side(base, 0, { path: [], draws: undefined, side: 0 }, contextPartOf(base.world.context).save());
  await side.call(new RaceScope(0, new AbortController().signal, undefined));
  return side.end;
}

describe("a call of a race or fault experiment", () => {
  const graphql = { query: "mutation { pay }" };
  const exception = { message: "Cannot read properties of undefined", extensions: { code: "INTERNAL_SERVER_ERROR" } };

  it.each([
    ["a success", 200, { id: 1 }, {}, false],
    ["a conflict", 409, {}, {}, true],
    ["an overloaded server", 503, {}, {}, true],
    ["a body that reports a failure", 200, { ok: false }, {}, true],
    ["a body with an error", 200, { error: "sold out" }, {}, true],
    ["an error with details", 200, { error: "sold out", statusCode: 409, request_id: "r-1", item: null }, {}, true],
    ["an error of JSON-RPC", 200, { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "sold out" } }, {}, true],
    ["a failure with content", 200, { success: false, orders: 3 }, {}, true],
    ["a payment that stores an error", 200, { id: 1, status: "failed", error: "card declined" }, {}, false],
    ["a job whose result is no success", 200, { id: 1, success: false }, {}, false],
    ["an item without an id that stores errors", 200, { name: "import", errors: ["line 3"] }, {}, false],
    ["errors of GraphQL", 200, { data: null, errors: [{ message: "sold out" }] }, graphql, true],
    ["a server error", 500, {}, {}, false],
  ])("is refused or not: %s", async (_what, status, body, sent, refused) => {
    expect(await endOf(status, body, sent)).toMatchObject({ status, refused });
  });

  it("has a server error if a resolver of GraphQL threw, which is no success either", async () => {
    const failed = { data: null, errors: [exception] };
    expect(await endOf(200, failed, graphql)).toMatchObject({ serverError: true, refused: true });
    expect(await endOf(200, failed, graphql, { expectedStatus: [200, 500] })).toMatchObject({ serverError: false });
    expect(await endOf(200, { data: null, errors: [{ message: "sold out" }] }, graphql)).toMatchObject({ serverError: false });
  });
});
