import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { graphqlAnswer, graphqlServerError } from "../../../../src/model/http/graphql-answer.ts";

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

describe("a server error of GraphQL", () => {
  const internal = { code: "INTERNAL_SERVER_ERROR" };
  const said = (error: object, data: unknown = null, status = 200): string | undefined => {
    const request = { method: "POST", url: "", headers: {}, body: JSON.stringify({ query: "{ a }" }) };
    return graphqlServerError(new ApiResponse(status, JSON.stringify({ data, errors: [{ message: "no" }, error] }), {}, request));
  };

  it.each([
    ["a hidden exception", { message: "Unexpected error.", extensions: internal }],
    ["an exception", { message: "Cannot read properties of undefined (reading 'id')", extensions: internal }],
    ["a failed constraint", { message: "UNIQUE constraint failed: orders.id", extensions: internal }],
    ["the stack trace of one", { message: "no", extensions: { ...internal, stacktrace: ["TypeError: no", "    at pay"] } }],
    ["an older form of it", { message: "no", extensions: { ...internal, exception: { stacktrace: ["RangeError: no"] } } }],
    ["one of Hasura", { message: "no", extensions: { code: "unexpected" } }],
  ])("is %s, also beside data", (_what, error) => {
    expect([said(error), said(error, { a: 1 })]).toEqual([error.message, error.message]);
  });

  it.each([
    [
      "a refusal without a code of its own",
      { message: "out of stock", extensions: { ...internal, stacktrace: ["GraphQLError: out of stock"] } },
    ],
    ["a refusal that a resolver throws", { message: "out of stock", extensions: { ...internal, stacktrace: ["Error: out of stock"] } }],
    ["invalid input", { message: "x is not defined", extensions: { code: "BAD_USER_INPUT" } }],
    ["an error without a code", { message: "Unexpected error." }],
  ])("is not %s", (_what, error) => {
    expect(said(error)).toBeUndefined();
  });
});
