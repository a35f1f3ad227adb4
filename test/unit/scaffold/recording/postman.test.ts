import { describe, expect, it } from "vitest";
import { generated, type Generated } from "./recordings.ts";

const info = { name: "Shop API", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" };
const header = [{ key: "Content-Type", value: "application/json" }];
const script = (...exec: readonly string[]) => [{ listen: "test", script: { exec } }];
const needs = ({ plan }: Generated): readonly string[] =>
  plan.actions.map(
    ({ name, operation: { path }, needs: keys, produces }) =>
      `${name} ${path} (${keys.join(",")}) -> ${produces.map(({ key }) => key).join(",")}`,
  );

const COLLECTION = {
  info,
  auth: { type: "bearer", bearer: [{ key: "token", value: "bearer-secret-1" }] },
  variable: [
    { key: "baseUrl", value: "http://127.0.0.1:3000/v1" },
    { key: "amount", value: "100" },
  ],
  item: [
    {
      name: "Orders",
      item: [
        {
          name: "Create order",
          event: script("const json = pm.response.json();", 'pm.collectionVariables.set("orderId", json.data.id);'),
          request: {
            method: "POST",
            url: { raw: "{{baseUrl}}/orders", host: ["{{baseUrl}}"], path: ["orders"] },
            header,
            body: { mode: "raw", raw: '{"amount": {{amount}}, "email": "{{$randomEmail}}", "password": "body-secret-1"}' },
          },
          response: [{ name: "Created", code: 201, body: '{"data":{"id":"o-1"}}' }],
        },
        { name: "Pay", request: { method: "POST", url: "{{baseUrl}}/orders/{{orderId}}/pay" } },
        {
          name: "Get customer",
          request: {
            method: "GET",
            url: { raw: "{{baseUrl}}/customers/:customerId?x={{part}}y", variable: [{ key: "customerId", value: "" }] },
          },
          response: [{ code: 404, body: "{}" }],
        },
      ],
    },
    { name: "Health", request: "{{baseUrl}}/health" },
    { name: "Socket", request: { method: "GET", url: "ws://127.0.0.1/socket" } },
  ],
};

describe("a Postman collection", () => {
  it("has its scripts' variables as keys, its own values filled in, and its requests in order", async () => {
    const done = await generated("postman", COLLECTION);
    expect(needs(done)).toEqual([
      "create_order /v1/orders () -> order_id",
      "pay /v1/orders/{order_id}/pay (order_id) -> ",
      "get_customer /v1/customers/{customer_id} (customer_id) -> ",
      "health /v1/health () -> ",
    ]);
    const orders = done.texts.get("actions/orders.ts")!;
    expect(orders).toContain('read<string>(response, "data", "id")');
    expect(orders).toContain("amount: ");
    expect(orders).toContain("email: context.data.email()");
    expect(done.all).not.toMatch(/(?:bearer|body)-secret/);
    expect(done.plan.login).toEqual({ kind: "bearer", variable: "API_TOKEN" });
    expect(done.plan.setup!.map(({ key }) => key)).toEqual(["customer_id"]);
    expect(done.plan.notInferred.map(({ action, what }) => `${action}: ${what}`)).toEqual([
      "create_order: password",
      "get_customer: x",
      "get_customer: value of customer_id",
    ]);
    expect(done.plan.warnings).toEqual(['seqqa left out "Socket", because it is not an HTTP request that can be sent.']);
    expect(done.texts.get("journeys/shop-api.ts")).toContain("action: getCustomer.run, expectFailure: 404");
  });

  it("writes no secret variable and no credentials of a folder, and says what bodies lack", async () => {
    const request = { method: "POST", url: "http://127.0.0.1/a/{{key}}", header: [{ key: "X-Custom", value: "{{key}}" }] };
    const file = { key: "photo", type: "file", src: "/tmp/a.png" };
    const done = await generated("postman", {
      info,
      variable: [
        { key: "key", value: "variable-secret-1", type: "secret" },
        { key: "api_token", value: "named-secret-1" },
      ],
      item: [
        {
          name: "Folder",
          auth: {
            type: "apikey",
            apikey: [
              { key: "key", value: "X-Key" },
              { key: "value", value: "folder-secret-1" },
            ],
          },
          item: [
            { name: "One", request },
            { name: "Two", request: { ...request, url: "http://127.0.0.1/b?x={{api_token}}&y=folder-secret-1" } },
            {
              name: "Upload",
              request: { ...request, url: "http://127.0.0.1/c", body: { mode: "formdata", formdata: [file, { key: "n", value: "1" }] } },
            },
            { name: "Raw", request: { ...request, url: "http://127.0.0.1/d", body: { mode: "file", file: { src: "/tmp/a.bin" } } } },
            {
              name: "Query",
              request: {
                ...request,
                url: "http://127.0.0.1/graphql",
                body: { mode: "graphql", graphql: { query: "{ a }", variables: '{"n": 1}' } },
              },
            },
          ],
        },
      ],
    });
    expect(done.all).not.toMatch(/(?:variable|named|folder)-secret/);
    expect(done.all).toContain('multipart: { n: "1" }');
    expect(done.all.replaceAll(/\s+/g, " ")).toContain('json: { query: "{ a }", variables: { n: 1 } }');
    expect(done.plan.notInferred.map(({ action, what }) => `${action}: ${what}`)).toEqual([
      "one: path",
      "two: x",
      "two: y",
      'upload: file "photo"',
      "raw: body (file)",
    ]);
  });

  it("has JSON bodies with comments, a comma at the end, and variables inside and outside of strings", async () => {
    const raw = '{"n": {{n}}, "both": "{{n}}, {{$guid}}", "list": [{{n}}, "{{n}}"], // {{n}}\n "password": "body-secret-1",}';
    const done = await generated("postman", {
      info,
      item: [
        { name: "One", request: { method: "POST", url: "http://127.0.0.1/a", header, body: { mode: "raw", raw } } },
        { name: "Two", request: { method: "POST", url: "http://127.0.0.1/b", body: { mode: "raw", raw: "[{{n}}] is no JSON: {{n}}" } } },
      ],
    });
    expect(done.plan.actions.map(({ body }) => body?.as)).toEqual(["json", "text"]);
    const n = { kind: "context", key: "n" };
    expect(done.plan.actions[0]!.body!.value).toMatchObject({
      entries: [
        ["n", n],
        ["both", { kind: "constant", value: "{{n}}, {{$guid}}" }],
        ["list", { kind: "list", items: [n, n] }],
        ["password", { kind: "environment", name: "API_PASSWORD" }],
      ],
    });
    expect(done.plan.actions[1]!.body!.value).toEqual({ kind: "constant", value: "[{{n}}] is no JSON: {{n}}" });
    expect(done.all).not.toContain("body-secret");
  });

  it("is linked by its saved examples where no script sets a variable", async () => {
    const id = "0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0";
    const done = await generated("postman", {
      info,
      item: [
        { name: "Create", request: { method: "POST", url: "http://127.0.0.1/orders" }, response: [{ code: 201, body: `{"id":"${id}"}` }] },
        { name: "Read", request: { method: "GET", url: `http://127.0.0.1/orders/${id}` } },
      ],
    });
    expect(needs(done)).toEqual(["create /orders () -> order_id", "read /orders/{order_id} (order_id) -> "]);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["an environment", { name: "local", values: [] }, /^shop\.json is not a Postman collection\.$/],
    ["one without requests", { info, item: [] }, /contains no call of an API/],
    [
      "a loop of variables",
      {
        info,
        variable: [
          { key: "a", value: "{{b}}{{b}}" },
          { key: "b", value: "{{a}}{{a}}" },
        ],
        item: [{ request: "{{a}}" }],
      },
      /contains no call of an API/,
    ],
  ])("refuses %s", async (_what, document, message) => {
    await expect(generated("postman", document)).rejects.toThrow(message);
  });
});
