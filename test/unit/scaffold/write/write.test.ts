import { describe, expect, it } from "vitest";
import { format } from "oxfmt";
import ts from "typescript";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import * as rules from "../../../../src/rules/index.ts";
import { newFolder, scaffold, textOf } from "./folder.ts";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import {
  action,
  constant,
  createCustomer,
  createOrder,
  drawn,
  fromContext,
  listOrders,
  operation,
  plan,
  readOrder,
  shop,
} from "./plans.ts";

/** The declaration of an action, without its comment. */
function declarationOf(directory: string, file: string, name: string): string {
  const text = textOf(directory, file);
  const start = text.indexOf(`export const ${name}:`);
  expect(start, `${name} in ${file}`).not.toBe(-1);
  return text.slice(start, text.indexOf("\n});", start) + 4);
}

/** A shop whose keys the user has to give. */
const known: ScaffoldPlan = {
  ...shop,
  setup: [
    { key: "order_id", type: "number", unlocks: 0, reached: 3, example: readOrder },
    { key: "customer_id", type: "string", unlocks: 2, reached: 5, example: createOrder },
  ],
};

describe("what is written of a plan", () => {
  it("is what a person would write", () => {
    const directory = newFolder();
    const { files, kept, left, again } = scaffold(shop, directory);
    expect({ kept, left, again }).toEqual({ kept: [], left: [], again: false });
    expect(files).toContain("shop.explore.ts");
    expect(textOf(directory, "actions/orders.ts")).toBe(`import { Action } from "seqqa";
import { MOST_OF_A_KIND, type Keys } from "../context.ts";
import { read } from "../support.ts";

/**
 * Place an order.
 * POST /orders
 */
export const createOrder: Action<Keys> = new Action<Keys>({
  name: "create_order",
  tags: ["orders", "create"],
  precondition: (context) => context.has("customer_id") && context.get("order_count", { default: 0 }) < MOST_OF_A_KIND,
  run: async (api, context) => {
    const response = await api.post("/orders", {
      json: { customer_id: context.getRequired("customer_id"), amount: 100 },
    });
    if (response.ok) {
      const orderId = read<number>(response, "id");
      if (orderId !== undefined) context.set("order_id", orderId);
      context.set("order_count", context.get("order_count", { default: 0 }) + 1);
    }
    return response;
  },
});

/** GET /orders */
export const listOrders: Action<Keys> = new Action<Keys>({
  name: "list_orders",
  tags: ["orders", "list"],
  run: async (api) => api.get("/orders", { query: { limit: 20 } }),
});

/**
 * Look at an order.
 * GET /orders/{order_id}
 */
export const readOrder: Action<Keys> = new Action<Keys>({
  name: "read_order",
  tags: ["orders", "read"],
  precondition: (context) => context.has("order_id"),
  run: async (api, context) => api.get(\`/orders/\${encodeURIComponent(context.getRequired("order_id"))}\`),
});

/**
 * DELETE /orders/{order_id}
 * Deprecated.
 */
export const deleteOrder: Action<Keys> = new Action<Keys>({
  name: "delete_order",
  tags: ["orders", "delete", "deprecated"],
  precondition: (context) => context.has("order_id"),
  run: async (api, context) => {
    const response = await api.delete(\`/orders/\${encodeURIComponent(context.getRequired("order_id"))}\`);
    if (response.ok) context.delete("order_id");
    return response;
  },
});

/** The actions of this file that are explored. */
export const actions: readonly Action<Keys>[] = [createOrder, listOrders, readOrder, deleteOrder];
`);
  });

  it("uses the rules of seqqa/rules that a description suffices for, a line each, and what needs a login or a description only with it", () => {
    // These name tables, or actions of an account, which no description does.
    const declared = [
      "conserved",
      "immutable",
      "implies",
      "neverAbove",
      "neverNegative",
      "references",
      "sumWithin",
      "unique",
      "transitions",
      "sessionEnds",
      "singleUse",
    ];
    const directory = newFolder();
    scaffold(shop, directory);
    const code = textOf(directory, "shop.explore.ts");
    const used = [...code.slice(code.indexOf("invariants: [")).matchAll(/^ {4}(\w+)\(.*\),$/gm)].map(([, name]) => name);
    expect(used).toEqual(
      Object.keys(rules)
        .filter((name) => name !== "Rule" && !declared.includes(name))
        .sort((one, other) => used.indexOf(one) - used.indexOf(other)),
    );
    expect(code).toContain('conformsTo(new URL("../openapi.yaml", import.meta.url)),');
    expect(code).toContain("setup: ({ api }) => logIn(api, users.alice),");
    const without = newFolder();
    scaffold({ ...shop, login: undefined }, without, { description: { kind: "copy", text: "{}" } });
    const plain = textOf(without, "shop.explore.ts");
    expect(plain).not.toMatch(/ownership|logIn|setup/);
    expect(plain).toContain('conformsTo(new URL("./openapi.json", import.meta.url)),');
    expect(textOf(without, "openapi.json")).toBe("{}");
  });

  it("leaves out refusals that no operation describes, and reads that need no login", () => {
    const directory = newFolder();
    scaffold({ ...shop, describesNoRefusals: true, publicCalls: [readOrder] }, directory);
    const code = textOf(directory, "shop.explore.ts");
    expect(code).toMatch(
      /\n {4}\/\/ The description has no 4xx status\..*\n {4}conformsTo\(new URL\("..\/openapi.yaml", import.meta.url\), \{ except: \["4xx"\] \}\),\n/,
    );
    expect(code).toMatch(/\n {4}\/\/ .*`except`.*\n {4}ownership\(\{ users: \{ bob: .* \}, except: \["read_order"\] \}\),\n/);
    const readme = textOf(directory, "README.md");
    expect(readme).toContain("- `conformsTo` accepts every 4xx status");
    expect(readme).toContain("- `ownership` does not try `read_order`, because");
    const alone = newFolder();
    scaffold({ ...shop, login: undefined, publicCalls: [readOrder] }, alone);
    expect(textOf(alone, "README.md")).not.toContain("## What the rules leave out");
  });

  it("asks below the base path, with the clients of rules too", () => {
    const directory = newFolder();
    scaffold({ ...shop, basePath: "/v1" }, directory);
    const text = textOf(directory, "shop.explore.ts");
    expect(text).toContain('import { Agent, World } from "seqqa";\nimport { HttpClient } from "seqqa/adapters/http";\n');
    expect(text).toContain('const client = () => new HttpClient(lane.fetch ?? lane.baseUrl, { basePath: "/v1" });');
    expect(text).toContain("new World<Keys>({ api: client(), clients: { bob: client() } })");
    const alone = newFolder();
    scaffold({ ...shop, basePath: "/`${x}", login: undefined }, alone);
    expect(textOf(alone, "shop.explore.ts")).toContain(
      'new World<Keys>({ api: new HttpClient(lane.fetch ?? lane.baseUrl, { basePath: "/`${x}" }) })',
    );
  });

  const commented = { ...shop, describesNoRefusals: true, publicCalls: shop.actions };
  const listed = { ...known, shared: ["customer_id"], publicCalls: [readOrder] };
  it.each([shop, known, commented, { ...commented, publicCalls: [readOrder] }, listed])("is laid out as a formatter would", async (of) => {
    const directory = newFolder();
    const { files } = scaffold(of, directory);
    for (const file of files.filter((path) => path.endsWith(".ts"))) {
      const text = textOf(directory, file);
      expect((await format(file, text, { printWidth: 120 })).code, file).toBe(text);
    }
  });

  it("asks for keys, says what each unlocks, and sets in the root state those that have values", () => {
    const directory = newFolder();
    scaffold(known, directory);
    expect(textOf(directory, "setup.ts")).toContain(`export const given: Given = {
  // Needed together with the next key. Needed by GET /orders/{order_id}.
  order_id: undefined,
  // With it, 2 more actions can be called, 5 in all. Needed by POST /orders.
  customer_id: undefined,
};
`);
    const exploration = textOf(directory, "shop.explore.ts");
    expect(exploration).toContain(`  setup: async ({ api, context }) => {
    await logIn(api, users.alice);
    setKeys(context);
  },
`);
    // Nobody of the exploration made what they name.
    expect(exploration).toContain("ownership({ users: { bob: (api) => logIn(api, users.bob) }, shared: givenKeys }),");
    const without = newFolder();
    scaffold({ ...known, login: undefined }, without);
    expect(textOf(without, "shop.explore.ts")).toContain("  setup: ({ context }) => setKeys(context),\n");
    const none = newFolder();
    expect(scaffold(shop, none).files).not.toContain("setup.ts");
  });

  it("reads ids above 2^53 from answers with all their digits", async () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const code = ts.transpileModule(textOf(directory, "support.ts"), { compilerOptions: options }).outputText;
    const { read } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      readonly read: (...args: unknown[]) => unknown;
    };
    const answer = ApiResponse.of(200, '{"id":9007199254740993,"text":"\\"9007199254740993","n":7,"fraction":1.2345678901234567}');
    expect(["id", "text", "n", "fraction", "none"].map((name) => read(answer, name))).toEqual([
      "9007199254740993",
      '"9007199254740993',
      7,
      1.2345678901234567,
      undefined,
    ]);
  });

  it("registers its users before they log in, with what differs from user to user", () => {
    const directory = newFolder();
    const entries = [
      ["login", drawn("email")],
      ["secret", drawn("password")],
      ["nick", drawn("username")],
      ["mail", drawn("email")],
    ] as const;
    const body = { as: "json", mediaType: "application/json", value: { kind: "object", entries } } as const;
    const register = { action: action("register", operation("post", "/users"), { body }), userField: "login", passwordField: "secret" };
    scaffold({ ...shop, login: { ...shop.login, register } as ScaffoldPlan["login"] }, directory);
    expect(textOf(directory, "session.ts")).toContain(`async function register(api: ApiClient, user: User): Promise<void> {
  await api.post("/users", {
    json: {
      login: user.name,
      secret: user.password,
      nick: user.name.replace(/@.*/, ""),
      mail: \`\${user.name.replace(/@.*/, "")}@example.com\`,
    },
  });
}
`);
    expect(textOf(directory, "session.ts")).toContain("  await register(api, user);\n  const response = await api.post");
  });

  it.each<readonly [string, ScaffoldPlan["login"], string]>([
    [
      "a login by cookie that may redirect",
      { ...shop.login, token: [] } as ScaffoldPlan["login"],
      "  if (response.statusCode >= 400) throw new Error(",
    ],
    [
      "a token of another scheme",
      { ...shop.login, header: { name: "authorization", scheme: "Token" } } as ScaffoldPlan["login"],
      '  api.setHeader("authorization", `Token ${token}`);',
    ],
    [
      "a token alone",
      { ...shop.login, header: { name: "x-auth", scheme: "" } } as ScaffoldPlan["login"],
      '  api.setHeader("x-auth", token);',
    ],
    [
      "a key with a scheme",
      { kind: "apiKey", in: "header", name: "authorization", variable: "K", scheme: "ApiKey" },
      '("authorization", `ApiKey ${user.token}`);',
    ],
    ["a cookie, as given", { kind: "apiKey", in: "cookie", name: "sid", variable: "K" }, 'api.setHeader("cookie", `sid=${user.token}`);'],
  ])("logs in with %s", (_what, login, code) => {
    const directory = newFolder();
    scaffold({ ...shop, login }, directory);
    expect(textOf(directory, "session.ts")).toContain(code);
  });

  it("uses the rules on tokens and sessions that were proposed, and only names those whose token is not known", () => {
    const directory = newFolder();
    const [logOut, accept] = [action("log_out", operation("post", "/logout")), action("accept", operation("post", "/accept"))];
    scaffold(
      {
        ...shop,
        actions: [...shop.actions, logOut, accept],
        singleUse: [
          { what: "invitation", create: createOrder, use: accept, isLinked: true },
          { what: "coupon", create: createCustomer, use: accept, isLinked: false },
        ],
        sessionEnds: { check: listOrders, logout: [logOut], after: [] },
      },
      directory,
    );
    const code = textOf(directory, "shop.explore.ts");
    expect(code).toContain('    singleUse({ create: "create_order", use: "accept", users: { bob: (api) => logIn(api, users.bob) } }),\n');
    expect(code).toContain(' * - coupon: singleUse({ create: "create_customer", use: "accept" })\n');
    expect(code.match(/singleUse\(/g)).toHaveLength(2);
    // Whoever holds an invitation may accept it.
    expect(code).toContain('    ownership({ users: { bob: (api) => logIn(api, users.bob) }, except: ["accept"] }),\n');
    expect(code).toContain(`    sessionEnds({
      login: (api) => logIn(api, users.alice).catch(() => undefined),
      check: (api) => api.get("/orders"),
      logout: ["log_out"],
    }),
`);
  });

  it("sends what browsers send where a cookie identifies the caller", () => {
    const directory = newFolder();
    scaffold({ ...shop, hasCookies: true, basePath: "/v1" }, directory);
    expect(textOf(directory, "shop.explore.ts")).toContain('{ basePath: "/v1", headers: { origin: lane.baseUrl } }');
  });

  it("says what is not called, and why", () => {
    const directory = newFolder();
    scaffold({ ...shop, leftOut: [{ action: action("x", operation("delete", "/me")), why: "It <deletes> the user." }] }, directory);
    expect(textOf(directory, "README.md")).toContain("| `DELETE /me` | It \\<deletes\\> the user. |");
  });

  it("keeps what it draws where a key is to know it", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const code = declarationOf(directory, "actions/customers.ts", "createCustomer");
    expect(code.match(/context\.data\.email\(\)/g)).toHaveLength(1);
    expect(code).toContain("json: { email: customerEmail, name: context.data.name(), newsletter: false }");
    expect(code).toContain('context.set("customer_email", customerEmail);');
  });

  it("imports what it uses, and nothing because of a word in the description", () => {
    const directory = newFolder();
    const body = constant({ credentials: 1, read: 2, fromEnvironment: "...credentials" });
    const value = {
      kind: "object",
      entries: [
        ["secret", { kind: "environment", name: "SECRET", otherwise: "" }],
        ["other", body],
      ],
    } as const;
    const send = { as: "json", mediaType: "application/json" } as const;
    const words = action("words", operation("post", "/`...credentials`"), { group: "words", body: { ...send, value: body } });
    const secret = action("secret", operation("post", "/secret"), {
      group: "secrets",
      body: { ...send, value },
      produces: [{ key: "where", from: "location" }],
    });
    scaffold(plan([words, secret]), directory);
    const imports = (file: string): readonly string[] => textOf(directory, file).match(/^import .*/gm) ?? [];
    expect(imports("actions/words.ts")).toEqual(['import { Action } from "seqqa";', 'import type { Keys } from "../context.ts";']);
    expect(imports("actions/secrets.ts").at(-1)).toBe('import { fromEnvironment, lastSegment } from "../support.ts";');
  });

  it("gives no action the name of the query parameters that log in", () => {
    const directory = newFolder();
    const named = action("credentials", operation("get", "/credentials"));
    scaffold(plan([named], { login: { kind: "apiKey", in: "query", name: "key", variable: "KEY" } }), directory);
    expect(textOf(directory, "actions/orders.ts")).toContain("export const actions: readonly Action<Keys>[] = [credentialsAction];");
  });

  it("sends all keys of an alternative: those in headers before it registers and logs in, those in the query with each call", () => {
    const directory = newFolder();
    const key = (place: "header" | "query" | "cookie", name: string, variable: string) => ({
      kind: "apiKey" as const,
      in: place,
      name,
      variable,
    });
    const apiKeys = [key("header", "X-App-Id", "API_APP_ID"), key("query", "app key", "API_KEY")];
    const list = action("list_orders", operation("get", "/orders", { security: [[{ scheme: "app", scopes: [] }]] }));
    const logIn = (login: ScaffoldPlan["login"]): string => {
      scaffold(plan([list], { login, apiKeys }), directory, { force: true });
      const session = textOf(directory, "session.ts");
      return session.slice(session.indexOf("export async function logIn"));
    };
    const secured = { ...shop.login, action: { ...(shop.login as { action: typeof list }).action, operation: list.operation } };
    const register = {
      action: action("register", operation("post", "/users", { security: list.operation.security })),
      userField: "a",
      passwordField: "b",
    };
    logIn({ ...shop.login, register } as ScaffoldPlan["login"]);
    expect(textOf(directory, "session.ts")).toContain('  await api.post("/users", { query: { ...credentials } });');
    expect(logIn(secured as ScaffoldPlan["login"])).toContain(`  api.setHeader("X-App-Id", fromEnvironment("API_APP_ID", ""));
  const response = await api.get("/orders", {
    query: { ...credentials },
`);
    expect(logIn({ kind: "bearer", variable: "API_TOKEN" })).toBe(`export async function logIn(api: ApiClient, user: User): Promise<void> {
  api.setHeader("X-App-Id", fromEnvironment("API_APP_ID", ""));
  api.setAuthToken(user.token);
}

/** The query parameter that authenticates calls. Its value comes from the environment variable API_KEY. */
export const credentials = {
  "app key": fromEnvironment("API_KEY", ""),
};
`);
    expect(textOf(directory, "actions/orders.ts")).toContain('api.get("/orders", { query: { ...credentials } })');
    expect(textOf(directory, "seqqa.yaml")).toContain('"X-App-Id"');
    scaffold(plan([list], { login: key("query", "id", "API_KEY"), apiKeys: [key("query", "key", "API_QUERY_KEY")] }), directory, {
      force: true,
    });
    expect(textOf(directory, "session.ts")).toBe(`import { fromEnvironment } from "./support.ts";

/** The query parameters that authenticate calls. Their values come from the environment variables API_KEY and API_QUERY_KEY. */
export const credentials = {
  id: fromEnvironment("API_KEY", ""),
  key: fromEnvironment("API_QUERY_KEY", ""),
};
`);
  });

  it("names the parts of a long path, so that the call fits on a line", () => {
    const directory = newFolder();
    const part = (name: string, key: string) => ({ name, in: "path" as const, value: fromContext(key), why: "" });
    const parameters = [part("repository", "repository_id"), part("number", "issue_number"), part("gone", "repository_id")];
    const read = action("read_comment", operation("get", "/repositories/{repository}/issues/{number}/comments"), { parameters });
    scaffold(plan([read], { keys: [{ key: "issue_number", type: "number" }] }), directory);
    expect(declarationOf(directory, "actions/orders.ts", "readComment")).toContain(`  run: async (api, context) => {
    const repositoryId = encodeURIComponent(context.getRequired("repository_id"));
    const issueNumber = encodeURIComponent(context.getRequired("issue_number"));
    return api.get(\`/repositories/\${repositoryId}/issues/\${issueNumber}/comments\`);
  },`);
  });

  it("sends lists, objects and files of forms as servers expect them", () => {
    const directory = newFolder();
    const value = constant({ tags: ["a", "b"], at: { x: 1, y: [{ z: 2 }] } });
    const form = action("form", operation("post", "/form"), {
      body: { as: "form", mediaType: "application/x-www-form-urlencoded", value },
    });
    const files = [{ name: "photos" }, { name: "text", contentType: "text/plain" }];
    const sent = constant({ tags: ["a", "b"], at: { x: 1 }, photos: ["example"], text: "example" });
    const upload = action("upload", operation("post", "/files"), {
      body: { as: "multipart", mediaType: "multipart/form-data", value: sent, files },
    });
    scaffold(plan([form, upload]), directory);
    const code = textOf(directory, "actions/orders.ts").replaceAll(/,?\s+/g, " ");
    expect(code).toContain('headers: { "content-type": "application/x-www-form-urlencoded" }');
    expect(code).toContain('body: new URLSearchParams([["tags" "a"] ["tags" "b"] ["at[x]" "1"] ["at[y][0][z]" "2"]]).toString()');
    expect(code).toContain('tags: ["a" "b"] at: { content: "{\\"x\\":1}" contentType: "application/json" }');
    expect(code).toContain('photos: [{ content: "example" filename: "example.txt" }]');
    expect(code).toContain('text: { content: "example" filename: "example.txt" contentType: "text/plain" }');
  });

  it("sends parameters and bodies where they belong", () => {
    const directory = newFolder();
    const value = (name: string, place: "path" | "query" | "header" | "cookie", of: ReturnType<typeof constant>) => ({
      name,
      in: place,
      value: of,
      why: "",
    });
    const send = action("send", operation("put", "/a/{one}/b/{two}#x"), {
      parameters: [
        value("one", "path", constant("a/b c")),
        value("two", "path", fromContext("two")),
        value("q", "query", constant([1, "x", { deep: true }])),
        value("w", "query", fromContext("any")),
        value("X-Any", "header", fromContext("any")),
        value("X-Count", "header", constant(3)),
        value("not a name", "header", constant("x")),
        value("session", "cookie", constant("a;b")),
      ],
      needs: ["two", "any"],
      body: { as: "form", mediaType: "application/x-www-form-urlencoded", value: constant({ a: 1, b: null, __proto__x: [1] }) },
    });
    const merge = action("merge", operation("patch", "/things"), {
      body: { as: "json", mediaType: "application/merge-patch+json", value: constant({ ["__proto__"]: 1 }) },
    });
    const trace = action("trace", operation("trace", "/things"), {
      body: { as: "text", mediaType: "text/plain", value: drawn("word") },
    });
    scaffold(plan([send, merge, trace], { keys: [{ key: "two", type: "string" }] }), directory);
    expect(declarationOf(directory, "actions/orders.ts", "send")).toContain(`  run: async (api, context) =>
    api.put(\`/a/a%2Fb%20c/b/\${encodeURIComponent(context.getRequired("two"))}%23x\`, {
      query: { q: [1, "x", "{\\"deep\\":true}"], w: context.getRequired("any") },
      headers: { "X-Any": String(context.getRequired("any")), "X-Count": "3", cookie: "session=a%3Bb" },
      form: { a: 1, b: "", __proto__x: 1 },
    }),`);
    expect(declarationOf(directory, "actions/orders.ts", "merge")).toContain(
      'api.patch("/things", { headers: { "content-type": "application/merge-patch+json" }, json: { ["__proto__"]: 1 } })',
    );
    expect(declarationOf(directory, "actions/orders.ts", "trace")).toContain('api.request("TRACE", "/things", {');
    expect(textOf(directory, "context.ts")).toContain("  any: string | number;");
  });
});
