import { readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { atEnd } from "../support/at-end.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, startNode, type Explored } from "../support/e2e.ts";
import { typeErrors } from "../support/type-check.ts";

const SDL = `
interface Node { id: ID! }
type Customer implements Node { id: ID! email: String! orders: [Order!]! }
enum Status { OPEN PAID REFUNDED }
type Order implements Node { id: ID! total: Int! status: Status! customer: Customer! }
type Refund { id: ID! amount: Int! order: Order! }
type OrderEdge { node: Order! cursor: String! }
type OrderConnection { edges: [OrderEdge!]! }
input OrderInput { customerId: ID! total: Int! }
type PlaceOrderPayload { order: Order! }
type Query {
  health: String!
  order(id: ID!): Order
  orders(first: Int): OrderConnection!
  node(id: ID!): Node
}
type Mutation {
  refundOrder(orderId: ID!): Refund!
  payOrder(id: ID!): Order!
  placeOrder(input: OrderInput!): PlaceOrderPayload!
  registerCustomer(email: String!): Customer!
  removeOrder(id: ID!): Boolean!
}
`;

/** A shop behind graphql-js and SQLite. BUG=refund: a refund that is refused leaves a row. */
const SERVER = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
import Database from "better-sqlite3";
import { buildSchema, graphql, GraphQLError } from "graphql";
const db = new Database(process.env.DB_PATH);
db.exec(\`CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total INTEGER, status TEXT);
CREATE TABLE IF NOT EXISTS refunds (id INTEGER PRIMARY KEY, order_id INTEGER, amount INTEGER);\`);
const one = (sql, ...values) => db.prepare(sql).get(...values);
const insert = (sql, ...values) => Number(db.prepare(sql).run(...values).lastInsertRowid);
const customerOf = (row) => row && { ...row, __typename: "Customer", orders: () => db.prepare("SELECT * FROM orders WHERE customer_id = ?").all(row.id).map(orderOf) };
const orderOf = (row) => row && { ...row, __typename: "Order", customer: () => customerOf(one("SELECT * FROM customers WHERE id = ?", row.customer_id)) };
const order = (id) => orderOf(one("SELECT * FROM orders WHERE id = ?", id));
const known = (id) => { const found = order(id); if (!found) throw new GraphQLError("no such order"); return found; };
const rootValue = {
  health: "fine",
  order: ({ id }) => order(id),
  orders: ({ first }) => ({ edges: db.prepare("SELECT * FROM orders LIMIT ?").all(first ?? 100).map((row) => ({ node: orderOf(row), cursor: String(row.id) })) }),
  node: ({ id }) => order(id) ?? customerOf(one("SELECT * FROM customers WHERE id = ?", id)),
  registerCustomer: ({ email }) => customerOf({ id: insert("INSERT INTO customers (email) VALUES (?)", email), email }),
  placeOrder: ({ input: { customerId, total } }) => {
    if (!one("SELECT 1 FROM customers WHERE id = ?", customerId)) throw new GraphQLError("no such customer");
    return { order: order(insert("INSERT INTO orders (customer_id, total, status) VALUES (?, ?, 'OPEN')", customerId, total)) };
  },
  payOrder: ({ id }) => {
    if (known(id).status !== "OPEN") throw new GraphQLError("not open");
    db.prepare("UPDATE orders SET status = 'PAID' WHERE id = ?").run(id);
    return order(id);
  },
  refundOrder: ({ orderId }) => {
    const { status, total } = known(orderId);
    const refund = () => insert("INSERT INTO refunds (order_id, amount) VALUES (?, ?)", orderId, total);
    if (status !== "PAID") {
      if (process.env.BUG === "refund") refund();
      throw new GraphQLError("not paid");
    }
    const id = refund();
    db.prepare("UPDATE orders SET status = 'REFUNDED' WHERE id = ?").run(orderId);
    return { id, amount: total, order: order(orderId) };
  },
  removeOrder: ({ id }) => {
    known(id);
    db.prepare("DELETE FROM orders WHERE id = ?").run(id);
    return true;
  },
};
const schema = buildSchema(process.env.SDL);
for (const type of ["Node"]) schema.getType(type).resolveType = (value) => value.__typename;
createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const chunk of request) body += chunk;
  const { query, variables, operationName } = JSON.parse(body);
  const result = await graphql({ schema, source: query, rootValue, variableValues: variables, operationName });
  if (process.env.LOG && !result.errors) appendFileSync(process.env.LOG, Object.keys(result.data)[0] + "\\n");
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
}).listen(Number(process.env.PORT), "127.0.0.1", function () { console.log(this.address().port); });
`;

const FIELDS = ["health", "node", "order", "orders", "payOrder", "placeOrder", "refundOrder", "registerCustomer", "removeOrder"];

function newFolder(): string {
  const folder = folderWith({ "server.mjs": SERVER, "schema.graphql": SDL });
  linkPackages(folder, "seqqa", "better-sqlite3", "graphql");
  return folder;
}

/** The only edit is where the target is. */
function configure(folder: string): void {
  const config =
    'target:\n  command: node ../server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", SDL: "${SDL}", BUG: "${BUG:-}", LOG: "${LOG}" }\nexploration: { max_steps: 400 }\n';
  writeFileSync(join(folder, "qa/seqqa.yaml"), config);
}

async function explored(folder: string, bug: string, ...bounds: readonly string[]): Promise<Explored> {
  const ran = await seqqa(["run", ".", "--reporter", "json", "--output", emptyFolder(), ...bounds], {
    cwd: join(folder, "qa"),
    env: { SDL, BUG: bug, LOG: join(folder, "succeeded") },
  });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

async function endpoint(folder: string): Promise<string> {
  const { said, child } = startNode([join(folder, "server.mjs")], {
    cwd: folder,
    env: { SDL, PORT: "0", DB_PATH: join(folder, "asked.db") },
  });
  while (!said.stdout.includes("\n")) await once(child.stdout!, "data");
  return `http://127.0.0.1:${said.stdout.trim()}/graphql`;
}

async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

describe("seqqa scaffold graphql", () => {
  // In the quick suite what SDL gives is explored below.
  it.each(some(["an endpoint", "SDL"], 1))(
    "from %s writes what type-checks and reaches every field, with no finding where there is no defect",
    async (from) => {
      const folder = newFolder();
      const source = from === "SDL" ? "schema.graphql" : await endpoint(folder);
      const done = await seqqa(["scaffold", "graphql", source], { cwd: folder });
      expect(done).toMatchObject({ status: 0, stderr: "" });
      expect(done.stdout).toContain("6 of 6 arguments that take ids can be taken from the answer of another action (100 %).");
      expect(typeErrors(join(folder, "qa"))).toEqual([]);
      configure(folder);
      const { violations, errors, divergences } = await explored(folder, "");
      expect({ violations, errors, divergences }).toEqual({ violations: [], errors: [], divergences: [] });
      // Told by the server: GraphQL says 200 to what it refuses, too.
      const reached = new Set(readFileSync(join(folder, "succeeded"), "utf8").trim().split("\n"));
      expect([...reached].toSorted()).toEqual(FIELDS);
      const again = await seqqa(["scaffold", "graphql", source], { cwd: folder });
      expect(again.stdout).toContain("qa already matches the description");
    },
  );

  it("finds a mutation that is refused and leaves a row", async () => {
    const folder = newFolder();
    await seqqa(["scaffold", "graphql", "schema.graphql"], { cwd: folder });
    configure(folder);
    const { violations } = await explored(folder, "refund", ...(full ? [] : ["--max-depth", "3", "--bail"]));
    expect(violations.map(({ invariant, message, reproductionPath }) => [invariant, message, reproductionPath.join(" ")])).toEqual([
      [
        "rejected_means_unchanged",
        "refund_order was refused (not paid) and changed the stores: db.refunds: 1 row added",
        "register_customer place_order refund_order",
      ],
    ]);
  });

  it("says in a sentence that a server refuses to return its schema", async () => {
    const url = await answering(400, '{"errors":[{"message":"GraphQL introspection is not allowed"}]}');
    const ran = await seqqa(["scaffold", "graphql", url], { cwd: emptyFolder() });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(`${url} refuses to return its schema: "GraphQL introspection is not allowed".`);
  });

  it("says line and column of what is wrong", async () => {
    const folder = folderWith({
      "a.graphql": "type Query {\n  a: \n}\n",
      "b.graphql": "type Query {\n  a: Missing\n}\n",
      "c.gql": "type A { a: Int }",
      "d.yaml": "# of the shop\nopenapi: 3.1.0\ninfo: {title: shop}\n",
    });
    const said = async (file: string): Promise<readonly [number | null, string]> => {
      const { status, stderr } = await seqqa(["scaffold", "graphql", file], { cwd: folder });
      return [status, stderr];
    };
    expect(await said("a.graphql")).toEqual([2, expect.stringContaining("a.graphql:3:1 is not a valid GraphQL schema")]);
    expect(await said("b.graphql")).toEqual([2, expect.stringContaining("b.graphql:2:6 is not a valid GraphQL schema")]);
    expect(await said("c.gql")).toEqual([2, expect.stringContaining("c.gql contains no query or mutation")]);
    expect(await said("d.yaml")).toEqual([
      2,
      "error: d.yaml is an OpenAPI description.\nhint: Use `seqqa scaffold openapi` for this file.\n",
    ]);
    expect(readFileSync(join(folder, "c.gql"), "utf8")).toBe("type A { a: Int }");
  });
});
