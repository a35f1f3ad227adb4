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
});
