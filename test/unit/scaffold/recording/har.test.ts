import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { size } from "../../../sizes.ts";
import { generated, har, type Generated, type Sent } from "./recordings.ts";
import { codePoint } from "../../../support/code-point.ts";

const API = "http://127.0.0.1:3000/api/v1";
const UUID = "0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0";
const needs = ({ plan }: Generated): readonly string[] =>
  plan.actions.map(({ name, needs: keys, produces }) => `${name}(${keys.join(",")}) -> ${produces.map(({ key }) => key).join(",")}`);

describe("a body that cannot be sent again", () => {
  it("is noted: multipart text, and files of forms", async () => {
    const archive = har([
      { url: `${API}/a`, form: "x" },
      { url: `${API}/b`, form: "x" },
    ]) as { log: { entries: { request: { postData: object } }[] } };
    const [first, second] = archive.log.entries;
    first!.request.postData = { mimeType: "multipart/form-data; boundary=x", text: "--x\r\n" };
    second!.request.postData = {
      mimeType: "multipart/form-data",
      params: [
        { name: "n", value: "1" },
        { name: "photo", fileName: "a.png" },
      ],
    };
    const done = await generated("har", archive);
    expect(done.plan.notInferred.map(({ what }) => what)).toEqual(["body (multipart/form-data)", 'file "photo"']);
    expect(done.all).toContain('multipart: { n: "1" }');
  });
});

describe("values of answers that later requests send", () => {
  it("are linked in paths, queries and bodies, and in a list's items", async () => {
    const done = await generated(
      "har",
      har([
        {
          url: `${API}/products`,
          answer: {
            items: [
              { id: 7, name: "lamp" },
              { id: 9, name: "desk" },
            ],
          },
        },
        { url: `${API}/orders`, json: { product_id: 9, quantity: 7 }, status: 201, answer: { data: { id: UUID, quantity: 7 } } },
        { url: `${API}/orders/${UUID}/pay`, json: { amount: 7 } },
        { url: `${API}/refunds?order=${UUID}` },
      ]),
    );
    expect(needs(done)).toEqual([
      "list_products() -> product_id",
      "create_order(product_id) -> order_id",
      "post_order_pay(order_id) -> ",
      "list_refunds(order_id) -> ",
    ]);
    expect(done.texts.get("actions/products.ts")).toContain('read<number>(response, "items", 1, "id")');
    expect(done.texts.get("actions/orders.ts")).toContain('json: { product_id: context.getRequired("product_id"), quantity: 7 }');
    expect(done.texts.get("actions/orders.ts")).toContain("{ json: { amount: 7 } }");
  });

  it("have a key each where there are several of a kind, and the journey sends the same as the recording", async () => {
    const done = await generated(
      "har",
      har([
        { url: `${API}/orders`, json: {}, status: 201, answer: { id: 1 } },
        { url: `${API}/orders`, json: {}, status: 201, answer: { id: 2 } },
        { url: `${API}/orders/1` },
        { method: "DELETE", url: `${API}/orders/2`, status: 204 },
        { url: `${API}/orders/2`, status: 404 },
        { url: `${API}/orders/1` },
      ]),
    );
    expect(needs(done)).toEqual([
      "create_order() -> order_id",
      "create_order_2() -> order_id_2",
      "get_order(order_id) -> ",
      "delete_order(order_id_2) -> ",
      "get_order_2(order_id_2) -> ",
    ]);
    expect(
      [...done.texts.get("journeys/shop.ts")!.matchAll(/name: "(\w+)", action: \w+\.run(.*?) \}\)/g)].map(
        ([, name, rest]) => name! + rest!,
      ),
    ).toEqual(["create_order", "create_order_2", "get_order", "delete_order", "get_order_2, expectFailure: 404", "get_order"]);
    // The recording looks at what was deleted.
    expect(done.plan.actions.flatMap(({ frees }) => frees)).toEqual([]);
  });

  it("are ids above 2^53 with all their digits, also if they differ only in the last", async () => {
    const archive = har([
      { url: `${API}/orders`, answer: {} },
      { url: `${API}/orders/9007199254740993` },
      { url: `${API}/refunds`, form: "x" },
      { url: `${API}/others/1e400` },
    ]) as { log: { entries: { request: { postData?: object }; response: { content: object } }[] } };
    const [first, , third] = archive.log.entries;
    first!.response.content = {
      mimeType: "application/json",
      text: '{"items":[{"id":9007199254740992},{"id":9007199254740993,"text":"\\"9007199254740994: 9007199254740995"}]}',
    };
    third!.request.postData = { mimeType: "application/json", text: '{"order_id":9007199254740993,"at":1.2345678901234567890,"n":12}' };
    const done = await generated("har", archive);
    expect(needs(done).slice(0, 3)).toEqual(["list_orders() -> order_id", "get_order(order_id) -> ", "create_refund(order_id) -> "]);
    expect(done.texts.get("actions/orders.ts")).toContain('read<string>(response, "items", 1, "id")');
    expect(done.texts.get("actions/refunds.ts")).toContain("n: 12");
  });

  it("are no entity tags: If-Match accepts every version", async () => {
    const done = await generated("har", har([{ method: "PUT", url: `${API}/orders/x`, headers: { "If-Match": '"3"' } }]));
    expect(done.all).toContain('"if-match": "*"');
  });

  it("are kept after a delete only while a later call sends them", async () => {
    const made = (id: number): Sent => ({ url: `${API}/orders`, json: { n: id }, status: 201, answer: { id: `order-${id}` } });
    const deleted = (id: number): Sent => ({ method: "DELETE", url: `${API}/orders/order-${id}`, status: 204 });
    const done = await generated(
      "har",
      har([
        made(1),
        made(2),
        made(3),
        deleted(1),
        deleted(2),
        deleted(3),
        { url: `${API}/refunds`, json: { a: [{ order_id: "order-2" }] } },
      ]),
    );
    expect(done.plan.actions.map(({ frees }) => frees.join())).toEqual(["", "", "", "order_id", "", "order_id_3", ""]);
  });

  it("are no ids that the request of the answer has sent: an order does not create its item", async () => {
    const order: Sent = {
      url: `${API}/orders`,
      json: { item_id: 1, quantity: 2 },
      status: 201,
      answer: { id: 5, item_id: 1, payment_id: 2 },
    };
    const done = await generated(
      "har",
      har([order, { url: `${API}/items/1` }, { url: `${API}/payments/2` }, { url: `${API}/items`, answer: [{ id: 1 }] }, order]),
    );
    expect(needs(done)).toEqual([
      "create_order() -> payment_id",
      "list_items() -> ",
      "get_payment(payment_id) -> ",
      expect.stringMatching(/^list_items_\w+\(\) -> item_id$/),
      "create_order_2(item_id) -> ",
    ]);
  });

  it("are not linked where they are equal by chance", async () => {
    const done = await generated(
      "har",
      har([
        { url: `${API}/users/me`, answer: { id: 1, plan: "basic", since: "2026-11-21T08:30:20.000Z" } },
        { url: `${API}/plans/basic` },
        { url: `${API}/orders/1` },
        { url: `${API}/orders`, json: { count: 1, at: "2026-11-21T08:30:20.000Z" } },
      ]),
    );
    expect(done.plan.keys).toEqual([]);
  });
});

describe("secrets of a recording", () => {
  const secret = (n: number): string => `s3cret-value-${n}`;
  const headers = { authorization: `Bearer ${secret(1)}`, cookie: `sid=${secret(2)}`, "x-api-key": secret(3), "x-tenant": "acme" };
  const sent: readonly Sent[] = [
    {
      url: `${API}/session`,
      json: { email: "ada@example.com", password: secret(4) },
      answer: { user: { token: secret(1) } },
      answerHeaders: { "set-cookie": `sid=${secret(2)}` },
    },
    {
      url: `${API}/orders?access_token=${secret(5)}`,
      headers,
      json: { client_secret: secret(6), note: `see ${secret(1)}` },
      status: 201,
      answer: { id: UUID, api_key: secret(7) },
    },
    { url: `${API}/cards`, headers, form: `number=1&token=${secret(8)}`, answer: {} },
    { url: `${API}/hooks/${secret(5)}`, headers },
    {
      url: `${API}/orders/${UUID}?key=${secret(7)}`,
      headers: { authorization: `Basic ${Buffer.from(`ada:${secret(9)}`).toString("base64")}` },
    },
  ];

  it("are in no file, but in variables of the environment", async () => {
    const { all, plan, texts } = await generated("har", har(sent));
    expect(all).not.toMatch(/s3cret-value/);
    expect(all).not.toContain(Buffer.from("ada:").toString("base64").slice(0, 5));
    expect(plan.login).toMatchObject({ kind: "operation", token: ["user", "token"], userField: "email" });
    expect(texts.get("session.ts")).toContain('fromEnvironment("API_PASSWORD"');
    expect(texts.get("actions/orders.ts")).toContain('client_secret: fromEnvironment("API_CLIENT_SECRET", "")');
    expect(texts.get("actions/orders.ts")).toContain('"x-tenant": "acme"');
    expect(texts.get("journeys/shop.ts")).toContain("logIn(api, users.alice)");
  });

  it.each(["x-auth-key", "x-functions-key", "accessKey", "privateKey", "signingKey", "subscriptionKey", "stripeKey", "sig", "pass"])(
    "are found by the name %s, in headers, queries and bodies",
    async (name) => {
      const { all } = await generated(
        "har",
        har([
          { url: `${API}/a?${name}=${secret(1)}`, headers: { "x-api-key": "other-key-1", [name]: secret(2) }, json: { [name]: secret(3) } },
          { url: `${API}/b?key=AIza${secret(4)}` },
        ]),
      );
      expect(all).not.toMatch(/s3cret-value/);
    },
  );

  it.each(["ab/cd+ef/1s3cret==", "s3cret!$1", "-----BEGIN KEY-----\ns3cret x\n-----END KEY-----"])(
    "are values of other keys that look random: %j",
    async (value) => {
      const { all } = await generated("har", har([{ url: `${API}/a`, json: { stripe_key: value } }]));
      expect(all).not.toContain("s3cret");
    },
  );

  it("are not assumed in keys that are no secrets, in numbers, and in texts that equal a harmless cookie", async () => {
    const harmless = {
      sortKey: "created",
      foreign_key: "customer",
      primaryKey: "id",
      partition_key: "region-1",
      cacheKey: "home-2026",
      monkey: "macaque",
      spaceKey: "ENG",
      start_key: "a",
      product_key: "blue-shirt",
      document_key: "invoices/latest.pdf",
      key: "theme",
      max_tokens: 100,
      used_tokens: "100",
      refresh: 30,
      plan: "default",
      since: "2026-11-21",
    };
    const headers = { cookie: "sid=s3cret-value-1; view=default; seen=2026-11-21", "x-idempotency-key": "0d6fe8ff" };
    const { all, plan } = await generated("har", har([{ url: `${API}/orders?key=theme&max_tokens=100000`, headers, json: harmless }]));
    expect(plan.actions[0]!.body!.value).toEqual({
      kind: "object",
      entries: Object.entries(harmless).map(([name, value]) => [name, { kind: "constant", value }]),
    });
    expect(all.replaceAll(/\s+/g, " ")).toContain('query: { key: "theme", max_tokens: "100000" }');
    expect(all).toContain('"x-idempotency-key": context.data.uuid()');
    expect(plan.notInferred).toEqual([]);
  });

  const texts: readonly (readonly [string, string, string])[] = [
    ["XML", "text/xml", `<e:Body><w:Password Type="t">${secret(1)}</w:Password><pass><![CDATA[${secret(2)}]]></pass></e:Body>`],
    ["attributes", "application/xml", `<login user="ada" password="${secret(1)}"/>`],
    ["GraphQL", "application/json", JSON.stringify({ query: `mutation { login(password: "${secret(1)}") { token } }` })],
    ["JSON in JSON", "application/json", JSON.stringify({ payload: JSON.stringify({ password: secret(1), client_secret: secret(2) }) })],
    ["lines of JSON", "application/x-ndjson", `{"token":"${secret(1)}"}\n{"token":"${secret(2)}"}`],
    ["a form", "text/x-own", `a=1&password=${secret(1)}`],
    ["JSON with comments", "application/json", `{ "password": "${secret(1)}", // mine\n "a": [1,],\n}`],
  ];
  it.each(texts)("are found in texts: %s", async (_what, mimeType, text) => {
    const archive = har([{ url: `${API}/things`, form: "x" }, { url: `${API}/other/${secret(1)}` }]) as {
      log: { entries: { request: { postData: object } }[] };
    };
    archive.log.entries[0]!.request.postData = { mimeType, text };
    const { all, plan } = await generated("har", archive);
    expect(all.includes("s3cret-value")).toBe(false);
    expect(plan.notInferred[0]!.hint).toContain("Set the environment variable API_");
  });

  it.each([
    "query Me($password: String!, $token: ID = null) { me(password: $password) { token: accessToken, session { id } } }",
    '<e:Envelope xmlns:auth="http://example.com/auth"><auth:Header/><token/></e:Envelope>',
    '{"max_tokens": 100, "password": ""}',
  ])("are not found in a text without one: %s", async (query) => {
    const { plan } = await generated("har", har([{ url: `${API}/things`, json: { query } }]));
    expect(plan.notInferred).toEqual([]);
  });

  it("are listed, each with its variable of the environment", async () => {
    const json = { client_secret: secret(1), card: { cvv: "123", pin: 1234 }, token: "482913" };
    const call = { url: `${API}/cards?api_key=${secret(3)}&sig=${secret(2)}`, json };
    const { texts, plan } = await generated("har", har([call, call]));
    expect(plan.notInferred.map(({ action, what, hint }) => [action, what, /API_\w+/.exec(hint)?.[0]])).toEqual([
      ["create_card", "sig", "API_SIG"],
      ["create_card", "client_secret", "API_CLIENT_SECRET"],
      ["create_card", "cvv", "API_CVV"],
      ["create_card", "pin", "API_PIN"],
      ["create_card", "token", "API_TOKEN"],
    ]);
    expect(texts.get("README.md")).toContain("API\\_CLIENT\\_SECRET");
    expect(texts.get("actions/cards.ts")).toContain("To do: client_secret: ");
  });

  it.each<readonly [string, Partial<Sent>, object | undefined]>([
    ["a bearer token", { headers: { Authorization: "Bearer abcdefgh" } }, { kind: "bearer", variable: "API_TOKEN" }],
    ["basic", { headers: { Authorization: "Basic YTpi" } }, { kind: "basic" }],
    ["a header", { headers: { "X-Api-Key": "abcdefgh" } }, { kind: "apiKey", in: "header", name: "x-api-key" }],
    ["a header without the prefix x-", { headers: { "Ocp-Apim-Subscription-Key": "abcdefgh" } }, { kind: "apiKey", in: "header" }],
    ["a query", { url: `${API}/orders?api_key=abcdefgh` }, { kind: "apiKey", in: "query", name: "api_key" }],
    ["a cookie", { headers: { Cookie: "theme=dark; session_id=abcdefgh" } }, { kind: "apiKey", in: "cookie", name: "session_id" }],
    [
      "a cookie that a login sets",
      { url: `${API}/enter`, json: { user: "ada", password: "abcdefgh" }, answerHeaders: { "Set-Cookie": "sid=abcdefgh" } },
      { kind: "operation", userField: "user", token: [] },
    ],
    [
      "a session among other cookies",
      { headers: { Cookie: "csrftoken=abcdefgh; XSRF-TOKEN=abcdefgh; sidebar=open; auth_hint=1; connect.sid=s%3Aabcdefgh" } },
      { kind: "apiKey", in: "cookie", name: "connect.sid" },
    ],
    [
      "a token of another scheme",
      { headers: { Authorization: "Token abcdefgh" } },
      { kind: "apiKey", name: "authorization", scheme: "Token" },
    ],
    [
      "a token in another header",
      {
        url: `${API}/login`,
        json: { user: "ada", password: "abcdefgh" },
        answer: { sid: "token-value-1" },
        headers: { "X-Auth-Token": "token-value-1" },
      },
      { kind: "operation", token: ["sid"], header: { name: "x-auth-token", scheme: "" } },
    ],
    [
      "a token that a header of the login's answer returns",
      {
        url: `${API}/login`,
        json: { user: "ada", password: "abcdefgh" },
        answer: {},
        answerHeaders: { Authorization: "Bearer token-value-1" },
        headers: { Authorization: "Bearer token-value-1" },
      },
      { kind: "operation", token: [], answerHeader: "authorization", header: undefined },
    ],
    [
      "a token without a scheme",
      { headers: { Authorization: "abcdefgh" }, json: { a: "abcdefgh" } },
      { kind: "apiKey", name: "authorization" },
    ],
    [
      "a token of another scheme that a login returns",
      {
        url: `${API}/login`,
        json: { user: "ada", password: "abcdefgh" },
        answer: { key: "token-value-1" },
        headers: { Authorization: "Token token-value-1" },
      },
      { kind: "operation", token: ["key"], header: { name: "authorization", scheme: "Token" } },
    ],
    ["nothing", {}, undefined],
  ])("say that calls carry %s", async (_what, more, login) => {
    const { plan, all } = await generated("har", har([{ url: `${API}/orders`, answer: [], ...more }, { url: `${API}/things` }]));
    if (login === undefined) expect(plan.login).toBeUndefined();
    else expect(plan.login).toMatchObject(login);
    expect(all).not.toContain("abcdefgh");
  });
});

describe("a recording that logs its user in", () => {
  const user = { email: "eve@example.com", password: "s3cret-of-eve" };
  const bearer = { headers: { Authorization: "Bearer token-of-eve-1" } };
  const logIn: Sent = { url: `${API}/sessions`, json: user, status: 201, answer: { token: "token-of-eve-1" } };
  const orders: Sent = { url: `${API}/orders`, ...bearer, answer: [] };
  const stepsOf = ({ texts }: Generated): readonly string[] =>
    [...texts.get("journeys/shop.ts")!.matchAll(/name: "([^"]+)", action: (?:\(api(?:, context)?\) => logIn\(api, (users\.\w+))?/g)].map(
      ([, name, of]) => (of === undefined ? name! : `${name!} ${of}`),
    );

  it("registers it before, with values of a new user in every field that must differ between users", async () => {
    const json = { user: { username: "eve", ...user, password_confirmation: user.password, plan: "free" } };
    const register: Sent = { url: `${API}/users`, json, status: 201, answer: { id: 1 } };
    const done = await generated("har", har([register, { ...logIn, json: { user } }, orders]));
    expect(done.plan.login).toMatchObject({ userField: "email", register: { userField: "email", passwordField: "password" } });
    expect(stepsOf(done)).toEqual(["create_user", "log in users.alice", "list_orders"]);
    const flat = (text: string): string => text.replaceAll(/\s+/g, " ");
    expect(flat(done.texts.get("actions/users.ts")!)).toContain(
      'user: { username: context.data.username(), email: context.data.email(), password: fromEnvironment("API_PASSWORD", "Correct-Horse-7"), ' +
        'password_confirmation: fromEnvironment("API_PASSWORD", "Correct-Horse-7"), plan: "free", }',
    );
    expect(flat(done.texts.get("session.ts")!)).toContain(
      'user: { username: user.name.replace(/@.*/, ""), email: user.name, password: user.password, ' +
        'password_confirmation: user.password, plan: "free", }',
    );
    expect(done.texts.get("session.ts")).toContain(
      'api.post("/api/v1/sessions", {\n    json: { user: { email: user.name, password: user.password } }',
    );
    expect(done.plan.notInferred).toEqual([]);
    expect(done.all).not.toMatch(/of-eve|eve@/);
  });

  it("logs in where the recording does, and as another user where the recording does", async () => {
    const other = { ...logIn, json: { ...user, email: "joe@example.com" }, answer: { token: "token-of-joe-1" } };
    const done = await generated(
      "har",
      har([
        { url: `${API}/orders`, status: 401 },
        { ...logIn, status: 401, answer: {} },
        logIn,
        orders,
        other,
        { ...orders, headers: { Authorization: "Bearer token-of-joe-1" } },
        { ...logIn, answer: { token: "token-of-eve-2" } },
      ]),
    );
    expect(stepsOf(done)).toEqual([
      "list_orders",
      "log in users.alice",
      "list_orders",
      "log in users.bob",
      "list_orders",
      "log in users.alice",
    ]);
  });

  it("logs in first if earlier calls carry credentials, or if the recording shows no credentials", async () => {
    const first = ["log in users.alice", "list_orders", "log in users.alice"];
    expect(stepsOf(await generated("har", har([orders, logIn])))).toEqual(first);
    const sanitized = { ...orders, headers: {} };
    expect(stepsOf(await generated("har", har([sanitized, logIn])))).toEqual(first);
    const refused = { ...sanitized, status: 401 };
    expect(stepsOf(await generated("har", har([refused, logIn, sanitized])))).toEqual(["list_orders", "log in users.alice", "list_orders"]);
  });

  it.each(["register", "users"])("logs in by POST /%s if this call returns the token, and no other call does", async (path) => {
    const register: Sent = { ...logIn, url: `${API}/${path}`, json: { name: "Eve", username: "eve", ...user, repeated: user.password } };
    const done = await generated("har", har([register, orders]));
    expect(done.plan.login).toMatchObject({ userField: "username", token: ["token"], register: undefined });
    expect(done.texts.get("session.ts")!.replaceAll(/\s+/g, " ")).toContain(
      'name: "Eve", username: user.name, email: `${user.name.replace(/@.*/, "")}@example.com`, password: user.password, repeated: user.password,',
    );
    expect(stepsOf(done)).toEqual(["log in users.alice", "list_orders"]);
    const both = await generated("har", har([register, orders, { url: `${API}/logout`, json: {}, ...bearer }, logIn, orders]));
    expect(both.plan.login).toMatchObject({ action: { operation: { path: "/api/v1/sessions" } }, register: { userField: "email" } });
    expect(stepsOf(both).slice(1)).toEqual(["log in users.alice", "list_orders", "post_logout", "log in users.alice", "list_orders"]);
  });

  it("does not explore a registration that sets a cookie", async () => {
    const cookie = { answerHeaders: { "set-cookie": "sid=abcdefgh" } };
    const register: Sent = { url: `${API}/signup`, json: user, status: 201, answer: {}, ...cookie };
    const login: Sent = { url: `${API}/login`, json: user, ...cookie };
    const done = await generated("har", har([register, login, { ...orders, headers: { cookie: "sid=abcdefgh" } }]));
    expect(done.plan.leftOut!.map(({ action: { operation } }) => operation.path)).toEqual(["/api/v1/signup"]);
    expect(stepsOf(done)).toEqual(["log in users.alice", "log in users.alice", "list_orders"]);
  });

  it.each([
    ["the login", {}, { user: { id: 7 } }, 'const userId = read<number>(response, "user", "id");'],
    ["the registration", { id: 7 }, {}, 'const userId = registered.ok ? read<number>(registered, "id") : undefined;'],
  ])("takes the id of the user from the answer of %s, and not the id of another user", async (_what, registered, loggedIn, line) => {
    const done = await generated(
      "har",
      har([
        { url: `${API}/users`, json: user, status: 201, answer: registered },
        { ...logIn, answer: { token: "token-of-eve-1", api_key: "key-of-eve-1", ...loggedIn } },
        { ...orders, url: `${API}/users/7/orders` },
        { url: `${API}/keys`, json: { key: "key-of-eve-1" }, ...bearer },
      ]),
    );
    expect(needs(done).slice(0, 2)).toEqual(["create_user() -> ", "list_user_orders(user_id) -> "]);
    expect(done.plan.setup).toEqual([]);
    expect(done.texts.get("session.ts")).toContain(`  ${line}\n  if (userId !== undefined) context?.set("user_id", userId);\n`);
    expect(done.texts.get("shop.explore.ts")).toContain("setup: ({ api, context }) => logIn(api, users.alice, context),");
    expect(done.texts.get("journeys/shop.ts")).toContain("action: (api, context) => logIn(api, users.alice, context) }");
    expect(done.all).not.toContain("key-of-eve");
    for (const [path, text] of done.texts) if (path.endsWith(".ts")) expect(problemsOf(text)).toEqual([]);
  });

  it("takes no call of another purpose for the registration", async () => {
    const others = ["password/reset-user", "users/1/verify", "accounts"].map((path): Sent => ({
      url: `${API}/${path}`,
      json: user,
      ...bearer,
    }));
    const done = await generated(
      "har",
      har([logIn, ...others.slice(0, 2), { ...others[2]!, json: { email: "joe@example.com", password: "abcdefgh" } }]),
    );
    expect(done.plan.login).toMatchObject({ kind: "operation", register: undefined });
  });
});

describe("public data of a recording", () => {
  const own = { headers: { cookie: "sid=abcdefgh" } };
  const logIn: Sent = { url: `${API}/login`, json: { user: "ada", password: "s3cret-1" }, answerHeaders: { "set-cookie": "sid=abcdefgh" } };
  const items: Sent = { url: `${API}/items`, answer: [{ id: 1, name: "lamp" }] };
  const order: Sent = { url: `${API}/orders`, json: { item_id: 1 }, status: 201, answer: { id: 5, item_id: 1 }, ...own };
  const item: Sent = { url: `${API}/items/1`, answer: { id: 1 }, ...own };
  const ruleOf = ({ texts }: Generated): string =>
    /\n((?: {4}\/\/.*\n)* {4}ownership[^;]*?)\n {2}\]/.exec(texts.get("shop.explore.ts")!)![1]!;

  it("is shared if it was read without credentials, also after a call of a user has returned its id", async () => {
    const done = await generated("har", har([items, logIn, order, item, { url: `${API}/orders/5`, ...own }]));
    expect(done.plan.shared).toEqual(["item_id"]);
    expect(needs(done)).toContain("get_item(item_id) -> ");
    expect(ruleOf(done)).toBe(
      "    // In the recording, the items of the keys in `shared` can be read without a login. Remove those of private data.\n" +
        '    ownership({ users: { bob: (api) => logIn(api, users.bob) }, shared: ["item_id"] }),',
    );
    expect(done.texts.get("README.md")).toContain("- `ownership` treats `item_id` as data of all users, because");
  });

  it("is not assumed if credentials were sent, or if the recording shows none", async () => {
    for (const calls of [
      [logIn, { ...items, ...own }, order],
      [{ ...items, headers: {} }, logIn, { ...order, headers: {} }],
    ]) {
      const done = await generated("har", har(calls));
      expect(done.plan).toMatchObject({ shared: [], publicCalls: [] });
      expect(ruleOf(done)).toBe(
        "    // Only lists return item_id. If every user may see these items, add them to `shared`.\n" +
          "    ownership({ users: { bob: (api) => logIn(api, users.bob) } }),",
      );
    }
  });

  it("is tried where a call changes it: everybody may read a post, but only its author may change it", async () => {
    const changes = ["PUT", "DELETE"].map((method): Sent => ({ method, url: `${API}/items/1`, ...own }));
    const like: Sent = { method: "DELETE", url: `${API}/items/1/like`, ...own };
    const done = await generated("har", har([items, logIn, item, order, like, ...changes]));
    expect(done.plan.shared).toEqual([]);
    expect(ruleOf(done).replaceAll(/\s+/g, " ")).toContain('except: ["get_item", "create_order", "delete_item_like"]');
  });

  it("may be read by every user, although a user created it", async () => {
    const post: Sent = { url: `${API}/posts`, json: { text: "a" }, status: 201, answer: { id: UUID }, ...own };
    const read: Sent = { url: `${API}/posts/${UUID}`, answer: { id: UUID } };
    const done = await generated("har", har([logIn, post, read, { url: `${API}/posts/${UUID}/likes`, json: {}, ...own }]));
    expect(ruleOf(done)).toBe(
      "    // In the recording, the data of calls in `except` can be read without a login. Remove calls on private data.\n" +
        '    ownership({ users: { bob: (api) => logIn(api, users.bob) }, except: ["get_post"] }),',
    );
    expect(done.texts.get("README.md")).toContain("because the recording reads the data of these calls without a login");
    const both = await generated("har", har([logIn, post, read, { ...read, ...own }]));
    expect(both.plan.publicCalls).toEqual([]);
    const refused = await generated("har", har([logIn, post, { ...read, status: 401, answer: {} }]));
    expect(refused.plan.publicCalls).toEqual([]);
  });
});

describe("an archive", () => {
  it.each<readonly [string, unknown, RegExp]>([
    ["that is no JSON", "<har>", /^shop\.json is not JSON, so it is not a HAR archive\.$/],
    ["that is something else", { openapi: "3.1.0" }, /^shop\.json is not a HAR archive\.$/],
    ["without requests", har([]), /^shop\.json contains no call of an API, /],
    ["of a page alone", har([{ url: "http://127.0.0.1/", type: "text/html" }]), /^shop\.json contains no call of an API, /],
    [
      "with odd entries",
      { log: { entries: [null, 1, {}, { request: { method: "GET", url: "ws://x" } }, { request: { method: 7 } }] } },
      /contains no call of an API/,
    ],
  ])("%s is refused", async (_what, document, message) => {
    await expect(generated("har", document)).rejects.toThrow(message);
  });

  it("with hostile content becomes files in which nothing of it is code", { timeout: 60_000 }, async () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '"; pwned(); "',
        "*/ pwned(); /*",
        "`; pwned(); `",
        "${pwned()}",
        "\\",
        "\u2028pwned()",
        "__proto__",
        "{pwned}",
        "{{pwned}}",
        "..",
        "${HOME}",
        "constructor",
      ),
      fc.string({ unit: codePoint, maxLength: 20 }),
    );
    const call = fc.record({
      method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
      url: fc
        .tuple(fc.array(hostile, { maxLength: 3 }), hostile, hostile)
        .map(([parts, name, value]) => `http://127.0.0.1/a/${parts.map(encoded).join("/")}?${encoded(name)}=${encoded(value)}`),
      headers: fc.dictionary(fc.oneof(hostile, fc.constant("x-own")), hostile, { maxKeys: 2 }),
      json: fc.dictionary(hostile, hostile, { maxKeys: 3 }),
      answer: fc.dictionary(fc.oneof(hostile, fc.constant("id")), hostile, { maxKeys: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
        const { texts } = await generated("har", har(calls));
        for (const [path, text] of texts) if (path.endsWith(".ts")) expect(problemsOf(text)).toEqual([]);
      }),
      { numRuns: size(4, 500) },
    );
  });
});

const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "x"));

/** Returns errors of syntax, and every name that the recording brought into code. */
function problemsOf(text: string): readonly string[] {
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true) as ts.SourceFile & {
    readonly parseDiagnostics: readonly { readonly messageText: unknown }[];
  };
  const found = source.parseDiagnostics.map(({ messageText }) => JSON.stringify(messageText));
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === "pwned" && !ts.isPropertyAssignment(node.parent)) found.push("pwned");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
