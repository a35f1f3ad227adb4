import { describe, expect, it } from "vitest";
import { EdgeLog } from "../../../../src/engine/graph/edge-log.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import type { Context } from "../../../../src/model/context/context.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { JourneyDefinition } from "../../../../src/model/declare/journey/journey.ts";
import { Step } from "../../../../src/model/declare/journey/step.ts";
import type { ActionCoverage } from "../../../../src/model/results/result.ts";
import { stoppedActions, wasteNotes } from "../../../../src/run/results/waste.ts";

const ok = async (): Promise<ApiResponse> => ApiResponse.of(200);
const create = new Action({
  name: "create_order",
  run: async (_api, context) => {
    context.set("order_id", 1);
    return ApiResponse.of(201);
  },
});
const byIndex = new Action({
  name: "log_in",
  run: async (_api, context) => {
    context["token"] = "t";
    return ApiResponse.of(200);
  },
});
const pay = new Action({ name: "pay_order", precondition: (context) => context.has("order_id") && context.has("card"), run: ok });
const ship = new Action({
  name: "ship",
  precondition: (context) => context["token"] !== undefined && context.getRequired("box") > 0,
  run: ok,
});
const unconditional = new Action({ name: "list", run: async (_api, context) => (context.has("order_id") ? ApiResponse.of(200) : null) });
const read = new Action({
  name: "read_order",
  run: async (api, context) => api.get(`/orders/${context.getRequired("order_id") as number}`),
});
const literal = new Action({ name: "read_first", run: async (api) => api.get("/orders/1") });

const definition = (...actions: readonly Action[]): AgentDefinition<never, never> =>
  new AgentDefinition({ actions, invariants: [] }) as unknown as AgentDefinition<never, never>;
const applied = (statuses: Readonly<Record<string, number>>): ActionCoverage => ({
  applied: Object.values(statuses).reduce((sum, one) => sum + one, 0),
  skipped: 0,
  statuses,
});
const skipped = (states: number): ActionCoverage => ({ applied: 0, skipped: states, statuses: {} });

describe("what an exploration got nothing of", () => {
  it("is nothing where every action was answered otherwise than 4xx once", () => {
    const coverage = { create_order: applied({ 201: 1, 409: 5 }), list: applied({ 200: 3 }) };
    expect(wasteNotes(definition(create, unconditional), coverage)).toEqual([]);
  });

  it("names the keys that a precondition waits for one after the other, and who sets them", () => {
    expect(wasteNotes(definition(create, pay), { create_order: applied({ 409: 2 }), pay_order: skipped(3) })[1]).toBe(
      "pay_order was never applicable in 3 states. The action needs the context keys order_id (set by create_order, which was answered 409), card (seqqa found no action that sets it).",
    );
  });

  it("knows keys that are read and written by index", () => {
    expect(wasteNotes(definition(byIndex, ship), { log_in: applied({ 200: 2 }), ship: skipped(2) })).toEqual([
      "ship was never applicable in 2 states. The action needs the context keys token (set by log_in, which succeeded), box (seqqa found no action that sets it).",
    ]);
  });

  it.each([
    [{ 0: 2 }, "failed each time"],
    [{ 0: 2, 404: 1 }, "was answered 404, and failed otherwise"],
    [{ 0: 2, 201: 1 }, "succeeded"],
  ])("does not say that an action succeeded which threw: %j", (statuses, fate) => {
    expect(wasteNotes(definition(create, pay), { create_order: applied(statuses), pay_order: skipped(3) })[0]).toContain(
      `order_id (set by create_order, which ${fate})`,
    );
  });

  it("names the rules that an action broke each time it succeeded, because the search did not continue from there", () => {
    const edges = new EdgeLog();
    const edge = { from: 0, to: 1, found: true };
    edges.add({ ...edge, action: 0, status: 201, clean: false });
    edges.add({ ...edge, action: 0, status: 409, clean: true });
    edges.add({ ...edge, action: 1, status: 200, clean: true });
    edges.add({ ...edge, action: 1, status: 200, clean: false });
    const broke = (lastAction: string, invariant: string) => ({
      lastAction,
      finding: { invariant, severity: "high", message: "" } as const,
    });
    const violations = [
      broke("create_order", "kept"),
      broke("create_order", "kept"),
      broke("create_order", "paid"),
      broke("log_in", "kept"),
    ];
    const stopped = stoppedActions(["create_order", "log_in"], edges, violations);
    expect(stopped).toEqual(new Map([["create_order", ["kept", "paid"]]]));
    const coverage = { create_order: applied({ 201: 1, 409: 1 }), pay_order: skipped(3) };
    expect(wasteNotes(definition(create, pay), coverage, stopped)[0]).toContain(
      "order_id (set by create_order, which succeeded, but broke kept or paid each time, so that seqqa did not explore from the states after it)",
    );
  });

  it("looks into an action without a precondition", () => {
    expect(wasteNotes(definition(unconditional), { list: skipped(1) })).toEqual([
      "list was never applicable in 1 state. The action needs the context key order_id (seqqa found no action that sets it).",
    ]);
  });

  it("tells of calls that were refused in every state", () => {
    const coverage = { create_order: skipped(0), read_order: applied({ 404: 3, 403: 1 }), read_first: applied({ 404: 1 }) };
    expect(wasteNotes(definition(create, read, literal), coverage)).toEqual([
      "read_order was answered 403 or 404 in all 4 states in which it was tried. The action uses the context key order_id (set by create_order, which never ran either).",
      "read_first was answered 404 in the only state in which it was tried. seqqa found no context key that the action reads, so the action may use an id that does not exist. Let the action that creates the item set a context key, and let read_first read this key.",
    ]);
  });

  it("says that credentials are missing, of an action that was always answered 401", () => {
    expect(wasteNotes(definition(literal), { read_first: applied({ 401: 2 }) })[0]).toMatch(
      /^read_first was answered 401 in all 2 states in which it was tried\. The credentials are probably missing/,
    );
  });

  it("says how to declare a login that must be refused", () => {
    const wrong = new Action({ name: "wrong", run: async (api) => api.post("/login", { json: { password: "x" } }) });
    expect(wasteNotes(definition(wrong), { wrong: applied({ 401: 5, 429: 2 }) })).toEqual([
      "wrong was answered 401 or 429 in all 7 states in which it was tried. If the action must be refused, set its expectedStatus, for example [401, 429]. Otherwise check the credentials that it sends.",
    ]);
  });

  it("does not say that an action reads no key if the source of the action does not show all keys that it reads", () => {
    const key = (name: string): string => `${name}_id`;
    const idOf = (context: { get: (key: string) => unknown }): unknown => context.get("a_id");
    const calls: readonly Action["run"][] = [
      async (api, context) => api.post(`/nodes/${context.getRequired(key("a")) as string}`),
      async (api, context) => api.post(`/nodes/${context[key("a")] as string}`),
      async (api, context) => api.post(`/nodes/${context.get(`x${key("a")}`) as string}`),
      async (api, context) => api.post(`/nodes/${idOf(context) as string}`),
      async (api, { a_id: id }) => api.post(`/nodes/${id as string}`),
    ];
    for (const run of calls) {
      const move = new Action({ name: "move", run });
      const note = "move was answered 409 in all 2 states in which it was tried.";
      expect(wasteNotes(definition(move), { move: applied({ 409: 2 }) })).toEqual([note]);
      const unused = "move was never applicable in 2 states. The action returned null each time.";
      expect(wasteNotes(definition(move), { move: skipped(2) })).toEqual([unused]);
    }
    const named = new Action({ name: "named", run: async (api, context) => api.post(context.has("a") ? "/a" : `/${context.get(`b`)}`) });
    expect(wasteNotes(definition(named), { named: applied({ 409: 2 }) })[0]).toContain("uses the context keys a (");
  });

  it("names the setup that sets a key, and says if an action may set the key under a computed name", () => {
    const set = async ({ context }: { context: Context }): Promise<void> => context.set("order_id", 1);
    const journey = new JourneyDefinition({
      name: "begin",
      steps: [new Step({ name: "order", action: async (_api, context) => context.set("order_id", 1) })],
    });
    for (const setup of [set, journey]) {
      const all = new AgentDefinition({ actions: [read], invariants: [], setup }) as unknown as AgentDefinition<never, never>;
      expect(wasteNotes(all, { read_order: applied({ 404: 1 }) })[0]).toContain("context key order_id (set by setup).");
    }
    const named = new Action({
      name: "create",
      run: async (_api, context) => {
        context.set(["order", "id"].join("_"), 1);
        return ApiResponse.of(201);
      },
    });
    expect(wasteNotes(definition(named, read), { create: applied({ 201: 1 }), read_order: applied({ 404: 1 }) })).toEqual([
      expect.stringContaining("order_id (seqqa found no action that sets it by this name)."),
    ]);
  });

  it("is no action that may be refused each time, that a rule brought, or that was not tried", () => {
    const refused = new Action({ name: "refused", expectedStatus: "4xx", run: ok });
    const tolerated = new Action({ name: "tolerated", mayNeverSucceed: true, run: ok });
    const intruder = new Action({ name: "a_as_b", tags: ["intruder"], run: ok });
    const coverage = {
      refused: applied({ 404: 3 }),
      tolerated: applied({ 400: 9 }),
      a_as_b: applied({ 403: 3 }),
      list: skipped(0),
    };
    expect(wasteNotes(definition(refused, tolerated, intruder, unconditional), coverage)).toEqual([]);
  });

  it("names actions that no other user tried although they read the context", () => {
    const tried = (name: string): Action => new Action({ name: `${name}_as_bob`, as: "bob", tags: ["intruder"], run: ok });
    const cancel = new Action({
      name: "cancel_order",
      run: async (api, context) => {
        await api.get("/csrf");
        return api.delete(`/orders/${context["order_id"] as number}`);
      },
    });
    const relog = new Action({ name: "log_in", run: async (api, { token }) => api.post("/login", { json: { token } as object }) });
    const all = definition(create, cancel, read, relog, ...["create_order", "cancel_order", "read_order", "log_in"].map(tried));
    const worked = { create_order: applied({ 201: 1 }), cancel_order: applied({ 200: 1 }), log_in: applied({ 200: 1 }) };
    const idle = { create_order_as_bob: skipped(3), cancel_order_as_bob: skipped(3), log_in_as_bob: skipped(3) };
    const note = `The rule ownership sent no call of cancel_order_as_bob. The action reads the context, but the first call of the action sends no value of the owner (credentials and values in \`shared\` do not count). Let the first call send such a value, for example an id, or add the action to \`except\`.`;
    expect(wasteNotes(all, { ...worked, read_order: applied({ 200: 1 }), read_order_as_bob: applied({ 403: 1 }), ...idle })).toEqual([
      note,
    ]);
    const both = wasteNotes(all, { ...worked, read_order: applied({ 200: 1 }), read_order_as_bob: skipped(1), ...idle });
    expect(both).toEqual([expect.stringContaining("sent no call of cancel_order_as_bob, read_order_as_bob. These actions read")]);
    expect(wasteNotes(all, { ...worked, cancel_order: applied({ 0: 1 }), ...idle })).toEqual([]);
  });

  it("does not name actions that only count their own calls in the context", () => {
    const add = new Action<{ book_count: number; n: number }>({
      name: "add",
      run: async (api, context) => {
        const response = await api.post("/books");
        if (response.ok) context.set("book_count", context.get("book_count", { default: 0 }) + 1);
        return response;
      },
    });
    const sent = new Action<{ book_count: number; n: number }>({
      name: "sent",
      run: async (api, context) => {
        context.set("n", context.get("n", { default: 0 }) + 1);
        return api.post("/books", { json: { n: context.get("n") } });
      },
    });
    const tried = (name: string) => new Action({ name: `${name}_as_bob`, as: "bob", tags: ["intruder"], run: ok });
    const coverage = { add: applied({ 201: 1 }), sent: applied({ 201: 1 }), add_as_bob: skipped(3), sent_as_bob: skipped(3) };
    const notes = wasteNotes(definition(add as never, sent as never, tried("add"), tried("sent")), coverage);
    expect(notes).toEqual([expect.stringContaining("sent no call of sent_as_bob. The action reads")]);
  });

  it("survives preconditions that throw, and those that never have enough", () => {
    const throws = new Action({
      name: "throws",
      precondition: (context) => (context.getRequired("a") as { b: { c: boolean } }).b.c,
      run: ok,
    });
    let n = 0;
    const endless = new Action({ name: "endless", precondition: (context) => !context.has(`key${n++}`) && false, run: ok });
    const notes = wasteNotes(definition(throws, endless), { throws: skipped(1), endless: skipped(1) });
    expect(notes[0]).toContain("needs the context key a (");
    expect(notes).toHaveLength(2);
  });

  it("is cut to twenty sentences", () => {
    const many = Array.from({ length: 23 }, (_, i) => new Action({ name: `a${i}`, run: ok }));
    const notes = wasteNotes(definition(...many), Object.fromEntries(many.map(({ name }) => [name, skipped(1)])));
    expect(notes).toHaveLength(21);
    expect(notes.at(-1)).toBe("3 more actions never applied or never succeeded. The coverage of actions in the report lists them.");
  });
});
