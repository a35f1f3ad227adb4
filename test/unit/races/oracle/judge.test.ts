import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { size } from "../../../sizes.ts";
import { judge } from "../../../../src/races/oracle/judge.ts";
import { loadHasher } from "../../../../src/state/index.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import type { CallEnd, Execution } from "../../../../src/races/oracle/execution.ts";
import type { Measure } from "../../../../src/races/oracle/judge.ts";
import { call, facts, measure, ordered, together } from "./executions.ts";

beforeAll(() => loadHasher());

const order = (refunded: number, status = "refunded") => facts({ orders: [{ id: 1, status, refunded }] });
const BEFORE = order(0, "paid");
const ORDERS = [ordered([0, 1], [call("refund", 200), call("refund", 409)], order(100))];
const broken = { invariant: "within_amount", severity: "critical", message: "refunded more than was paid" } as const;

describe("the verdicts", () => {
  it("none where the outcome is that of an order, whichever of equal calls was first", async () => {
    expect(await judge(together([call("refund", 200), call("refund", 409)], order(100)), measure(BEFORE, ORDERS))).toBeUndefined();
    expect(await judge(together([call("refund", 409), call("refund", 200)], order(100)), measure(BEFORE, ORDERS))).toBeUndefined();
  });

  it("invariant: a rule is broken that holds after every order", async () => {
    const trial = together([call("refund", 200), call("refund", 200)], order(200), [broken]);
    expect(await judge(trial, measure(BEFORE, ORDERS))).toEqual({ ...broken, verdict: "invariant" });
    const always = [ordered([0, 1], [call("refund", 200), call("refund", 409)], order(100), [broken])];
    expect(await judge(trial, measure(BEFORE, always))).toMatchObject({ verdict: "state" });
  });

  it("state: that of neither order", async () => {
    const trial = together([call("refund", 200), call("refund", 200)], order(200));
    expect(await judge(trial, measure(BEFORE, ORDERS))).toMatchObject({
      verdict: "state",
      severity: "high",
      message: "both calls were answered 200, and the resulting state cannot be reached by running them in either order",
    });
  });

  describe("state, where all calls are refused", () => {
    const count = (attempts: number | string, user = "ann") => facts({ limits: [{ id: 1, user, attempts }] });
    const both = (status: number) => [call("guess", status), call("guess", status)];
    const severityOf = async (status: number, trial: Execution, after = count(5)): Promise<string | undefined> =>
      (await judge(trial, measure(count(3), [ordered([0, 1], both(status), after)])))?.severity;

    it.each([429, 423])("has the severity low if the limit was reached before (%s), and only numbers differ", async (status) => {
      expect(await severityOf(status, together(both(status), count(4)))).toBe("low");
      expect(await severityOf(status, together(both(status), count("4")), count("5"))).toBe("low");
    });

    it("has the severity high if the calls count towards the limit, another answer or value differs, or a row is missing", async () => {
      expect(await severityOf(401, together(both(401), count(4)))).toBe("high");
      expect(await severityOf(429, together([call("guess", 429), call("guess", 401)], count(4)))).toBe("high");
      expect(await severityOf(429, together(both(429), count(4, "bob")))).toBe("high");
      expect(await severityOf(429, together(both(429), facts({})))).toBe("high");
    });

    it("still breaks a rule", async () => {
      expect(await severityOf(429, together(both(429), count(4), [broken]))).toBe("critical");
    });
  });

  it("responses: the state is that of an order, the answers are not", async () => {
    const trial = together([call("refund", 200), call("refund", 200)], order(100));
    expect(await judge(trial, measure(BEFORE, ORDERS))).toMatchObject({
      verdict: "responses",
      severity: "medium",
      message: "both calls were answered 200; when the calls are sent one after the other, they are answered 200, then 409",
    });
  });

  const redirected = (location: string): CallEnd =>
    call("reset", 302, undefined, {
      exchanges: [
        {
          request: { method: "POST", url: "http://127.0.0.1/reset", headers: {}, body: undefined },
          response: { status: 302, headers: { location }, body: "" },
          durationMs: 1,
        },
      ],
    });

  it("responses: both calls redirect to a page to which only one redirects in an order", async () => {
    const [done, failed] = [redirected("http://127.0.0.1/done?at=1"), redirected("/choose?error=used&at=2")];
    const orders = [ordered([0, 1], [done, failed], order(100))];
    expect(await judge(together([done, redirected("/done?at=3")], order(100)), measure(BEFORE, orders))).toMatchObject({
      verdict: "responses",
      message:
        "both calls were answered 302 to /done; when the calls are sent one after the other, they are answered 302 to /done, then 302 to /choose?error",
    });
    expect(await judge(together([redirected("/choose?error=gone"), done], order(100)), measure(BEFORE, orders))).toBeUndefined();
  });

  it("responses: state of the one order, answers of the other", async () => {
    const orders = [
      ordered([0, 1], [call("set_a", 200, { was: 0 }), call("set_b", 200, { was: 1 })], order(2)),
      ordered([1, 0], [call("set_a", 200, { was: 2 }), call("set_b", 200, { was: 0 })], order(1)),
    ];
    const mixed = together([call("set_a", 200, { was: 2 }), call("set_b", 200, { was: 0 })], order(2));
    expect(await judge(mixed, measure(BEFORE, orders))).toMatchObject({ verdict: "responses" });
    const second = together([call("set_a", 200, { was: 2 }), call("set_b", 200, { was: 0 })], order(1));
    expect(await judge(second, measure(BEFORE, orders))).toBeUndefined();
  });

  it("responses: calls with own data got each other's answers", async () => {
    const paid = (key: number) => facts({ payments: [{ id: 1, key: `key ${"ab"[key]}` }] });
    const ended = (accepted: number) => [0, 1].map((data) => call("pay", data === accepted ? 200 : 409, {}, { data }));
    const orders = [ordered([0, 1], ended(0), paid(0)), ordered([1, 0], ended(1), paid(1))];
    const judged = (accepted: number, key: number) => judge(together(ended(accepted), paid(key)), measure(facts({}), orders));
    expect([await judged(0, 0), await judged(1, 1)]).toEqual([undefined, undefined]);
    expect([await judged(0, 1), await judged(1, 0)]).toMatchObject([{ verdict: "responses" }, { verdict: "responses" }]);
  });

  describe("responses, where the answers may be read after the write", () => {
    interface Outcome {
      readonly calls: readonly CallEnd[];
      readonly after: Facts;
    }
    const stock = (left: number, more: Parameters<typeof facts>[0] = {}): Facts => facts({ products: [{ id: "p", stock: left }], ...more });
    const buy = (...bodies: readonly unknown[]): readonly CallEnd[] => bodies.map((body) => call("buy", 200, body));
    const judged = async (first: Outcome, calls: readonly CallEnd[], before = stock(10)): Promise<string | undefined> =>
      (await judge(together(calls, first.after), measure(before, [ordered([0, 1], first.calls, first.after)])))?.verdict;

    it("is none if an answer has the value that the later call wrote", async () => {
      const body = (left: number) => ({ product: { id: "p", stock: left }, left: [left], message: "bought" });
      expect(await judged({ calls: buy(body(9), body(8)), after: stock(8) }, buy(body(8), body(8)))).toBeUndefined();
      // A count of rows is in no column. A list has the row of the other call.
      const likes = (...ids: readonly number[]) => facts({ likes: ids.map((id) => ({ id, post: "a" })) });
      const liked = (own: number, ...ids: readonly number[]) => ({ id: own, likes: ids.length, all: ids.map((id) => ({ id })) });
      const orders = { calls: buy(liked(1, 1), liked(2, 1, 2)), after: likes(1, 2) };
      expect(await judged(orders, buy(liked(1, 1, 2), liked(2, 1, 2)), facts({}))).toBeUndefined();
      // Three calls.
      const three = [ordered([0, 1, 2], buy(body(9), body(8), body(7)), stock(7))];
      expect(await judge(together(buy(body(7), body(8), body(7)), stock(7)), measure(stock(10), three))).toBeUndefined();
    });

    it("is none if a text or a boolean is computed from such a number", async () => {
      const body = (left: number) => ({ stock: left, in_stock: left > 0, note: left > 0 ? "some left" : "sold out" });
      expect(await judged({ calls: buy(body(1), body(0)), after: stock(0) }, buy(body(0), body(0)), stock(2))).toBeUndefined();
      const priced = (cents: number) => ({ balance: `${cents / 100}.00 EUR` });
      const paid = { calls: buy(priced(900), priced(800)), after: stock(8) };
      expect(await judged(paid, buy(priced(800), priced(800)))).toBeUndefined();
      expect(await judged(paid, buy(priced(900), priced(900)))).toBe("responses");
      // Without such a number, nothing shows that the answers were read later.
      expect(
        await judged(
          { calls: buy({ in_stock: true }, { in_stock: false }), after: stock(8) },
          buy({ in_stock: false }, { in_stock: false }),
        ),
      ).toBe("responses");
    });

    it("also if the calls are of two actions, or the value is a text of the state", async () => {
      const account = (balance: number, status: string) => facts({ accounts: [{ id: "a", balance, status }] });
      const ends = (a: readonly [number, string], b: readonly [number, string]) => [
        call("deposit", 200, { balance: a[0], status: a[1] }),
        call("close", 200, { balance: b[0], status: b[1] }),
      ];
      const orders = [
        ordered([0, 1], ends([15, "open"], [5, "closed"]), account(5, "closed")),
        ordered([1, 0], ends([5, "closed"], [0, "closed"]), account(5, "closed")),
      ];
      const trial = (a: readonly [number, string]) =>
        judge(together(ends(a, [5, "closed"]), account(5, "closed")), measure(account(10, "open"), orders));
      expect(await trial([5, "closed"])).toBeUndefined();
      expect(await trial([10, "open"])).toMatchObject({ verdict: "responses" });
    });

    it("is one if two callers get the same thing, or a value from before the write of another call", async () => {
      const tickets = (next: number) => facts({ counters: [{ id: "tickets", next }] });
      for (const name of ["ticket", "ticketNumber", "seat_no", "position", "code"]) {
        const first = { calls: buy({ [name]: 1 }, { [name]: 2 }), after: tickets(2) };
        expect(await judged(first, buy({ [name]: 2 }, { [name]: 2 }), tickets(0))).toBe("responses");
        expect(await judged(first, buy({ [name]: 1 }, { [name]: 1 }), tickets(0))).toBe("responses");
      }
      const seats = { calls: buy({ seats: [1] }, { seats: [2] }), after: tickets(2) };
      expect(await judged(seats, buy({ seats: [2] }, { seats: [2] }), tickets(0))).toBe("responses");
      const coupons = facts({ vouchers: ["A", "B"].map((text) => ({ id: text, used: 1 })) });
      const given = { calls: buy({ voucher: "A" }, { voucher: "B" }), after: coupons };
      expect(await judged(given, buy({ voucher: "B" }, { voucher: "B" }), facts({}))).toBe("responses");
      // The row of each call keeps its number.
      const rows = facts({ entries: [1, 2].map((lot) => ({ id: `e${lot}`, lot })) });
      expect(await judged({ calls: buy({ lot: 1 }, { lot: 2 }), after: rows }, buy({ lot: 2 }, { lot: 2 }), facts({}))).toBe("responses");
      expect(await judged({ calls: buy({ stock: 9 }, { stock: 8 }), after: stock(8) }, buy({ stock: 9 }, { stock: 9 }))).toBe("responses");
      // Nobody wrote after the last call of an order, so its answer cannot come from a later write.
      const booked = facts({ bookings: [{ id: "b1", status: "confirmed" }] });
      const waiting = { calls: buy({ status: "confirmed" }, { status: "waitlisted" }), after: booked };
      expect(await judged(waiting, buy({ status: "confirmed" }, { status: "confirmed" }), facts({}))).toBe("responses");
      expect(await judged({ calls: buy({ won: true }, { won: false }), after: stock(8) }, buy({ won: true }, { won: true }))).toBe(
        "responses",
      );
    });
  });

  it("is silent where a side fails that fails in an order of the equal calls, whichever of them it is", async () => {
    const orders = [ordered([0, 1], [call("refund", 200), call("refund", 500)], order(100))];
    expect(await judge(together([call("refund", 500), call("refund", 200)], order(100)), measure(BEFORE, orders))).toBeUndefined();
  });

  it("of calls that send several requests also allows what these come to one after the other", async () => {
    const exchange = {} as CallEnd["exchanges"][number];
    const two = { exchanges: [exchange, exchange] };
    const orders = [ordered([0, 1], [call("edit", 200, undefined, two), call("edit", 200, undefined, two)], order(2))];
    const trial = together([call("edit", 400, undefined, two), call("edit", 200, undefined, two)], order(1));
    const asked: (readonly number[])[] = [];
    const between = (result: readonly Execution[] | undefined): Measure => ({
      ...measure(BEFORE, orders),
      interleaved: (requests) => {
        asked.push(requests);
        return Promise.resolve(result);
      },
    });
    expect(await judge(trial, between([together([call("edit", 200), call("edit", 400)], order(1))]))).toBeUndefined();
    expect(await judge(trial, between([together([call("edit", 200), call("edit", 200)], order(1))]))).toMatchObject({
      verdict: "responses",
    });
    expect(await judge(trial, between([]))).toMatchObject({ verdict: "state" });
    // Too many to be executed.
    expect(await judge(trial, between(undefined))).toBeUndefined();
    expect(asked).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    // What fits an order, or sends one request each, needs none of it.
    await judge(together([call("edit", 200, undefined, two), call("edit", 200, undefined, two)], order(2)), between([]));
    await judge(together([call("edit", 400), call("edit", 200)], order(1)), between([]));
    expect(asked).toHaveLength(4);
  });

  it("server_error: a 5xx of no order, where the state is that of one, or of the other call alone", async () => {
    const trial = together([call("refund", 200), call("refund", 500)], order(100));
    expect(await judge(trial, measure(BEFORE, ORDERS))).toMatchObject({ verdict: "server_error", severity: "high" });
    const always = [ordered([0, 1], [call("refund", 200), call("refund", 500)], order(100))];
    expect(await judge(trial, measure(BEFORE, always))).toBeUndefined();
    const silent = together([call("refund", 200), call("refund", 0, undefined, { kind: "lost", lost: "timeout" })], order(100));
    expect(await judge(silent, measure(BEFORE, ORDERS))).toMatchObject({
      verdict: "server_error",
      message: expect.stringContaining("got no answer"),
    });
  });
});

describe("a refusal", () => {
  const both = facts({ names: [{ id: "a" }, { id: "b" }] });
  const one = facts({ names: [{ id: "a" }] });
  const orders = [ordered([0, 1], [call("a", 201), call("b", 201)], both), ordered([1, 0], [call("a", 201), call("b", 201)], both)];
  const without = (sides: readonly number[]) =>
    Promise.resolve(sides.join() === "1" ? [ordered([0], [call("a", 201), undefined], one)] : []);

  it.each([400, 401, 403, 404, 409, 410, 412, 418, 422, 423, 429, 503])("%d also allows that the call did nothing", async (status) => {
    expect(
      await judge(together([call("a", 201), call("b", status, { why: "busy" })], one), measure(facts({}), orders, without)),
    ).toBeUndefined();
  });

  it("errors of GraphQL with status 200 are one, and a success with the same status is none", async () => {
    const failed = call("refund", 200, undefined, { refused: true });
    const without = () => Promise.resolve([ordered([0], [call("refund", 200), undefined], order(50))]);
    const orders = [ordered([0, 1], [call("refund", 200), call("refund", 200)], order(100))];
    expect(await judge(together([call("refund", 200), failed], order(50)), measure(BEFORE, orders, without))).toBeUndefined();
    expect(await judge(together([call("refund", 200), call("refund", 200)], order(50)), measure(BEFORE, orders, without))).toMatchObject({
      verdict: "state",
    });
    expect(await judge(together([call("refund", 200), failed], order(100)), measure(BEFORE, orders, without))).toMatchObject({
      message:
        "the calls were answered 200 and 200 with errors; when the calls are sent one after the other, their answers differ from these in every order",
    });
  });

  it("a server error is none", async () => {
    const judgement = await judge(together([call("a", 201), call("b", 500)], one), measure(facts({}), orders, without));
    expect(judgement?.verdict).toBe("server_error");
  });

  it("does not excuse a call that did its work", async () => {
    const judgement = await judge(together([call("a", 201), call("b", 409)], both), measure(facts({}), orders, without));
    expect(judgement).toMatchObject({ verdict: "responses" });
  });

  it.each([
    [409, { error: "conflict" }],
    [404, { error: "no order 2" }],
    [422, { error: "order 17 was refunded", id: 17 }],
    [400, "refused"],
  ])("may have another status and other words than in an order: %d", async (status, body) => {
    const trial = together([call("refund", 200), call("refund", status, body)], order(100));
    expect(await judge(trial, measure(BEFORE, ORDERS))).toBeUndefined();
  });

  it.each([404, 409, 422])("%d is a finding where the state shows that the refused call wrote", async (status) => {
    const trial = together([call("refund", 200), call("refund", status)], order(200));
    expect(await judge(trial, measure(BEFORE, ORDERS))).toMatchObject({ verdict: "state" });
  });

  it("that writes in an order must write at the same time, too", async () => {
    const attempts = (count: number) => facts({ users: [{ id: "ann", attempts: count }] });
    const logins = [{ ...ordered([0, 1], [call("login", 401), call("login", 401)], attempts(2)), after: [attempts(1), attempts(2)] }];
    const alone = () => Promise.resolve([ordered([0], [call("login", 401), undefined], attempts(1))]);
    const trial = together([call("login", 401), call("login", 401)], attempts(1));
    expect(await judge(trial, measure(attempts(0), logins, alone))).toMatchObject({ verdict: "state" });
    // Another refusal may be one that writes nothing.
    const conflict = together([call("login", 401), call("login", 409)], attempts(1));
    expect(await judge(conflict, measure(attempts(0), logins, alone))).toBeUndefined();
  });

  it("that adds or changes rows after another call must write at the same time, too", async () => {
    const used = [call("login", 200), call("login", 401)];
    const alone = (end: Facts) => () => Promise.resolve([ordered([0], [call("login", 200), undefined], end)]);
    const judged = (first: Facts, end: Facts) =>
      judge(
        together(used, first),
        measure(facts({ codes: [{ id: 1 }] }), [{ ...ordered([0, 1], used, end), after: [first, end] }], alone(first)),
      );
    const user = (failed: number, more = {}) => facts({ users: [{ id: "ann", failed }], ...more });
    // The second login with the same code counts as a failed attempt.
    expect(await judged(user(0), user(1))).toMatchObject({ verdict: "state" });
    expect(await judged(user(0), user(0, { log: [{ id: 1 }] }))).toMatchObject({ verdict: "state" });
    // Both a deletion and a change.
    expect(await judged(user(0, { codes: [{ id: 2 }] }), user(1))).toMatchObject({ verdict: "state" });
    expect(await judged(user(0, { codes: [{ id: 2 }] }), user(0))).toBeUndefined();
  });

  describe("that only deletes rows after another call need not delete them at the same time", () => {
    const quota = (remaining: number | undefined) =>
      remaining === undefined ? facts({}, { removed: { quota: [{ id: 1, remaining: 1 }] } }) : facts({ quota: [{ id: 1, remaining }] });
    // The second call deletes the row, because it is used up.
    const uses = [{ ...ordered([0, 1], [call("use", 200), call("use", 403)], quota(undefined)), after: [quota(0), quota(undefined)] }];
    const alone = () => Promise.resolve([ordered([0], [call("use", 200), undefined], quota(0))]);

    it("if the state is the one after the accepted call", async () => {
      const trial = together([call("use", 200), call("use", 403)], quota(0));
      expect(await judge(trial, measure(quota(1), uses, alone))).toBeUndefined();
    });

    it("but not if a call was accepted without an effect, or if the state is a third one", async () => {
      const lost = together([call("use", 200), call("use", 200)], quota(0));
      expect(await judge(lost, measure(quota(1), uses, alone))).toMatchObject({
        verdict: "state",
        message:
          "both calls were answered 200, and the resulting state cannot be reached by running them in either order: it is the state after one use alone",
      });
      const third = await judge(together([call("use", 200), call("use", 403)], quota(-1)), measure(quota(1), uses, alone));
      expect(third?.message).toMatch(/in either order$/);
      const none = await judge(together([call("use", 200), call("use", 200)], quota(1)), measure(quota(1), uses, alone));
      expect(none?.message).toMatch(/: it is the state before the calls$/);
    });

    it("also if the rows are members of a stored value", async () => {
      const stored = (value: Record<string, number>): Facts => ({ ...facts({}), systems: { cache: { kind: "value", value } } });
      const judged = (end: Facts) =>
        judge(
          together([call("use", 200), call("use", 403)], stored({ left: 0, of: 5 })),
          measure(
            stored({ left: 1, of: 5 }),
            [{ ...ordered([0, 1], [call("use", 200), call("use", 403)], end), after: [stored({ left: 0, of: 5 }), end] }],
            () => Promise.resolve([ordered([0], [call("use", 200), undefined], stored({ left: 0, of: 5 }))]),
          ),
        );
      expect(await judged(stored({ of: 5 }))).toBeUndefined();
      expect(await judged(stored({ left: -1, of: 5 }))).toMatchObject({ verdict: "state" });
    });

    it("but a write that does not depend on the other call is required, and the message names the action that took effect", async () => {
      const row = (name: string, attempts: number) => facts({ users: [{ id: "ann", name, attempts }] });
      const rename = call("rename", 200);
      const login = call("login", 401);
      const orders = [
        { ...ordered([0, 1], [rename, login], row("Ann", 1)), after: [row("Ann", 0), row("Ann", 1)] },
        { ...ordered([1, 0], [rename, login], row("Ann", 1)), after: [row("ann", 1), row("Ann", 1)] },
      ];
      const without = () => Promise.resolve([ordered([0], [rename, undefined], row("Ann", 0))]);
      expect(await judge(together([rename, login], row("Ann", 0)), measure(row("ann", 0), orders, without))).toMatchObject({
        verdict: "state",
        message: expect.stringMatching(/: it is the state after rename alone$/),
      });
    });
  });
});

describe("a DELETE that finds nothing left to delete", () => {
  const sent = (method: string) => ({ exchanges: [{ request: { method, url: "/", headers: {} } } as CallEnd["exchanges"][number]] });
  const gone = facts({}, { removed: { items: [{ id: 1 }] } });
  const remove = (status: number, method = "DELETE", body?: unknown) => call("remove", status, body, sent(method));
  const orders = [ordered([0, 1], [remove(204), remove(404)], gone)];

  it("because the first logout ended the session is excused, unless another call ended it", async () => {
    const logouts = [ordered([0, 1], [remove(204), remove(401)], gone)];
    const trial = together([remove(204), remove(204)], gone);
    expect(await judge(trial, measure(facts({}), logouts))).toMatchObject({ verdict: "responses", excused: "idempotent" });
    const reset = call("reset", 200);
    const others = [ordered([0, 1], [reset, remove(401)], gone), ordered([1, 0], [reset, remove(401)], gone)];
    expect(await judge(together([reset, remove(204)], gone), measure(facts({}), others))).not.toHaveProperty("excused");
  });

  it("and is answered as if it had done it is excused", async () => {
    expect(await judge(together([remove(204), remove(204)], gone), measure(facts({}), orders))).toMatchObject({
      verdict: "responses",
      excused: "idempotent",
    });
  });

  it("is none where the method is another, the answer too, or the second one is refused for another reason", async () => {
    const posts = [ordered([0, 1], [remove(204, "POST"), remove(404, "POST")], gone)];
    const posted = await judge(together([remove(204, "POST"), remove(204, "POST")], gone), measure(facts({}), posts));
    expect(posted).toMatchObject({ verdict: "responses" });
    expect(posted).not.toHaveProperty("excused");
    const other = await judge(together([remove(204), remove(200, "DELETE", { refunded: 5 })], gone), measure(facts({}), orders));
    expect(other).not.toHaveProperty("excused");
    const conflicts = [ordered([0, 1], [remove(204), remove(409)], gone)];
    expect(await judge(together([remove(204), remove(204)], gone), measure(facts({}), conflicts))).not.toHaveProperty("excused");
  });

  it("is none where it did more than one does", async () => {
    const twice = facts({ refunds: [{ id: 1 }, { id: 2 }] }, { removed: { items: [{ id: 1 }] } });
    expect(await judge(together([remove(204), remove(204)], twice), measure(facts({}), orders))).toMatchObject({ verdict: "state" });
  });
});

describe("a call that ends what its own repetition needs", () => {
  type Sent = Partial<CallEnd["exchanges"][number]["request"]>;
  const LOGGED_IN = { authorization: "Bearer abc" };
  const end = (
    status: number,
    sent: Sent,
    answer: { readonly cookie?: string; readonly body?: string } = {},
    more: Partial<CallEnd> = {},
  ) =>
    call("end", status, undefined, {
      exchanges: [
        {
          request: { method: "POST", url: "/", headers: LOGGED_IN, ...sent },
          response: { status, headers: answer.cookie === undefined ? {} : { "set-cookie": answer.cookie }, body: answer.body ?? "" },
          durationMs: 1,
        },
      ],
      ...more,
    });
  const done = facts({}, { removed: { sessions: [{ id: 1 }] } });
  const json = (body: unknown): Sent => ({ body: JSON.stringify(body) });
  const excusedOf = async (sent: Sent, answer = {}, refusal = end(401, sent)) => {
    const orders = [ordered([0, 1], [end(204, sent, answer), refusal], done)];
    return (await judge(together([end(204, sent, answer), end(204, sent, answer)], done), measure(facts({}), orders)))?.excused;
  };

  it.each<[string, Sent, object?]>([
    ["a logout by POST", {}],
    ["a logout by GET that clears the cookie", { method: "GET", headers: { cookie: "sid=abc" } }, { cookie: "sid=; Max-Age=0; Path=/" }],
    ["a logout of a user", { url: "http://localhost/users/17/logout" }],
    ["a change of the password", json({ current: null, old_password: "a", newPassword: "b" })],
    [
      "a change of the password by a form, in a session that is prolonged",
      { body: "passwd=a", headers: { Cookie: "sid=abc" } },
      { cookie: "sid=abc; Path=/" },
    ],
  ])("is excused: %s", async (_what, sent, answer) => expect(await excusedOf(sent, answer)).toBe("idempotent"));

  it("is excused in GraphQL, too", async () => {
    const sent = json({ query: "mutation { logout }" });
    const refusal = end(200, sent, {}, { refused: true, body: '{"errors":[{"message":"UNAUTHENTICATED"}]}' });
    expect(await excusedOf(sent, {}, refusal)).toBe("idempotent");
  });

  it.each([
    [400, { code: 209, error: "Invalid session token" }],
    [403, { error: { code: "SESSION_EXPIRED" } }],
    [404, { message: "Session token not found" }],
    [400, { message: "You must be logged in" }],
  ])("is excused after a refusal with status %d that says that the session is gone", async (status, body) => {
    const refusal = call("end", status, body);
    expect(await excusedOf({}, { body: "{}" }, refusal)).toBe("idempotent");
  });

  it("is excused if another call ended the session, and the state contains everything that the excused call does alone", async () => {
    const row = (name: string, isOpen: boolean, password = "a") =>
      facts({ users: [{ id: "ann", name, password }] }, isOpen ? {} : { removed: { sessions: [{ id: 1 }] } });
    const before = row("ann", true);
    const ended = row("ann", false);
    const changed = row("ann", false, "b");
    const [logout, change] = [end(200, {}), call("change", 200, { token: "def" })];
    const orders = [
      { ...ordered([0, 1], [change, end(400, {}, {}, { body: "Invalid session" })], changed), after: [changed, changed] },
      { ...ordered([1, 0], [call("change", 401), logout], ended), after: [ended, ended] },
    ];
    expect(await judge(together([change, logout], changed), measure(before, orders))).toMatchObject({ excused: "idempotent" });
    // The change of the password is lost.
    expect(await judge(together([change, logout], ended), measure(before, orders))).not.toHaveProperty("excused");
    // Alone, the call also renames the user.
    const renamed = row("Ann", false);
    const other = [orders[0]!, { ...ordered([1, 0], [call("change", 401), logout], renamed), after: [renamed, renamed] }];
    expect(await judge(together([change, logout], changed), measure(before, other))).not.toHaveProperty("excused");
  });

  it.each<[string, Sent, object?, CallEnd?]>([
    ["a refusal of a used checkout", {}, {}, call("end", 400, { error: "No checkout session" })],
    ["a refusal of a timer that was stopped", {}, {}, call("end", 404, { error: "No active session" })],
    ["a refusal of a call that ended", {}, {}, call("end", 400, { error: "Session has ended" })],
    ["a refusal of an item", {}, {}, call("end", 404, { error: "Session not found" })],
    ["a conflict", {}, {}, call("end", 409, { error: "Session expired" })],
    ["a state of a session", {}, {}, call("end", 400, { error: "Invalid session state" })],
    ["missing rights", {}, {}, call("end", 403, { error: "Unauthorized" })],
    ["a code in the body", json({ code: "123456" })],
    ["a code in a number", json({ code: 123456 })],
    ["a reset token without a session", { ...json({ password: "b" }), headers: {} }],
    ["a new session in a cookie", {}, { cookie: "sid=def; Path=/" }],
    ["a new token in the body", {}, { body: '{"access_token":"def"}' }],
    ["a code in the path", { url: "http://localhost/password/reset/3f2a11bc90deaa" }],
    ["a number as code in the path", { url: "/otp/123456" }],
    ["a code in the query", { url: "/reset?token=3f2a11bc90deaa" }],
    ["another refusal", {}, {}, end(409, {})],
    ["a token in a GraphQL document", json({ query: 'mutation { use(code: "a") }' })],
  ])("stays: %s", async (_what, sent, answer, refusal) => expect(await excusedOf(sent, answer, refusal)).toBeUndefined());
});

describe("ids of new rows", () => {
  const created = (first: number, second: number) =>
    facts({
      orders: [
        { id: first, of: "ann" },
        { id: second, of: "bob" },
      ],
      items: [{ id: 10 + first, order_id: first }],
    });
  const answers = (first: number, second: number) => [call("ann", 201, { id: first }), call("bob", 201, { id: second })] as const;
  const orders = [ordered([0, 1], answers(1, 2), created(1, 2)), ordered([1, 0], answers(2, 1), created(2, 1))];

  it("do not matter: a refused insert burns a number, and the moment decides who gets which", async () => {
    expect(await judge(together(answers(2, 3), created(2, 3)), measure(facts({}), orders))).toBeUndefined();
    expect(await judge(together(answers(7, 4), created(7, 4)), measure(facts({}), orders))).toBeUndefined();
  });

  it("matter where a reference leads elsewhere", async () => {
    const crossed = facts({
      orders: [
        { id: 1, of: "ann" },
        { id: 2, of: "bob" },
      ],
      items: [{ id: 11, order_id: 2 }],
    });
    expect(await judge(together(answers(1, 2), crossed), measure(facts({}), orders))).toMatchObject({ verdict: "state" });
  });

  it("do not make a lost row equal", async () => {
    const lost = facts({ orders: [{ id: 2, of: "bob" }], items: [{ id: 11, order_id: 2 }] });
    expect(await judge(together(answers(1, 2), lost), measure(facts({}), orders))).toMatchObject({ verdict: "state" });
  });
});

/** A call is a list of steps over two cells: it reads one, and writes what it read plus something. The oracle's oracle is the machine itself. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly plus: number;
}

interface Machine {
  readonly cells: number[];
  readonly answers: number[][];
}

function run(programs: readonly (readonly Step[])[], turns: readonly number[]): Machine {
  const machine: Machine = { cells: [1, 2], answers: programs.map(() => []) };
  const at = programs.map(() => 0);
  const seen: number[] = [];
  for (const side of turns) {
    const program = programs[side]!;
    const half = at[side]!++;
    const step = program[half >> 1];
    if (step === undefined) continue;
    // Reading and writing are two turns: that is the window.
    if (half % 2 === 0) machine.answers[side]!.push((seen[side] = machine.cells[step.from]!));
    else machine.cells[step.to] = seen[side]! + step.plus;
  }
  return machine;
}

describe("against a machine whose every interleaving is known", () => {
  const step = fc.record({ from: fc.nat(1), to: fc.nat(1), plus: fc.nat(2) });
  const program = fc.array(step, { minLength: 1, maxLength: 3 });

  it("an interleaving is a race exactly where it equals neither order", async () => {
    await fc.assert(
      fc.asyncProperty(program, program, fc.infiniteStream(fc.boolean()), async (a, b, stream) => {
        const left = [2 * a.length, 2 * b.length];
        const turns: number[] = [];
        for (const first of stream) {
          if (left[0] === 0 && left[1] === 0) break;
          const side = left[0] === 0 ? 1 : left[1] === 0 ? 0 : first ? 0 : 1;
          left[side]!--;
          turns.push(side);
        }
        const serial = (first: number): number[] => [...turns].sort((x, y) => (x === first ? 0 : 1) - (y === first ? 0 : 1));
        const [forth, back, mixed] = [run([a, b], serial(0)), run([a, b], serial(1)), run([a, b], turns)];
        const state = ({ cells }: Machine) => facts({ cells: cells.map((value, id) => ({ id: `c${id}`, value })) });
        const ends = ({ answers }: Machine) => answers.map((seen, side) => call(`side${side}`, 200, seen.join("/")));
        const orders = [ordered([0, 1], ends(forth), state(forth)), ordered([1, 0], ends(back), state(back))];
        const judgement = await judge(together(ends(mixed), state(mixed)), measure(state({ cells: [1, 2], answers: [] }), orders));
        const same = (other: Machine): boolean => JSON.stringify(other) === JSON.stringify(mixed);
        const sameState = (other: Machine): boolean => JSON.stringify(other.cells) === JSON.stringify(mixed.cells);
        const expected = same(forth) || same(back) ? undefined : sameState(forth) || sameState(back) ? "responses" : "state";
        expect(judgement?.verdict).toBe(expected);
      }),
      { numRuns: size(30, 2000) },
    );
  });
});
