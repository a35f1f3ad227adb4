import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { graphqlAnswer } from "../../../../src/model/http/graphql-answer.ts";

const kindOf = (query: unknown, answer: unknown, status = 200, method = "POST"): string =>
  graphqlAnswer(new ApiResponse(status, JSON.stringify(answer), {}, { method, url: "", headers: {}, body: JSON.stringify({ query }) }))
    .kind;

describe("what an answer of GraphQL says", () => {
  const errors = [{ message: "no" }];
  it.each([
    ["errors and no data", "mutation { a }", { errors }, "refused"],
    ["errors, and null for every field", "mutation { a b }", { data: { a: null, b: null }, errors }, "refused"],
    ["errors beside data of another field", "mutation { a b }", { data: { a: 1, b: null }, errors }, "other"],
    ["an error of the type that a field has", "mutation { a }", { data: { a: { __typename: "OutOfStockError", code: 1 } } }, "refused"],
    ["errors in the payload, and nothing else", "mutation { a }", { data: { a: { order: null, userErrors: errors } } }, "refused"],
    ["errors in the payload beside data", "mutation { a }", { data: { a: { order: { id: 1 }, userErrors: errors } } }, "other"],
    ["no errors in the payload", "mutation { a }", { data: { a: { order: null, userErrors: [] } } }, "other"],
    ["a mutation without errors", "mutation { a }", { data: { a: null } }, "other"],
    ["a query", "query Q { a }", { data: { a: 1 } }, "read"],
    ["a query in short", "{ a }", { data: { a: 1 } }, "read"],
    ["one of several operations", "query Q { a } mutation M { b }", { data: { b: 1 } }, "other"],
    ["an answer that is none of GraphQL", "query Q { a }", { ok: true }, "other"],
    ["a request that is none of GraphQL", 7, { data: {}, errors }, "other"],
  ])("%s", (_what, query, answer, kind) => expect(kindOf(query, answer)).toBe(kind));

  it("is nothing but that: other methods and statuses speak for themselves", () => {
    expect(kindOf("{ a }", { data: {} }, 200, "GET")).toBe("other");
    expect(kindOf("mutation { a }", { errors }, 500)).toBe("other");
  });
});
