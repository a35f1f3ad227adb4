import { describe, expect, it } from "vitest";
import { Agent, World } from "seqqa";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { SeqqaError } from "../../../src/model/errors.ts";
import { Context } from "../../../src/model/context/context.ts";
import { Action } from "../../../src/model/declare/action.ts";
import type { Restored, StoresView } from "../../../src/model/declare/rule.ts";
import type { ApiClient } from "../../../src/model/http/client.ts";
import type { ApiResponse } from "../../../src/model/http/response.ts";
import { retrySafe, type RetrySafeOptions } from "../../../src/rules/index.ts";
import { rowsView, type Answer, type TableRows } from "../../support/scripted-step.ts";

const KEY = "pay-1";
const NEW: TableRows = { orders: [["new"]], payments: [], keys: [], outbox: [] };

/** Answers a request. Returns the rows after it, and the answer. */
type Handler = (rows: TableRows) => readonly [rows: TableRows, answer?: Answer];

interface Server {
  readonly pay: Handler;
  /** The actions of the agent beside `pay`. */
  readonly others: Readonly<Record<string, Handler | { readonly handler: Handler; readonly key?: string; readonly aheadMs?: number }>>;
  readonly options?: RetrySafeOptions;
}

/** Judges a step that pays. Returns the problem (`undefined` if the rule holds), the fields of the change, and the requests of the rule. */
async function judgedAs({ pay, others, options }: Server): Promise<{ problem: string | undefined; fields: unknown; sent: string[] }> {
  let rows = NEW;
  let aheadMs = 0;
  const sent: string[] = [];
  const handlers = Object.entries(others).map(([name, one]) => [name, typeof one === "function" ? { handler: one } : one] as const);
  const client = new HttpClient(async (request) => {
    const name = new URL(request.url).pathname.slice(1);
    sent.push(name);
    const [next, answer = 200] = name === "pay" ? pay(rows) : new Map(handlers).get(name)!.handler(rows);
    rows = next;
    const [status, body] = typeof answer === "number" ? [answer, {}] : answer;
    return Response.json(body, { status });
  });
  const paying = new Action({ name: "pay", run: async (api) => api.post("/pay", { headers: { "idempotency-key": KEY } }) });
  const more = handlers.map(([name, { key, aheadMs: ahead = 0 }]) => {
    const headers: Readonly<Record<string, string>> = key === undefined ? {} : { "idempotency-key": key };
    const run = async (api: ApiClient): Promise<ApiResponse> => {
      aheadMs += ahead;
      return api.post(`/${name}`, { headers });
    };
    return new Action({ name, run });
  });
  const rule = retrySafe(options);
  rule.brings([paying, ...more] as never);
  const answers = [await client.post("/pay", { headers: { "idempotency-key": KEY } })];
  sent.length = 0;
  const paid = rows;
  let problem: string | undefined;
  let fields: unknown;
  const step = {
    action: { name: "pay" },
    answers,
    client,
    canGoBack: true,
    explain: (text: string, details?: { fields?: unknown }) => {
      [problem, fields] = [text, details?.fields];
      return false;
    },
    inconclusive: () => true,
    stores: async (): Promise<StoresView> => rowsView(rows),
    again: async ({ request }: ApiResponse) => client.request(request.method, request.url, { headers: request.headers }),
  };
  const world = { api: client, clients: {}, context: new Context(), systems: { clock: { aheadMs: () => aheadMs } } };
  let verdict: unknown = await rule.judge(world as never, step as never);
  while (typeof verdict === "object" && verdict !== null && "restored" in verdict) {
    [rows, aheadMs] = [paid, 0];
    verdict = await (verdict as Restored).restored();
  }
  await client.close();
  return { problem, fields, sent };
}

/** Pays once for each stored key. A repeated request gets the stored answer. */
const pay: Handler = (rows) =>
  rows["keys"]!.some(([key]) => key === KEY)
    ? [rows, [201, { id: 1 }]]
    : [{ ...rows, orders: [["paid"]], payments: [...rows["payments"]!, ["order", 10]], keys: [[KEY, 201]] }, [201, { id: 1 }]];
const refund: Handler = (rows) => (rows["orders"]![0]![0] === "paid" ? [{ ...rows, orders: [["refunded"]] }] : [rows, 409]);
const refundAndForget: Handler = (rows) => [{ ...refund(rows)[0], keys: [] }];
const list: Handler = (rows) => [rows];
const ship: Handler = (rows) => [{ ...rows, orders: [["shipped"]] }];

describe("retrySafe of a request that is sent again after another action", () => {
  it("is broken if the request then has its effect again", async () => {
    const { problem, fields, sent } = await judgedAs({ pay, others: { list, ship, refund: refundAndForget } });
    expect(problem).toBe(
      "pay: POST /pay was answered 201, and 201 when it was sent again with the same key after refund was called. The second request changed the stores: db.keys: 1 row added; db.orders: 1 row added, 1 removed; db.payments: 1 row added",
    );
    expect(fields).toEqual(expect.arrayContaining(["orders.0", "keys.0"]));
    // The action `ship` changed the state, so the state was restored before `refund`. The action of the step is called, too.
    expect(sent).toEqual(["pay", "pay", "list", "ship", "pay", "refund", "pay"]);
  });

  it("is broken by an effect that only adds rows, even if the request is refused", async () => {
    const charge: Handler = (rows) =>
      rows["orders"]![0]![0] === "paid"
        ? [rows, [201, { id: 1 }]]
        : [
            { ...rows, orders: [[rows["orders"]![0]![0] === "new" ? "paid" : "open"]], payments: [...rows["payments"]!, ["order", 10]] },
            rows["orders"]![0]![0] === "new" ? [201, { id: 1 }] : 409,
          ];
    const { problem } = await judgedAs({ pay: charge, others: { refund } });
    expect(problem).toContain("was answered 201, and 409 when it was sent again with the same key after refund was called");
  });

  it("is broken if the key is in the row that the other action changes", async () => {
    const rowOf = (status: string): TableRows["payments"] => [[KEY, status]];
    const payByRow: Handler = (rows) => [rows["payments"]![0]?.[1] === "paid" ? rows : { ...rows, payments: rowOf("paid") }, 201];
    const refundRow: Handler = (rows) => [{ ...rows, payments: rowOf("refunded") }];
    expect((await judgedAs({ pay: payByRow, others: { refund: refundRow } })).problem).toContain("after refund was called");
  });

  it.each<[string, Server]>([
    ["the server returns the stored answer", { pay, others: { list, ship, refund } }],
    ["the server refuses a key that it knows", { pay: (rows) => (rows["keys"]!.length > 0 ? [rows, 409] : pay(rows)), others: { refund } }],
    [
      "the repeated request has another effect",
      {
        pay: (rows) => (rows["orders"]![0]![0] === "shipped" ? [{ ...rows, outbox: [["mail", "sent"]] }, [201, { id: 1 }]] : pay(rows)),
        others: { ship },
      },
    ],
    ["the action moves the clock", { pay, others: { expire: { handler: refundAndForget, aheadMs: 86_400_000 } } }],
    ["the action only deletes the key", { pay, others: { purge: (rows) => [{ ...rows, keys: [] }] } }],
    ["the action sends the same key", { pay, others: { refund: { handler: refundAndForget, key: KEY } } }],
    ["the action is refused", { pay, others: { refund: (rows) => [refundAndForget(rows)[0], 409] } }],
    ["the action continues after its answer", { pay, others: { refund: (rows) => [refundAndForget(rows)[0], 202] } }],
    ["the action is in `except`", { pay, others: { reset: refundAndForget }, options: { except: ["reset"] } }],
  ])("holds if %s", async (_which, server) => {
    expect((await judgedAs(server)).problem).toBeUndefined();
  });

  it("sends no further request after one that got no answer", async () => {
    const hang: Handler = () => {
      throw new SeqqaError("REQUEST_TIMEOUT", "no answer");
    };
    const { problem, sent } = await judgedAs({ pay, others: { list, hang, refund: refundAndForget } });
    expect({ problem, sent }).toEqual({ problem: undefined, sent: ["pay", "pay", "list", "hang"] });
  });

  it("requires that `except` names actions of the agent", async () => {
    await expect(judgedAs({ pay, others: {}, options: { except: ["reset"] } })).rejects.toThrow(
      'retrySafe: the Agent has no action "reset".',
    );
    expect(() => retrySafe({ except: "reset" as never })).toThrow("retrySafe: `except` has the type string.");
  });
});

describe("retrySafe of a target in memory", () => {
  interface Bank {
    balance: number;
    payments: readonly { readonly amount: number }[];
    keys: readonly string[];
    isSent: boolean;
  }

  /** Explores an API that keeps its data in an object. A payment that was sent cannot be refunded. A refund deletes the key if `forgets` is `true`. */
  async function explored(forgets: boolean): Promise<unknown> {
    const post = (name: string, headers = {}): Action => new Action({ name, run: async (api) => api.post(`/${name}`, { headers }) });
    const agent = new Agent({
      name: "bank",
      world: () => {
        const bank = new MemoryAdapter<Bank>({ state: { balance: 100, payments: [], keys: [], isSent: false } });
        const api = new HttpClient(async (request) => {
          const { balance, payments, keys, isSent } = bank.state;
          if (request.url.endsWith("/send")) bank.state = { ...bank.state, isSent: payments.length > 0 };
          else if (request.url.endsWith("/refund")) {
            if (payments.length === 0 || isSent) return Response.json({}, { status: 409 });
            bank.state = { ...bank.state, balance: balance + 10, payments: payments.slice(1), keys: forgets ? [] : keys };
          } else if (!keys.includes(KEY)) {
            bank.state = { ...bank.state, balance: balance - 10, payments: [...payments, { amount: 10 }], keys: [KEY] };
          }
          return Response.json({ ok: true });
        });
        return new World({ api, systems: { bank } });
      },
      actions: [post("pay", { "idempotency-key": KEY }), post("send"), post("refund")],
      invariants: [retrySafe()],
    });
    const { violations, errors } = await agent.explore();
    expect(errors).toEqual([]);
    return violations.map(({ invariant, reproductionPath, checks = [] }) => ({
      invariant,
      reproductionPath,
      checks: checks.map(({ request }) => new URL(request.url).pathname),
    }));
  }

  it("finds a refund that deletes the key, and says nothing of one that keeps it", async () => {
    // The requests before the state was restored are not shown: a reader who repeats the requests cannot restore the state.
    expect(await explored(true)).toEqual([{ invariant: "retry_safe", reproductionPath: ["pay"], checks: ["/refund", "/pay"] }]);
    expect(await explored(false)).toEqual([]);
  });
});
