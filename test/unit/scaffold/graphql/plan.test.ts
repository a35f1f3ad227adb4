import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, introspectionFromSchema, parse, validate } from "graphql";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planGraphql, readSchema } from "../../../../src/scaffold/graphql/index.ts";
import { parseIntrospection } from "../../../../src/scaffold/graphql/read/parse-introspection.ts";
import { parseSdl } from "../../../../src/scaffold/graphql/read/parse-sdl.ts";
import { askServer, type Ask } from "../../../../src/scaffold/graphql/read/ask-server.ts";
import type { PlannedAction, ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { size } from "../../../sizes.ts";
import { newFolder, scaffold, textOf } from "../write/folder.ts";

function planOf(sdl: string): ScaffoldPlan {
  const { schema, warnings } = parseSdl(sdl, "schema.graphql");
  return planGraphql({ schema, title: "shop", baseUrl: undefined, path: "/graphql", warnings });
}

function actionOf(plan: ScaffoldPlan, name: string): PlannedAction {
  const found = plan.actions.find((one) => one.name === name);
  expect(found, name).toBeDefined();
  return found!;
}

/** Every document is what the schema's own server would take. */
function expectValid(sdl: string): void {
  const schema = buildSchema(sdl);
  for (const { graphql } of planOf(sdl).actions) expect(validate(schema, parse(graphql!.document)), graphql!.document).toEqual([]);
}

const BASE = "type Order { id: ID! total: Int } type Item { id: ID! order: Order } type User { id: ID! } ";

describe("which ids are handed on", () => {
  it.each([
    ["an argument that is called for the thing", "payOrder(orderId: ID!): Boolean", "pay_order", "order_id"],
    ["id, by the name of the field", "payOrder(id: ID!): Boolean", "pay_order", "order_id"],
    ["id, by the type of the answer", "settle(id: ID!): Order", "settle", "order_id"],
    ["a field of an input", "settle(input: SettleInput!): Boolean", "settle", "order_id"],
    ["id in an object that is called for the thing", "settle(order: Ref!): Boolean", "settle", "order_id"],
    ["a list", "settleAll(orderIds: [ID!]!): Boolean", "settle_all", "order_id"],
    ["a longer name that ends with the thing's", "merge(targetOrderId: ID!): Boolean", "merge", "order_id"],
    ["a name that a field of the thing has", "addItem(containerId: ID!): Item", "add_item", undefined],
    ["a text that is called an id", "payOrder(orderId: String!): Boolean", "pay_order", "order_id"],
    ["a text that is not", "payOrder(taxId: String!): Boolean", "pay_order", undefined],
  ])("%s", (_what, field, name, key) => {
    const plan = planOf(
      `${BASE} input SettleInput { orderId: ID! } input Ref { id: ID! } type Query { a: Int } type Mutation { ${field} createOrder(total: Int!): Order }`,
    );
    const needs = actionOf(plan, name).needs.filter((one) =>
      plan.actions.some(({ produces }) => produces.some((given) => given.key === one)),
    );
    expect(needs).toEqual(key === undefined ? [] : [key]);
  });

  it("ids that only lists return are named, because no mutation creates their items", () => {
    const plan =
      planOf(`type Order { id: ID! } type Item { id: ID! } type Auth { token: String } type Query { items: [Item!]! item(id: ID!): Item order(id: ID!): Order }
      type Mutation { login(email: String!, password: String!): Auth createOrder(itemId: ID!): Order }`);
    const directory = newFolder();
    scaffold(plan, directory);
    expect(textOf(directory, "shop.explore.ts")).toContain(
      "// Only lists return item_id. If every user may see these items, add them to `shared`.\n    ownership(",
    );
  });

  it("ids are converted to the scalar type of the argument", () => {
    const plan = planOf(`type Order { id: ID! } type Item { id: Int! } type Query { a: Int }
      type Mutation { createOrder: Order createItem: Item pay(orderId: Int!, itemId: Int!): Boolean note(orderId: ID!, itemIds: [String!]!): Boolean }`);
    const directory = newFolder();
    scaffold(plan, directory);
    const code = `${textOf(directory, "actions/order.ts")}${textOf(directory, "actions/item.ts")}`.replaceAll(/\s+/g, " ");
    expect(code).toContain('orderId: Number(context.getRequired("order_id")), itemId: context.getRequired("item_id")');
    expect(code).toContain('orderId: context.getRequired("order_id"), itemIds: [String(context.getRequired("item_id"))]');
  });

  it("what takes a thing's id does not make it, and deleting frees it", () => {
    const plan = planOf(`${BASE} type Payload { order: Order } type Query { order(id: ID!): Order }
      type Mutation { deleteOrder(id: ID!): Order payOrder(id: ID!): Order createOrder: Payload addItem(orderId: ID!): Item removeItem(itemId: ID!, orderId: ID!): Boolean }`);
    expect(
      plan.actions.map(({ name, kind, needs, produces, frees }) => [name, kind, needs, produces.map(({ key }) => key), frees]),
    ).toEqual([
      ["create_order", "create", [], ["order_id"], []],
      ["pay_order", "other", ["order_id"], [], []],
      ["add_item", "create", ["order_id"], ["item_id"], []],
      ["order", "read", ["order_id"], [], []],
      ["delete_order", "delete", ["order_id"], [], ["order_id"]],
      ["remove_item", "delete", ["item_id", "order_id"], [], ["item_id"]],
    ]);
    expect(actionOf(plan, "create_order").produces).toEqual([
      { key: "order_id", from: "body", path: ["data", "createOrder", "order", "id"] },
    ]);
    expect(plan.pathParameters).toEqual({ all: 6, inferred: 6 });
  });

  it("a connection gives what no mutation does", () => {
    const plan = planOf(
      "type Order { id: ID! } type Edge { node: Order } type Connection { edges: [Edge!]! } type Query { orders(first: Int): Connection order(id: ID!): Order }",
    );
    expect(actionOf(plan, "orders").produces).toEqual([
      { key: "order_id", from: "body", path: ["data", "orders", "edges", 0, "node", "id"] },
    ]);
    expect(actionOf(plan, "order").needs).toEqual(["order_id"]);
  });

  it("what nothing gives is said", () => {
    const plan = planOf("scalar Odd type Query { a(x: Odd!): Int thing(id: ID!): Int } type Subscription { b: Int }");
    expect(plan.notInferred.map(({ action, what }) => [action, what])).toEqual([
      ["a", "argument x"],
      ["thing", "argument id"],
    ]);
    expect(plan.warnings).toEqual([expect.stringContaining("Subscriptions are left out")]);
  });

  it("a login is taken out of the actions, its token is asked for", () => {
    const plan = planOf(`${BASE} type Auth { accessToken: String! user: User } input Credentials { email: String! password: String! }
      type Query { me: User } type Mutation { login(input: Credentials!): Auth signUp(input: Credentials!): Auth }`);
    expect(plan.actions.map(({ name }) => name)).toEqual(["sign_up", "me"]);
    expect(plan.login).toMatchObject({
      kind: "operation",
      userField: "email",
      passwordField: "password",
      token: ["data", "login", "accessToken"],
    });
    const directory = newFolder();
    scaffold(plan, directory, { description: { kind: "none" } });
    expect(textOf(directory, "session.ts")).toContain("variables: { input: { email: user.name, password: user.password } }");
  });
});

describe("documents", () => {
  it.each([
    ["circles", `${BASE} type A { id: ID! b: B } type B { a: A x(n: Int!): Int y: Int } type Query { a: A b: B }`],
    ["nothing to select", "type A { x(n: Int!): Int } type Query { a: A }"],
    [
      "unions whose members are unlike",
      "type A { v: Int } type B { v: String } type C { v: Int! o: A } union U = A | B | C type Query { u: U us: [U!]! }",
    ],
    ["interfaces", "interface I { id: ID! } type A implements I { id: ID! a: Int } type Query { i: I }"],
    ["inputs in circles", "input A { b: [A!]! c: A d: E! } enum E { X } type Query { q(a: A!): Int }"],
    ["oneOf", "directive @x on FIELD input A @oneOf { n: Int s: String } type Query { q(a: A!): Int }"],
  ])("are valid: %s", (_what, sdl) => expectValid(sdl));

  it("are valid whatever the schema", () => {
    const NAMES = ["A", "B", "C", "D"];
    const wrap = fc.constantFrom("%", "%!", "[%!]!", "[%]");
    const output = fc.tuple(wrap, fc.constantFrom("Int", "ID", "String", "Odd", "U", ...NAMES)).map(([w, t]) => w.replace("%", t));
    const argument = fc
      .tuple(fc.constantFrom("id", "first", "aId", "in"), fc.constantFrom("ID!", "Int", "ID", "[ID!]!", "In!", "Odd!"))
      .map(([n, t]) => `(${n}: ${t})`);
    const field = (index: number): fc.Arbitrary<string> =>
      fc.tuple(fc.option(argument, { nil: "" }), output).map(([a, t]) => `${["id", "node", "x", "y"][index]}${a}: ${t}`);
    const body = fc.tuple(field(0), field(1), field(2), field(3)).map((fields) => `{ ${fields.join(" ")} }`);
    fc.assert(
      fc.property(body, body, body, body, body, body, (a, b, c, d, query, mutation) => {
        const types = [a, b, c, d].map((one, at) => `type ${NAMES[at]!} ${one}`).join(" ");
        expectValid(
          `scalar Odd union U = A | B input In { id: ID! more: [In!] odd: Odd } ${types} type Query ${query} type Mutation ${mutation}`,
        );
      }),
      { numRuns: size(10, 200) },
    );
  });
});

describe("schemas that are made to harm", () => {
  it("names of the language's own are left out, and those of JavaScript are names", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(
      join(folder, "schema.graphql"),
      "type Query { __proto__: Int constructor(__proto__: Int): Int toString: Int hasOwnProperty: Q } type Q { __x: Int constructor: Int }",
    );
    const plan = planGraphql(await readSchema("schema.graphql", { cwd: folder }));
    expect(plan.actions.map(({ graphql }) => graphql!.name)).toEqual(["constructor", "toString", "hasOwnProperty"]);
    expect(plan.warnings.join(" ")).toContain("must not begin with");
    scaffold(plan, newFolder(), { description: { kind: "none" } });
  });

  it("descriptions and reasons end no comment and no template", () => {
    const directory = newFolder();
    scaffold(
      planOf('type Query { """ */ process.exit(1) ` ${process.exit(2)} """ a: Int @deprecated(reason: "*/ process.exit(3) \\n`") }'),
      directory,
      { description: { kind: "none" } },
    );
    const text = textOf(directory, "actions/queries.ts");
    expect(text.replaceAll(/\/\*[^]*?\*\//g, "")).not.toContain("process.exit");
  });

  it("what is wide and deep is planned all the same", () => {
    const inputs = Array.from(
      { length: 20 },
      (_, at) => `input I${at} { ${Array.from({ length: 20 }, (_x, n) => `f${n}: ${at < 19 ? `I${at + 1}!` : "Int!"}`).join(" ")} }`,
    );
    const plan = planOf(`${inputs.join(" ")} type Query { a(i: I0!): Int b: Int }`);
    expect(plan.actions.map(({ name }) => name)).toEqual(["b"]);
    expect(plan.warnings).toEqual([expect.stringContaining("query a is left out")]);
  });

  it("what is introspected gives the plan that its SDL gives", () => {
    const sdl = `${BASE} type Query { order(id: ID!): Order } type Mutation { createOrder(total: Int!): Order }`;
    const { schema } = parseIntrospection(JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) }), "x.json");
    const names = (plan: ScaffoldPlan): unknown => plan.actions.map(({ name, needs, graphql }) => [name, needs, graphql]);
    expect(names(planGraphql({ schema, title: "shop", baseUrl: undefined, path: "/graphql", warnings: [] }))).toEqual(names(planOf(sdl)));
    expect(() => parseIntrospection('{"openapi":"3.1.0"}', "x.json")).toThrow("x.json is an OpenAPI description.");
    expect(() => parseIntrospection('{"__schema":{}}', "x.json")).toThrow("x.json is not a complete result of an introspection");
  });

  it("an older server is asked again for what it knows", async () => {
    const asked: string[] = [];
    const ask: Ask = async (_url, { body }) => {
      asked.push(body);
      const refused = /isOneOf|specifiedByURL|includeDeprecated: true\) \{\s+\.\.\.InputValue/.test(JSON.parse(body).query as string);
      return new Response(
        refused ? '{"errors":[{"message":"Cannot query field isOneOf"}]}' : '{"data":{"__schema":{}}}',
      ) as unknown as Awaited<ReturnType<Ask>>;
    };
    expect((await askServer(new URL("http://127.0.0.1:1/graphql"), ask)).text).toContain("__schema");
    expect(asked).toHaveLength(3);
  });

  it("the user and the password of the URL are sent as a header, also with a % that encodes nothing", async () => {
    const sent: (string | undefined)[] = [];
    const ask: Ask = async (url, { headers }) => {
      sent.push(url.href, headers["authorization"]);
      return new Response('{"data":{"__schema":{}}}') as unknown as Awaited<ReturnType<Ask>>;
    };
    await askServer(new URL("http://admin:50%off%21@127.0.0.1:1/graphql"), ask);
    await askServer(new URL("http://admin:a%40b@127.0.0.1:1/graphql"), ask);
    const header = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;
    const url = "http://127.0.0.1:1/graphql";
    expect(sent).toEqual([url, header("admin:50%off%21"), url, header("admin:a@b")]);
  });
});
