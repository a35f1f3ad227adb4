import { describe, expect, it } from "vitest";
import { Action } from "../../../src/model/declare/action.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { rejectedMeansUnchanged, type RejectedMeansUnchangedOptions } from "../../../src/rules/index.ts";
import { judged, orders, type Answer } from "../../support/scripted-step.ts";

/** Judges a step with one request, after which the stores have one row more. */
async function sent(request: string, answer: Answer, options: RejectedMeansUnchangedOptions = {}): Promise<unknown> {
  const rule = rejectedMeansUnchanged(options);
  rule.brings([new Action({ name: "act", run: async () => ApiResponse.of(200) })] as never);
  return (await judged(rule as never, { sends: [request], during: { [request]: answer }, stores: [orders(2), orders(1)] })).said;
}

describe("rejectedMeansUnchanged", () => {
  it.each([
    ["GET /magic?token=abc123", 302],
    ["GET /verify?email=a%40b.c&code=123456", 200],
    ["GET /reset?reset_token=abc123", 200],
    ["GET /verify-email/3f2a11bc90de55", 302],
  ] as const)("lets the link %s spend its code", async (request, status) => {
    expect(await sent(request, status)).toBe(true);
  });

  it.each([
    ["GET /magic?token=abc123", 400],
    ["GET /orders?access_token=abc123", 200],
    ["GET /orders?page_token=abc123", 200],
    ["GET /orders/17/confirm", 200],
    ["GET /orders/0b0c1e5e-8d2f-4f0e-9c39-3f2a11bc90de/accept", 200],
  ] as const)("does not let %s, answered %s, write", async (request, status) => {
    expect(await sent(request, status)).toContain("and changed the stores: db.orders: 1 row added");
  });

  it("names `except` for a refused login, and holds for an action in it", async () => {
    expect(await sent("POST /login", 401)).toBe(
      "act was refused with status 401 and changed the stores: db.orders: 1 row added; if a refused call may do this, add the action or the column to `except`",
    );
    expect(await sent("POST /login", 401, { except: ["act"] })).toBe(true);
    expect(() => rejectedMeansUnchanged({ except: ["log_in"] }).brings([])).toThrow(
      'rejectedMeansUnchanged: the Agent has no action "log_in"',
    );
  });

  it("counts a 5xx status that the action expects, and a body that reports a failure, as refusals", async () => {
    const rule = rejectedMeansUnchanged();
    const stores = [orders(2), orders(1)];
    const said = async (answer: Answer, expectedStatus?: readonly number[]): Promise<unknown> =>
      (
        await judged(rule as never, {
          sends: ["POST /orders"],
          during: { "POST /orders": answer },
          stores,
          expectedStatus: expectedStatus!,
        })
      ).said;
    expect(await said(502, [201, 502])).toContain("was refused with status 502 and changed the stores: db.orders: 1 row added");
    expect(await said(502)).toBe(true);
    expect(await said([200, { ok: false }])).toContain("was refused by the body of its answer (status 200) and changed the stores");
    expect(await said([200, { ok: true }])).toBe(true);
  });

  it("lets a link write if it leads to another page, but no refused request after it", async () => {
    const said = async (second: string, status: number): Promise<unknown> => {
      const during = { "GET /reset?token=abcd": 200, [second]: status };
      const script = { sends: Object.keys(during), during, stores: [orders(2), orders(1)] };
      return (await judged(rejectedMeansUnchanged() as never, script)).said;
    };
    expect(await said("GET /home", 200)).toBe(true);
    expect(await said("POST /reset", 400)).toContain("was refused with status 400");
  });
});
