import { describe, expect, it } from "vitest";
import { SeqqaError } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";

describe("ApiResponse.of", () => {
  it("has status, ok, headers, text and json", () => {
    const response = ApiResponse.of(201, { id: "7" }, { location: "/7" });
    expect([response.statusCode, response.status, response.ok]).toEqual([201, 201, true]);
    expect(response.headers).toEqual({ location: "/7" });
    expect(response.text).toBe('{"id":"7"}');
    expect(response.json<{ id: string }>().id).toBe("7");
    expect(response.durationMs).toBe(0);
  });

  it("a string is the text, and JSON if it is that", () => {
    expect(ApiResponse.of(200, "plain").text).toBe("plain");
    expect(ApiResponse.of(200, "[1]").json()).toEqual([1]);
  });

  it("without a body the text is empty", () => {
    expect(ApiResponse.of(204).text).toBe("");
  });

  it.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ])("%d is ok: %s", (status, ok) => {
    expect(ApiResponse.of(status).ok).toBe(ok);
  });
});

describe("json", () => {
  it("parses once and gives the same value", () => {
    const response = new ApiResponse(200, '{"a":[1]}');
    expect(response.json()).toBe(response.json());
  });

  it("of a body that is not JSON names request, status and the first 200 characters", () => {
    const body = `<html>${"x".repeat(300)}`;
    const response = new ApiResponse(
      502,
      body,
      { "content-type": "text/html" },
      { method: "GET", url: "http://target/orders", headers: {} },
    );
    const error = refusal(response);
    expect(error.code).toBe("NOT_JSON");
    expect(error.message).toContain("GET http://target/orders");
    expect(error.message).toContain("502");
    expect(error.message).toContain(body.slice(0, 200));
    expect(error.message).not.toContain(body.slice(0, 201));
    expect(error.hint).toBeDefined();
  });

  it("quotes only the beginning of a content type, which a target may make as long as it likes", () => {
    const { message } = refusal(new ApiResponse(200, "", { "content-type": "a".repeat(60_000) }));
    expect(message).toContain(`${"a".repeat(200)}...`);
    expect(message.length).toBeLessThan(300);
  });

  it("of an empty body says so", () => {
    expect(refusal(new ApiResponse(204, "")).message).toContain("empty");
  });
});

function refusal(response: ApiResponse): SeqqaError {
  try {
    response.json();
  } catch (error) {
    expect(error).toBeInstanceOf(SeqqaError);
    return error as SeqqaError;
  }
  return expect.unreachable();
}
