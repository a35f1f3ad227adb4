import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { seenFields } from "../../../../src/rules/answers/seen-fields.ts";

const answer = (body: unknown, status = 200): string | undefined => seenFields(ApiResponse.of(status, body));

describe("what an answer shows", () => {
  it.each([
    ["nothing at all", undefined],
    ["null", null],
    ["an empty text", ""],
    ["an empty object", {}],
    ["an empty list", []],
    ["a list's envelope without items", { items: [], total: 0, next: null, page: { number: 1 }, per_page: 20 }],
    ["an envelope in an envelope", { data: { items: [] } }],
    ["empty values", { note: null, tags: [], owner: {} }],
    ["the word that it failed", { ok: false, message: "not yours" }],
    ["an error of GraphQL", { data: { note: null }, errors: [{ message: "not yours" }] }],
    ["an error with 200", { error: "not yours" }],
    ["a no", { can_edit: false, allowed: { write: false } }],
  ])("nothing: %s", (_what, body) => {
    expect(answer(body)).toBeUndefined();
  });

  it.each([
    ["an item", { id: 1, text: "x" }, "id, text"],
    ["an item with an empty list", { id: 1, tags: [] }, "id"],
    ["a list", [{ id: 1 }, { id: 2, text: "x" }], "id, text"],
    ["a list in an envelope", { items: [{ id: 1, text: "x" }] }, "id, text"],
    ["a number of something", { balance: 0 }, "balance"],
    ["a word", "secret", "a text"],
    ["an item that is not paid", { id: 1, paid: false }, "id, paid"],
    ["an item with a mark that nothing failed", { error: false, id: 1 }, "error, id"],
    ["ids that are keys", { "3f2a-11": { a: 1 }, "4b2c-22": { a: 2 } }, "a body"],
    ["what is there beside an error", { data: { note: { id: 1 } }, errors: [{ message: "no lines" }] }, "data, errors"],
  ])("%s", (_what, body, fields) => {
    expect(answer(body)).toBe(fields);
  });

  it("names and no values, and at most ten", () => {
    const letters = "abcdefghijkl".split("");
    expect(answer(Object.fromEntries(letters.map((name) => [name, "secret"])))).toBe("a, b, c, d, e, f, g, h, i, j, 2 more");
  });

  it("nothing where it is refused, or where there is no body by definition", () => {
    expect(answer({ id: 1 }, 404)).toBeUndefined();
    expect(answer({ id: 1 }, 302)).toBeUndefined();
    expect(seenFields(new ApiResponse(200, "x", {}, { method: "HEAD", url: "/", headers: {} }))).toBeUndefined();
  });
});

describe("what an answer of GraphQL shows", () => {
  const request = {
    method: "POST",
    url: "http://localhost/graphql",
    headers: {},
    body: JSON.stringify({ query: "mutation { pay { id } }" }),
  };
  const shown = (body: unknown): string | undefined => seenFields(new ApiResponse(200, JSON.stringify(body), {}, request));

  it.each([
    { data: null, errors: [{ message: "not yours" }] },
    { data: { pay: null } },
    { data: { remove: true } },
    { data: { remove: false } },
    { data: { pay: { success: false, order: null, userErrors: [{ message: "not yours" }] } } },
    { data: { pay: { __typename: "Payload", ok: true, clientMutationId: "1" } } },
    { data: { notes: [] } },
  ])("nothing: %j", (body) => {
    expect(shown(body)).toBeUndefined();
  });

  it.each([
    [{ data: { note: { id: "1", text: "x" } } }, "id, text"],
    [{ data: { length: 3 } }, "length"],
    [{ data: { pay: { success: true, order: { id: "1" } } } }, "success, order"],
    // A part of it failed.
    [{ data: { note: { id: "1", owner: null } }, errors: [{ message: "not yours" }] }, "id"],
  ])("%j: %s", (body, fields) => {
    expect(shown(body)).toBe(fields);
  });
});
