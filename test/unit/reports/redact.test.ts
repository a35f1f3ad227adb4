import { describe, expect, it } from "vitest";
import { redactor, redactResult, resultJson, jsonText, violationText } from "../../../src/reports/index.ts";
import { result, violation } from "./results.ts";

const NAMES = ["authorization", "cookie", "set-cookie", "password", "token", "access_token", "secret"];
const hide = redactor(NAMES);

describe("redactor", () => {
  it.each([
    ['{"password":"a","user":"b"}', '{"password":"[redacted]","user":"b"}'],
    ['{"deep":[{"Access-Token":{"x":1}}]}', '{"deep":[{"Access-Token":"[redacted]"}]}'],
    ['{"password":null,"tokens":1}', '{"password":null,"tokens":1}'],
    ['{ "kept":  "as it is" }', '{ "kept":  "as it is" }'],
    ["user=b&password=a%20b&secret=", "user=b&password=[redacted]&secret=[redacted]"],
    ['{"password":"cut of', '{"password":"[redacted]"'],
    ["the password: hunter2, and more", "the password: [redacted], and more"],
    ["", ""],
    ["plain text", "plain text"],
  ])("body %j -> %j", (body, expected) => {
    expect(hide.body(body)).toBe(expected);
  });

  it("hides headers in any case, query parameters and the user part of a URL", () => {
    expect(hide.headers({ AUTHORIZATION: "x", "Set-Cookie": "y", accept: "z" })).toEqual({ AUTHORIZATION: "[redacted]", "Set-Cookie": "[redacted]", accept: "z" });
    expect(hide.url("http://me:pw@h/a?token=1&b=2&access%5Ftoken=3")).toBe("http://[redacted]@h/a?token=[redacted]&b=2&access%5Ftoken=[redacted]");
    expect(hide.url("http://h/a")).toBe("http://h/a");
  });

  it("hides nothing when no name is given", () => {
    expect(redactor([]).body('{"password":"a"}')).toBe('{"password":"a"}');
  });
});

describe("a result", () => {
  const all = result({ violations: [violation()] });

  it("has no secret left in it", () => {
    const text = jsonText(resultJson(redactResult(all, { redact: NAMES, includeRequestResponse: true })));
    for (const secret of ["Bearer abc", "pw-1", "sid=1", "token=abc", "t-1"]) expect(text).not.toContain(secret);
    expect(text).toContain('\\"refunded\\":200');
  });

  it("can leave requests and responses out", () => {
    const [shown] = redactResult(all, { redact: NAMES, includeRequestResponse: false }).violations;
    expect(shown).toMatchObject({ request: undefined, response: undefined, steps: [{ action: "refund_order", status: 200, requests: [] }] });
    expect(String(shown)).toBe(violationText(violation({ request: undefined, response: undefined })));
  });
});
