import { describe, expect, it } from "vitest";
import type { PlannedValue } from "../../../../src/scaffold/infer/plan.ts";
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
    const raw = '{"n": {{n}}, "both": "{{n}}, {{$guid}}", "list": [{{n}}, "{{constructor}}"], // {{n}}\n "password": "body-secret-1",}';
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
        ["list", { kind: "list", items: [n, { kind: "context", key: "constructor_value" }] }],
        ["password", { kind: "environment", name: "API_PASSWORD" }],
      ],
    });
    expect(done.plan.actions[1]!.body!.value).toEqual({ kind: "constant", value: "[{{n}}] is no JSON: {{n}}" });
    expect(done.all).not.toContain("body-secret");
  });

  it('has URLs without "raw", and URLs whose scheme, host or port is a variable', async () => {
    const url = { protocol: "https", host: ["api", "example", "com"], port: "8443", path: ["v1", { value: "things" }, ":id"] };
    const variable = [{ key: "id", value: "7" }];
    const query = [
      { key: "page", value: "1" },
      { key: "off", value: "1", disabled: true },
    ];
    const done = await generated("postman", { info, item: [{ name: "One", request: { url: { ...url, variable, query } } }] });
    expect(needs(done)).toEqual(["one /v1/things/7 () -> "]);
    expect(done.plan).toMatchObject({ baseUrl: "https://api.example.com:8443", warnings: [] });
    expect(done.plan.actions[0]!.parameters.map(({ name, value }) => [name, value])).toEqual([["page", { kind: "constant", value: "1" }]]);
    for (const start of [
      "{{protocol}}://{{host}}",
      "{{host}}:{{port}}",
      "https://{{tenant}}.example.com",
      "{{host}}{{port}}",
      "{{base url}}",
    ]) {
      const other = await generated("postman", { info, item: [{ name: "Two", request: `${start}/x/{{a b}}?q={{q}}` }] });
      expect([start, ...needs(other)]).toEqual([start, "two /x/{a_b} (a_b,q) -> "]);
      expect(other.plan.baseUrl).toBe("http://127.0.0.1:3000");
    }
    const joined = await generated("postman", { info, item: [{ name: "Three", request: { url: { host: ["{{base}}x"], path: "y/z" } } }] });
    expect(needs(joined)).toEqual(["three /x/y/z () -> "]);
  });

  it("takes the authentication that most requests have, also from a folder, and none of a request without", async () => {
    const bearer = { type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] };
    const basic = { type: "basic", basic: [{ key: "password", value: "basic-secret-1" }] };
    const [one, two, three] = ["a", "b", "c"].map((name) => ({ name, request: { url: `http://127.0.0.1/${name}` } }));
    const open = { name: "open", request: { url: "http://127.0.0.1/open", auth: { type: "noauth" } } };
    const inFolder = await generated("postman", { info, item: [{ auth: basic, item: [{ item: [one] }] }, open] });
    expect(inFolder.plan.login).toMatchObject({ kind: "basic" });
    const most = await generated("postman", { info, auth: bearer, item: [open, one, { auth: basic, item: [two, three] }] });
    expect(most.plan.login).toMatchObject({ kind: "basic" });
    const inherited = await generated("postman", {
      info,
      auth: bearer,
      item: [open, { item: [one, two] }, { auth: basic, item: [three] }],
    });
    expect(inherited.plan.login).toMatchObject({ kind: "bearer" });
    const none = await generated("postman", { info, auth: bearer, item: [open] });
    expect(none.plan.login).toBeUndefined();
  });

  it.each<readonly [string, object, object | undefined]>([
    [
      "a header",
      { item: [{ name: "One", request: { url: "http://127.0.0.1/a", header: [{ key: "Authorization", value: "Token {{my token}}" }] } }] },
      undefined,
    ],
    ["its authentication", { item: [] }, { type: "apikey", apikey: { key: "Authorization", value: "Token {{token}}", in: "header" } }],
  ])("sends the token of a login as %s does", async (_what, { item }: { readonly item?: readonly object[] }, auth) => {
    const request = {
      method: "POST",
      url: "http://127.0.0.1/login",
      header,
      body: { mode: "raw", raw: '{"email":"{{e}}","password":"{{p}}"}' },
    };
    const login = { name: "Log in", request, response: [{ code: 200, body: '{"token":"body-secret-1"}' }] };
    const other = { name: "Other", request: { url: "http://127.0.0.1/other" } };
    const done = await generated("postman", { info, auth, item: [login, ...item!, other] });
    expect(done.plan.login).toMatchObject({ kind: "operation", header: { name: "authorization", scheme: "Token" } });
    const without = await generated("postman", { info, auth, item: [...item!, other] });
    expect(without.plan.login).toMatchObject({ kind: "apiKey", in: "header", name: "authorization", scheme: "Token" });
  });

  const form = (...names: readonly string[]) => ({ mode: "urlencoded", urlencoded: names.map((key) => ({ key, value: `{{${key}}}` })) });
  const get = (name: string, ...headers: readonly (readonly [string, string])[]) => ({
    name,
    request: { url: `http://127.0.0.1/${name}`, header: headers.map(([key, value]) => ({ key, value })) },
  });
  const oauth = (answer: object, headers: readonly object[] = [], event: readonly object[] = []) => ({
    name: "Log in",
    event,
    request: { method: "POST", url: "http://127.0.0.1/oauth/token", header: headers, body: form("username", "password") },
    response: [{ code: 200, body: JSON.stringify(answer) }],
  });
  const client = { key: "Authorization", value: "Basic {{client}}" };

  it("sends the token of a login as Bearer, if its authentication says it, and not as the login itself is sent", async () => {
    const auth = { type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] };
    const login = oauth({ access_token: "x" }, [client]);
    const { plan, texts } = await generated("postman", { info, auth, item: [login, get("a"), get("b", ["X-Tenant-Token", "{{tenant}}"])] });
    expect(plan.login).toMatchObject({ kind: "operation", token: ["access_token"], header: undefined });
    expect(texts.get("session.ts")).toContain("api.setAuthToken(token)");
    const revoke = get("revoke", ["Authorization", "Basic {{client}}"]);
    const own = await generated("postman", { info, item: [login, get("a", ["Authorization", "Token {{t}}"]), revoke, revoke] });
    expect(own.plan.login).toMatchObject({ kind: "operation", header: { name: "authorization", scheme: "Token" } });
  });

  it("sends the token of a login in the header whose variable the script of the login sets, or that most calls have", async () => {
    const calls = [
      get("a", ["X-Auth-Token", "{{ token }}"], ["X-Api-Key", "{{apiKey}}"]),
      get("b", ["X-Api-Key", "{{apiKey}}"], ["X-Tenant-Token", "{{tenant}}"]),
      get("c", ["X-Api-Key", "{{apiKey}}"], ["X-Tenant-Token", "{{tenant}}"]),
      get("d", ["Authorization", "Bearer {{admin}}"]),
    ];
    const set = script(
      'pm.environment.set("user", pm.response.json().user);',
      'pm.environment.set("token", pm.response.json().data.value);',
    );
    const answer = { user: "ada", token: "no", data: { value: "body-secret-1" } };
    const found = await generated("postman", { info, item: [oauth(answer, [client], set), ...calls] });
    expect(found.plan.login).toMatchObject({ token: ["data", "value"], header: { name: "x-auth-token", scheme: "" } });
    const most = await generated("postman", { info, item: [oauth({ token: "x" }, [client]), ...calls] });
    expect(most.plan.login).toMatchObject({ token: ["token"], header: { name: "x-tenant-token", scheme: "" } });
    const asTenant = oauth({ token: "x" }, [{ key: "X-Tenant-Token", value: "{{tenant}}" }]);
    const other = await generated("postman", { info, item: [asTenant, ...calls] });
    expect(other.plan.login).toMatchObject({ token: ["token"], header: undefined });
    const auth = { type: "apikey", apikey: { key: "X-Auth-Token", value: "{{token}}", in: "header" } };
    const inherited = await generated("postman", { info, auth, item: [oauth({ token: "x" }), get("a")] });
    expect(inherited.plan.login).toMatchObject({ token: ["token"], header: { name: "x-auth-token", scheme: "" } });
  });

  const bearerToken = { type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] };
  const noauth = { type: "noauth" };
  const credentials = { mode: "raw", raw: '{"email":"{{email}}","password":"{{password}}"}' };
  const post = (name: string, event: readonly object[] = []) => ({
    name,
    event,
    request: { auth: noauth, method: "POST", url: `http://127.0.0.1/${name}`, header, body: credentials },
  });

  it("logs in with the call whose script sets the token, without a saved answer, and registers the user before", async () => {
    const item = [post("users"), post("sessions", script('pm.collectionVariables.set("token", pm.response.json().token);')), get("orders")];
    const variable = [
      { key: "email", value: "pat@example.com" },
      { key: "password", value: "body-secret-1" },
      { key: "token", value: "" },
    ];
    const done = await generated("postman", { info, auth: bearerToken, variable, item });
    expect(done.plan.login).toMatchObject({
      kind: "operation",
      token: ["token"],
      header: undefined,
      register: { action: { operation: { path: "/users" } } },
    });
    expect(done.plan.keys).toEqual([]);
    expect(done.texts.get("session.ts")).toContain('fromEnvironment("API_USER", "alice@example.com")');
    expect(needs(done)).toEqual(["users /users () -> ", "orders /orders () -> "]);
    expect(done.texts.get("actions/users.ts")).toContain("< MOST_OF_A_KIND");
    const unknown = await generated("postman", { info, auth: bearerToken, item });
    expect(unknown.plan).toMatchObject({ login: { register: {} }, keys: [] });
    expect(unknown.texts.get("session.ts")).toContain('fromEnvironment("API_USER", "alice@example.com")');
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["a variable", ["const token = pm.response.json().access_token;", 'pm.environment.set("token", token);'], ["access_token"]],
    ["a variable of a part", ["var d = JSON.parse(responseBody).data", 'postman.setGlobalVariable("token", d.jwt)'], ["data", "jwt"]],
    ["a default", ["var user = JSON.parse(responseBody).user || {};", "pm.globals.set('token', user.token);"], ["user", "token"]],
    ["parts", ["const { user, token: jwt } = pm.response.json().data;", "pm.globals.set('token', jwt);"], ["data", "token"]],
    ["a condition", ['if (pm.response.code === 200) { pm.environment.set("token", pm.response.json().token); }'], ["token"]],
    ["a test", ['pm.test("has a token", () => pm.environment.set("token", pm.response.json()["token"]));'], ["token"]],
    [
      "several lines",
      ["const body = pm.response.json();", "pm.environment.set(", '  "token",', "  body?.auth.token", ");"],
      ["auth", "token"],
    ],
    ["a comment before", ['// pm.environment.set("token", o.id);', 'pm.environment.set("token", o.token);'], ["token"]],
  ])("logs in with a script that has %s", async (_what, lines, token) => {
    const { plan } = await generated("postman", { info, auth: bearerToken, item: [post("login", script(...lines)), get("orders")] });
    expect(plan.login).toMatchObject({ kind: "operation", token, header: undefined });
  });

  it.each<readonly [string, readonly [string, string], object | undefined]>([
    ['"Bearer " + body.token', ["Authorization", "{{token}}"], undefined],
    ["`Token ${body.token}`", ["Authorization", "{{token}}"], { name: "authorization", scheme: "Token" }],
    ["body.token", ["Authorization", "Bearer {{token}}"], undefined],
  ])("sends the token with the scheme that the script or the header has: %s", async (value, sent, expected) => {
    const item = [post("login", script(`pm.environment.set("token", ${value});`)), get("orders", sent)];
    expect((await generated("postman", { info, item })).plan.login).toMatchObject({ token: ["token"], header: expected });
  });

  it("logs in with the header of the answer from which the script takes the token", async () => {
    const set = script('pm.environment.set("token", pm.response.headers.get("X-Token"));');
    const { plan, texts } = await generated("postman", { info, auth: bearerToken, item: [post("login", set), get("orders")] });
    expect(plan.login).toMatchObject({ kind: "operation", token: [], answerHeader: "x-token", header: undefined });
    expect(texts.get("session.ts")).toContain(
      'const token = response.headers["x-token"]?.replace(/^Bearer /i, "");\n  if (token === undefined) throw',
    );
    expect(texts.get("session.ts")).toContain('import { fromEnvironment } from "./support.ts";');
    expect(texts.get("seqqa.yaml")).toMatch(/redact: .*x-token/);
    const whole = await generated("postman", { info, item: [post("login", set), get("orders", ["Authorization", "{{token}}"])] });
    expect(whole.texts.get("session.ts")).toContain('const token = response.headers["x-token"];');
    expect(whole.texts.get("session.ts")).toContain('api.setHeader("authorization", token);');
  });

  it("logs in by cookie if no call carries a token, and takes no login whose token it cannot find", async () => {
    const cookie = script('pm.environment.set("sid", pm.cookies.get("sid"));');
    for (const calls of [[post("login")], [post("login", cookie), get("b", ["Cookie", "sid={{sid}}"])]])
      expect((await generated("postman", { info, item: [...calls, get("orders")] })).plan.login).toMatchObject({
        kind: "operation",
        token: [],
      });
    for (const lines of [[], ['pm.environment.set("token", pm.response.code);']])
      expect(
        (await generated("postman", { info, auth: bearerToken, item: [post("login", script(...lines)), get("orders")] })).plan.login,
      ).toEqual({
        kind: "bearer",
        variable: "API_TOKEN",
      });
  });

  it("takes an id that the script of the login sets from the answer of the login", async () => {
    const set = script(
      "const body = pm.response.json();",
      'pm.globals.set("token", body.token);',
      'pm.globals.set("userId", body.user.id);',
    );
    const done = await generated("postman", { info, auth: bearerToken, item: [post("login", set), get("users/{{userId}}")] });
    expect(needs(done)).toEqual(["users_user_id /users/{user_id} (user_id) -> "]);
    expect(done.plan).toMatchObject({ setup: [], keys: [{ key: "user_id" }] });
    expect(done.texts.get("session.ts")).toContain('const userId = read<string | number>(response, "user", "id");');
  });

  it("shares what only requests without an authentication read", async () => {
    const id = "0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0";
    const list = (auth?: object) => ({
      name: "Items",
      request: { auth, url: "http://127.0.0.1/items" },
      response: [{ code: 200, body: `[{"id":"${id}"}]` }],
    });
    const shared = async (...item: readonly object[]) =>
      (await generated("postman", { info, auth: bearerToken, item: [...item, get("orders"), get(`items/${id}`)] })).plan.shared;
    expect(await shared(list(noauth))).toEqual(["item_id"]);
    expect(await shared(list())).toEqual([]);
    expect(await shared(list({ type: "digest" }))).toEqual([]);
  });

  it("says that it left out the requests of scripts", async () => {
    const event = [{ listen: "prerequest", script: { exec: ['pm.sendRequest("http://127.0.0.1/login", () => undefined);'] } }];
    const { plan } = await generated("postman", { info, event, auth: bearerToken, item: [get("orders")] });
    expect(plan.warnings).toEqual(["seqqa left out the requests that scripts send with pm.sendRequest."]);
  });

  it("does not fill in variables that a script sets, but fills in the server", async () => {
    const done = await generated("postman", {
      info,
      variable: [
        { key: "base", value: "http://127.0.0.1:8080/v2" },
        { key: "orderId", value: "o-old" },
        { key: "other", value: "x-old" },
      ],
      event: [{ listen: "prerequest", script: { exec: ["pm.collectionVariables.set('base', pm.environment.get('b'));"] } }],
      item: [
        {
          name: "Create",
          event: script(
            "var data = JSON.parse(responseBody);",
            'postman.setEnvironmentVariable("orderId", data.id);',
            'pm.environment.set("orderToken", data.token);',
          ),
          request: { method: "POST", url: "{{base}}/orders" },
        },
        {
          name: "Pay",
          event: script('pm.environment.set("other", String(Math.random()));'),
          request: {
            method: "POST",
            url: "{{base}}/orders/{{orderId}}/pay/{{other}}",
            header,
            body: { mode: "raw", raw: '{"token": "{{orderToken}}"}' },
          },
        },
      ],
    });
    expect(needs(done)).toEqual([
      "create /v2/orders () -> order_id,order_token",
      "pay /v2/orders/{order_id}/pay/{other} (order_id,other,order_token) -> ",
    ]);
    expect(done.plan.baseUrl).toBe("http://127.0.0.1:8080");
  });

  it("keeps the requests to one server, and says which it left out", async () => {
    const [api, other] = ["http://127.0.0.1:8080", "https://other.example.com"];
    const item = [
      { name: "Log in", request: { method: "POST", url: "{{auth}}/oauth/token" } },
      { name: "One", request: { method: "POST", url: `${api}/a` } },
      { name: "Two", request: { method: "GET", url: `${api}/b` } },
      { name: "Three", request: { method: "GET", url: `${other}/c`, auth: { type: "basic" } } },
      { name: "Four", request: { method: "GET", url: "https://ada:url-secret-1@{{host}}/d" } },
      { name: "Five", request: { method: "GET", url: "http://{{user}}:{{pw}}@127.0.0.1:8080/e" } },
    ];
    const done = await generated("postman", { info, item });
    expect(needs(done)).toEqual(["one /a () -> ", "two /b () -> ", "five /e () -> "]);
    expect(done.all).not.toContain("url-secret-1");
    expect(done.plan).toMatchObject({ baseUrl: api, login: undefined });
    expect(done.plan.warnings).toEqual([
      'seqqa left out "Log in", because it is sent to {{auth}}, and most requests are sent to http://127.0.0.1:8080.',
      'seqqa left out "Three", because it is sent to https://other.example.com, and most requests are sent to http://127.0.0.1:8080.',
      'seqqa left out "Four", because it is sent to https://{{host}}, and most requests are sent to http://127.0.0.1:8080.',
    ]);
  });

  it("has numbers and times for dynamic variables, and says for which others it sends a word", async () => {
    const raw =
      '{"n": {{$randomInt}}, "at": "{{$isoTimestamp}}", "name": "order-{{$timestamp}}", "on": {{$randomBoolean}}, "id": "{{$guid}}", "odd": "{{$randomBs}}"}';
    const request = { method: "POST", url: "http://127.0.0.1/a?t={{$timestamp}}", header, body: { mode: "raw", raw } };
    const done = await generated("postman", { info, item: [{ name: "One", request }] });
    const [{ body, parameters }] = done.plan.actions as [(typeof done.plan.actions)[0]];
    const constants = Object.fromEntries(
      (body!.value as Extract<PlannedValue, { readonly kind: "object" }>).entries.map(([name, value]) => [
        name,
        value.kind === "constant" ? value.value : value,
      ]),
    );
    expect(constants).toEqual({
      n: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      name: expect.stringMatching(/^order-\d{10}$/),
      on: true,
      id: { kind: "drawn", call: "uuid" },
      odd: { kind: "drawn", call: "word" },
    });
    expect(parameters[0]!.value).toEqual({ kind: "constant", value: expect.stringMatching(/^\d{10}$/) });
    expect(done.plan.notInferred.map(({ what, hint }) => [what, hint.includes("$randomBs")])).toEqual([["odd", true]]);
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
        item: [{ request: "ws://{{a}}" }],
      },
      /contains no call of an API/,
    ],
  ])("refuses %s", async (_what, document, message) => {
    await expect(generated("postman", document)).rejects.toThrow(message);
  });
});
