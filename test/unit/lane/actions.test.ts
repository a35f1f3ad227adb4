import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { ActingClient } from "../../support/acting-client.ts";
import { laneCase, mess, type CaseResult, type LaneCase } from "../../support/lane-case.ts";

const ok = (): ApiResponse => ApiResponse.of(200);

describe.each([
  ["a store in this process", false],
  ["a store that is watched", true],
  ["a store that keeps its last look", "looks"],
] as const)("one action at the root, over %s", (_where, watched) => {
  const one = async (action: LaneCase["actions"][number], more: Partial<LaneCase> = {}): Promise<CaseResult> =>
    (await laneCase({ actions: [action], watched, ...more })).expand();

  it("a change leads to another state, and is put back", async () => {
    const { rows, errors, findings } = await one({ run: (hands) => (mess(hands), ok()) });
    expect(rows).toMatchObject([{ kind: "executed", status: 200, found: false, same: false }]);
    expect([errors, findings]).toEqual([[], []]);
  });

  it.each([
    ["nothing", (): void => undefined],
    ["the context alone", ({ context }: Parameters<typeof mess>[0]) => context.set("k", 1)],
    ["a context value in place", ({ context }: Parameters<typeof mess>[0]) => void (context["list"] as number[]).push(9)],
    ["the client alone", ({ client }: Parameters<typeof mess>[0]) => client.setAuthToken("t")],
    ["the store alone", ({ store }: Parameters<typeof mess>[0]) => void store.state.n++],
  ])("a change of %s", async (what, change) => {
    const { rows } = await one({ run: (hands) => (change(hands), ApiResponse.of(404)) });
    expect(rows).toMatchObject([{ kind: "executed", status: 404, same: what === "nothing" }]);
  });

  it("a change that is undone by the action itself is the same state", async () => {
    const { rows } = await one({ run: ({ context }) => (context.set("k", 1), context.delete("k"), ok()) });
    expect(rows).toMatchObject([{ kind: "executed", same: true }]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "ACTION_THREW",
      "boom",
    ],
    ["throws something that is no error", () => Promise.reject("text" as never), "ACTION_THREW", "text"],
    ["returns undefined", () => undefined, "ACTION_NO_RESPONSE", "Return the response of its call, or null"],
    ["returns a plain object", () => ({ status: 200 }), "ACTION_NO_RESPONSE", "Object"],
    ["returns a number", () => 200, "ACTION_NO_RESPONSE", "200"],
    ["reads an unset key", ({ context }: Parameters<typeof mess>[0]) => context["order_id"], "ACTION_THREW", "order_id"],
    [
      "requires an unset key",
      ({ context }: Parameters<typeof mess>[0]) => context.getRequired("order_id"),
      "ACTION_THREW",
      "Required context key not found: order_id",
    ],
    ["stores what cannot be cloned", ({ context }: Parameters<typeof mess>[0]) => context.set("held", () => 1), "ACTION_THREW", '"held"'],
  ] as const)("one that %s is an error, executed without a state", async (_what, fail, code, text) => {
    const { rows, errors, findings } = await one({ run: (hands) => (mess(hands), fail(hands)) });
    expect(rows).toMatchObject([{ kind: "failed", status: 0, found: false }]);
    expect(errors).toMatchObject([{ code, source: "a0", message: expect.stringContaining(text) as string }]);
    expect(errors[0]!.message).toContain('"a0"');
    expect(findings).toEqual([]);
  });

  it("keeps the stack of what was thrown", async () => {
    const { errors } = await one({
      run: () => {
        throw new TypeError("boom");
      },
    });
    expect(errors[0]!.message).toContain("TypeError");
    expect(errors[0]!.stack).toContain("actions.test.ts");
  });

  it("an error does not keep the next actions from being tried", async () => {
    const lane = await laneCase({
      watched,
      actions: [
        {
          run: (hands) => {
            mess(hands);
            throw new Error("boom");
          },
        },
        { run: (hands) => (mess(hands), ok()) },
      ],
    });
    expect((await lane.expand()).rows.map(({ kind }) => kind)).toEqual(["failed", "executed"]);
  });

  it("a rejected promise that nobody awaits is an error of the step", async () => {
    const lane = await laneCase({
      watched,
      actions: [
        {
          run: async () => {
            void Promise.reject(new Error("forgotten"));
            await new Promise((resolve) => setTimeout(resolve, 5));
            return ok();
          },
        },
        { run: ok },
      ],
    });
    const stray = (error: unknown): void => void lane.lane.base.stepper.strays.push(error);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", stray);
    try {
      const { rows, errors } = await lane.expand();
      expect(rows.map(({ kind }) => kind)).toEqual(["failed", "executed"]);
      expect(errors).toMatchObject([{ code: "STRAY_REJECTION", source: "a0", message: expect.stringContaining("forgotten") as string }]);
    } finally {
      process.off("unhandledRejection", stray);
      for (const listener of others) process.on("unhandledRejection", listener);
    }
  });

  it("what a timer threw between two steps is told with the next one, once", async () => {
    const lane = await laneCase({ actions: [{ run: ok }, { run: ok }] });
    lane.lane.base.stepper.uncaught.push(new Error("late"));
    const { rows, errors } = await lane.expand();
    expect(rows.map(({ kind }) => kind)).toEqual(["failed", "executed"]);
    expect(errors).toMatchObject([
      { code: "UNCAUGHT_EXCEPTION", source: "a0", message: expect.stringMatching(/or an earlier action .*: late$/) as string },
    ]);
  });

  it("what a timer threw in a step that threw, too, is not told of the next one", async () => {
    const lane = await laneCase({
      actions: [
        {
          run: () => {
            lane.lane.base.stepper.uncaught.push(new Error("late"));
            throw new Error("boom");
          },
        },
        { run: ok },
      ],
    });
    const { rows, errors } = await lane.expand();
    expect(rows.map(({ kind }) => kind)).toEqual(["failed", "executed"]);
    expect(errors).toMatchObject([{ code: "ACTION_THREW" }]);
  });

  describe("precondition", () => {
    it("false skips without calling run", async () => {
      const { rows, errors } = await one({ precondition: () => false, run: () => expect.unreachable() });
      expect(rows).toMatchObject([{ kind: "skipped" }]);
      expect(errors).toEqual([]);
    });

    it("true runs", async () => {
      expect((await one({ precondition: (context) => context.has("list"), run: ok })).rows).toMatchObject([{ kind: "executed" }]);
    });

    it.each([undefined, 1, "yes", null, Promise.resolve(true)])("%s is an error", async (value) => {
      const { rows, errors } = await one({ precondition: () => value, run: () => expect.unreachable() });
      expect(rows).toMatchObject([{ kind: "failed" }]);
      expect(errors).toMatchObject([{ code: "PRECONDITION_NOT_BOOLEAN", source: "a0" }]);
    });

    it("a throw is an error", async () => {
      const { rows, errors } = await one({ precondition: (context) => context["missing"], run: () => expect.unreachable() });
      expect(rows).toMatchObject([{ kind: "failed" }]);
      expect(errors).toMatchObject([{ code: "PRECONDITION_THREW", message: expect.stringContaining("missing") as string }]);
    });

    it("one that writes to the context is put back, and reported", async () => {
      const { rows, errors } = await one({ precondition: (context) => (context.set("k", 1), false), run: () => expect.unreachable() });
      expect(rows).toMatchObject([{ kind: "skipped" }]);
      expect(errors).toMatchObject([{ code: "SKIP_CHANGED_STATE" }]);
    });
  });

  it.each([
    ["with a precondition", { precondition: () => true }],
    ["without", {}],
  ])("null skips, %s; what it changed before is put back and reported", async (_how, more) => {
    const read = await one({ ...more, run: ({ store }) => (store.state.n === 0 ? null : ok()) });
    expect(read.rows).toMatchObject([{ kind: "skipped" }]);
    expect(read.errors).toEqual([]);
    for (const change of [mess, ({ store }: Parameters<typeof mess>[0]) => void store.state.n++]) {
      const wrote = await one({ ...more, run: (hands) => (change(hands), null) });
      expect(wrote.rows).toMatchObject([{ kind: "skipped" }]);
      expect(wrote.errors).toMatchObject([
        { code: "SKIP_CHANGED_STATE", source: "a0", message: expect.stringContaining("null") as string },
      ]);
    }
  });

  describe("expectedStatus", () => {
    it.each([
      [200, "2xx", []],
      [404, "2xx", ["a0_status"]],
      [404, 404, []],
      [200, 404, ["a0_status"]],
      [409, [200, "4xx"], []],
      [301, [200, "4xx"], ["a0_status"]],
      [500, "5xx", []],
      [503, [503], []],
      [500, "2xx", ["a0_server_error"]],
    ] as const)("answer %d, expected %s: %j", async (status, expectedStatus, expected) => {
      const { rows, findings, errors } = await one({
        expectedStatus: expectedStatus as never,
        run: (hands) => (mess(hands), ApiResponse.of(status)),
      });
      expect(findings).toEqual(expected);
      expect(errors).toEqual([]);
      expect(rows).toMatchObject([{ kind: "executed", status, found: expected.length > 0, same: false }]);
    });

    it("is a HIGH violation with what was sent", async () => {
      const { expansion } = await one({ expectedStatus: 201, run: (_hands, api) => api.send() });
      expect(expansion.stepEvents[0]!.findings).toMatchObject([
        { severity: "high", message: expect.stringContaining("expected 201") as string },
      ]);
      expect(expansion.stepEvents[0]!.exchanges).toMatchObject([
        { request: { method: "POST", url: "http://target/call" }, response: { status: 200 } },
      ]);
    });
  });

  describe("a GraphQL answer with status 200", () => {
    const request = {
      method: "POST",
      url: "http://target/graphql",
      headers: {},
      body: JSON.stringify({ query: "mutation { pay { id } }" }),
    };
    const errors = [{ message: "log in", extensions: { code: "UNAUTHENTICATED" } }];
    const answered = (body: unknown): ApiResponse => new ApiResponse(200, JSON.stringify(body), {}, request);

    it.each([
      [{ data: null, errors }, "4xx", []],
      [{ data: { pay: null }, errors }, [409, "4xx"], []],
      [{ data: null, errors }, 401, ["a0_status"]],
      [{ data: { pay: { id: 1 } } }, "4xx", ["a0_status"]],
      [{ data: { pay: { id: 1 }, other: null }, errors }, "4xx", ["a0_status"]],
    ] as const)("%j, expected %j: %j", async (body, expectedStatus, expected) => {
      const { findings } = await one({ expectedStatus: expectedStatus as never, run: () => answered(body) });
      expect(findings).toEqual(expected);
    });

    it.each([
      [{ data: { pay: { id: 1 } } }, true],
      [{ data: null, errors }, false],
    ])("counts as a write if it does not refuse: %j", async (body, expected) => {
      const lane = await laneCase({
        watched,
        actions: [{ run: () => (lane.lane.base.stepper.sink({ kind: "answer", response: answered(body) }), answered(body)) }],
      });
      await lane.expand();
      expect(lane.lane.base.stepper.wrote).toBe(expected);
    });
  });

  it.each([
    [{ location: "/orders/7" }, true],
    [{ location: "/form?error=empty" }, false],
    [{}, false],
  ])("a redirect with %j counts as a write: %s", async (headers, expected) => {
    const response = new ApiResponse(303, "", headers, { method: "POST", url: "/orders", headers: {} });
    const lane = await laneCase({
      watched,
      actions: [{ run: () => (lane.lane.base.stepper.sink({ kind: "answer", response }), response) }],
    });
    await lane.expand();
    expect(lane.lane.base.stepper.wrote).toBe(expected);
  });

  describe("a 5xx answer", () => {
    it("is a finding on every answer that the action received, not the returned one alone", async () => {
      const lane = await laneCase({
        watched,
        actions: [
          {
            run: async (_hands, api) => {
              await api.send();
              await api.send();
              return api.send();
            },
          },
        ],
      });
      lane.client.answers = [200, 503, 200];
      const { findings, rows } = await lane.expand();
      expect(findings).toEqual(["a0_server_error"]);
      expect(rows).toMatchObject([{ kind: "executed", status: 200, found: true }]);
    });

    it("wins over the throw that it causes", async () => {
      const lane = await laneCase({
        watched,
        actions: [
          {
            run: async (hands, api) => {
              mess(hands);
              const response = await api.send();
              return response.json<{ deep: { value: string } }>().deep.value.length === 0 ? null : response;
            },
          },
        ],
      });
      lane.client.answers = [500];
      const { findings, errors, rows } = await lane.expand();
      expect(findings).toEqual(["a0_server_error"]);
      expect(errors).toEqual([]);
      expect(rows).toMatchObject([{ kind: "executed", status: 500, found: true, same: false }]);
    });

    it("of one's own api counts as well, and can be ignored", async () => {
      expect((await one({ run: () => ApiResponse.of(500) })).findings).toEqual(["a0_server_error"]);
      expect((await one({ run: () => ApiResponse.of(500) }, { options: { serverErrors: "ignore" } })).findings).toEqual([]);
    });
  });

  describe("an exception in a resolver of GraphQL, answered with 200", () => {
    const request = { method: "POST", url: "http://target/graphql", headers: {}, body: JSON.stringify({ query: "mutation { pay }" }) };
    const error = { message: "Cannot read properties of undefined", extensions: { code: "INTERNAL_SERVER_ERROR" } };
    const failed = (): ApiResponse => new ApiResponse(200, JSON.stringify({ data: null, errors: [error] }), {}, request);

    it("is a server error of an action without an expected status", async () => {
      const { findings, rows } = await one({ run: (hands) => (mess(hands), failed()) });
      expect(findings).toEqual(["a0_server_error"]);
      expect(rows).toMatchObject([{ kind: "executed", status: 200, found: true }]);
      expect((await one({ run: failed, expectedStatus: [200, 500] })).findings).toEqual([]);
    });

    it.each(["returns another answer", "throws because of it"])("is one if the action %s", async (what) => {
      const lane = await laneCase({
        watched,
        actions: [
          {
            run: () => {
              lane.lane.base.stepper.sink({ kind: "answer", response: failed() });
              if (what.startsWith("throws")) throw new Error("errors");
              return ok();
            },
          },
        ],
      });
      const { findings, errors, rows } = await lane.expand();
      expect([findings, errors]).toEqual([["a0_server_error"], []]);
      expect(rows).toMatchObject([{ kind: "executed", status: 200, found: true }]);
    });
  });

  describe("roles", () => {
    const admin = new ActingClient();

    it("`as` gives the role's client", async () => {
      const { rows } = await one({ as: "admin", run: (_hands, api) => (expect(api).toBe(admin), ok()) }, { clients: { admin } });
      expect(rows).toMatchObject([{ kind: "executed" }]);
    });

    it("an unknown role is an error that names those that exist", async () => {
      const { rows, errors } = await one({ as: "root", run: ok }, { clients: { admin, guest: new ActingClient() } });
      expect(rows).toMatchObject([{ kind: "failed" }]);
      expect(errors[0]!.message).toMatch(/"root".*"admin", "guest"/);
    });

    it("what a role's client was given is put back, and tells states apart", async () => {
      const { rows } = await one({ as: "admin", run: (_hands, api) => (api.setAuthToken("t"), ok()) }, { clients: { admin } });
      expect(rows).toMatchObject([{ same: false }]);
      expect(admin.token).toBeNull();
    });
  });

  it.each(["timeout", "unreachable"] as const)(
    "a request without an answer (%s) loses the lane; the second time it is a finding",
    async (answer) => {
      const lane = await laneCase({ watched, actions: [{ run: ok }, { run: async (_hands, api) => api.send().catch(() => ok()) }] });
      lane.client.answers = [answer];
      const first = await lane.expand();
      expect(first.expansion).toMatchObject({ finished: 0, failure: { kind: answer, unit: 0, action: 1 } });
      expect(first.rows).toHaveLength(1);
      const again = await lane.expand({ from: 1, suspect: answer });
      expect(again.rows).toMatchObject([{ kind: "broken", found: true }]);
      expect(again.findings).toEqual([answer === "timeout" ? "a1_timeout" : "target_crashed"]);
      expect(again.expansion.failure).toMatchObject({ kind: "dirty", unit: -1, action: 2 });
    },
  );
});
