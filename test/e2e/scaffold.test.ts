import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderWith, linkPackages, root, seqqa, type Ran } from "../support/e2e.ts";
import { typeErrors } from "../support/type-check.ts";
import { full } from "../sizes.ts";

const EXAMPLES = join(root, "node_modules/@readme/oas-examples");
const petstore = readFileSync(join(EXAMPLES, "3.0/json/petstore.json"), "utf8");

/** Written by hand: customers, and orders of theirs. */
const SHOP = `openapi: 3.1.0
info: { title: Corner Shop, version: "1" }
servers: [{ url: "http://127.0.0.1:8080/v1" }]
paths:
  /customers:
    post:
      operationId: createCustomer
      tags: [customers]
      requestBody:
        content:
          application/json:
            schema: { type: object, required: [name], properties: { name: { type: string } } }
      responses: { "201": { description: made, content: { application/json: { schema: { $ref: "#/components/schemas/Customer" } } } } }
  /customers/{customerId}:
    parameters: [{ name: customerId, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getCustomer
      tags: [customers]
      responses: { "200": { description: it, content: { application/json: { schema: { $ref: "#/components/schemas/Customer" } } } } }
    delete:
      operationId: deleteCustomer
      tags: [customers]
      responses: { "204": { description: gone } }
  /customers/{customerId}/orders:
    parameters: [{ name: customerId, in: path, required: true, schema: { type: string } }]
    post:
      operationId: placeOrder
      tags: [orders]
      requestBody:
        content:
          application/json:
            schema: { type: object, required: [amount], properties: { amount: { type: integer, minimum: 1 } } }
      responses: { "201": { description: made, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: string }, name: { type: string } } }
    Order: { type: object, required: [id], properties: { id: { type: integer }, amount: { type: integer } } }
`;
const READ_ORDER = `  /customers/{customerId}/orders/{orderId}:
    parameters:
      - { name: customerId, in: path, required: true, schema: { type: string } }
      - { name: orderId, in: path, required: true, schema: { type: integer } }
    get:
      operationId: getOrder
      tags: [orders]
      responses: { "200": { description: it, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
    delete:
      operationId: cancelOrder
      tags: [orders]
      responses: { "204": { description: gone } }
  /stock:
    get: { operationId: getStock, tags: [stock], responses: { "200": { description: it } } }
`;
const LATER = SHOP.replace("components:\n", `${READ_ORDER}components:\n`);

function folder(files: Readonly<Record<string, string>>): string {
  const made = folderWith(files);
  linkPackages(made, "seqqa");
  return made;
}

const scaffold = (cwd: string, ...args: readonly string[]): Promise<Ran> => seqqa(["scaffold", "openapi", ...args], { cwd });
const text = (cwd: string, path: string): string => readFileSync(join(cwd, "qa", path), "utf8");
/** Every file below, with its text. */
const contents = (cwd: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(cwd, "qa"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
  );

function edit(cwd: string, path: string, from: string | RegExp, to: string): void {
  const before = text(cwd, path);
  const after = before.replace(from, () => to);
  expect(after, `${String(from)} in ${path}`).not.toBe(before);
  writeFileSync(join(cwd, "qa", path), after);
}

describe("seqqa scaffold openapi", () => {
  it.concurrent("writes a folder for the Petstore that type-checks strictly and that seqqa knows", async ({ expect }) => {
    const cwd = folder({ "petstore.json": petstore });
    const { status, stdout, stderr } = await scaffold(cwd, "petstore.json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [wrote, share, ...rest] = stdout.trimEnd().split("\n");
    expect(wrote).toMatch(/^Wrote \d+ files to qa: 20 actions in 3 files of qa\/actions\.$/);
    expect(share).toMatch(/^\d+ of \d+ path parameters can be taken from the answer of another action \((\d+) %\)\.$/);
    expect(Number(/\((\d+) %/.exec(share!)![1])).toBeGreaterThanOrEqual(80);
    // A description does not say where an API is that may be written to.
    expect(rest.slice(-2)).toEqual([
      "Set base_url (the URL of the API) or target (how to start it) in qa/seqqa.yaml. Then run:",
      "  cd qa && npx seqqa run .",
    ]);
    const readme = text(cwd, "README.md");
    expect(readme).toContain("First, set in `seqqa.yaml` where the API runs (`base_url`) or how it is started (`target`)");
    expect(readme).not.toMatch(/: \d/);
    expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    const listed = await seqqa(["list", "qa"], { cwd });
    expect({ status: listed.status, stdout: listed.stdout.split("\n")[0] }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^agent +swagger-petstore\b/) as string,
    });
  });

  it.concurrent("is what init's folder is: a package of its own only where there is none, and a configuration that the doctor reads", async ({
    expect,
  }) => {
    const cwd = folder({ "shop.yaml": SHOP, "package.json": "{}" });
    expect((await scaffold(cwd, "shop.yaml")).status).toBe(0);
    expect(existsSync(join(cwd, "qa/package.json"))).toBe(false);
    expect(parse(text(cwd, "seqqa.yaml"))).toMatchObject({ base_url: "http://127.0.0.1:8080", exploration: { max_steps: 4000 } });
    expect(text(cwd, "seqqa.yaml")).toContain("$schema=../node_modules/seqqa/seqqa.schema.json");
  });

  it.concurrent("says which key calls carry", async ({ expect }) => {
    const cwd = folder({
      "api.json": JSON.stringify({
        openapi: "3.1.0",
        info: { title: "things", version: "1" },
        components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
        security: [{ key: [] }],
        paths: { "/things": { get: { operationId: "listThings", responses: { "200": { description: "all" } } } } },
      }),
    });
    const { status, stdout } = await scaffold(cwd, "api.json");
    expect(status).toBe(0);
    expect(stdout).toContain("\nThe calls send a key. Set the environment variable API_KEY, and API_KEY_2 for a second user.\n");
  });

  it.concurrent("writes nothing when nothing is new", async ({ expect }) => {
    const cwd = folder({ "shop.yaml": SHOP });
    await scaffold(cwd, "shop.yaml");
    const before = contents(cwd);
    const { status, stdout } = await scaffold(cwd, "shop.yaml");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^qa already matches the description\. seqqa wrote nothing\.\n/);
    expect(contents(cwd)).toEqual(before);
  });

  it.concurrent("keeps what the user changed and took out, adds what is new, and still type-checks", async ({ expect }) => {
    const cwd = folder({ "shop.yaml": SHOP });
    await scaffold(cwd, "shop.yaml");
    edit(cwd, "actions/orders.ts", /amount: \d+/, "amount: 4711");
    edit(cwd, "actions/customers.ts", /\/\*\*\s[^/]*?GET[^]*?\n}\);\n\n/, "");
    edit(cwd, "actions/customers.ts", "getCustomer, ", "");
    edit(cwd, "context.ts", "export interface Keys {\n", "export interface Keys {\n  mine: string;\n");
    edit(cwd, "README.md", "# Corner Shop", "# Our shop");
    writeFileSync(join(cwd, "qa/notes.txt"), "mine");
    expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    writeFileSync(join(cwd, "shop.yaml"), LATER);
    const { status, stdout } = await scaffold(cwd, "shop.yaml");
    expect(status).toBe(0);
    expect(stdout).toMatch(/: 3 actions added, \d+ updated\.\n/);
    expect(stdout).toContain("qa/actions/customers.ts: get_customer (deleted)");
    expect(stdout).toContain("qa/actions/orders.ts: place_order (edited)");
    expect(stdout).toContain("qa/README.md (edited)");
    const orders = text(cwd, "actions/orders.ts");
    expect(orders).toContain("amount: 4711");
    expect(orders.match(/^export const (\w+)/gm)).toEqual([
      "export const placeOrder",
      "export const getOrder",
      "export const cancelOrder",
      "export const actions",
    ]);
    expect(orders).toContain("= [placeOrder, getOrder, cancelOrder];");
    expect(text(cwd, "actions/customers.ts")).not.toContain("getCustomer");
    expect(text(cwd, "actions/stock.ts")).toContain("getStock");
    expect(text(cwd, "actions/index.ts")).toContain('from "./stock.ts"');
    expect(text(cwd, "context.ts")).toContain("  mine: string;\n");
    expect(text(cwd, "README.md")).toMatch(/^# Our shop/);
    expect(text(cwd, "notes.txt")).toBe("mine");
    expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    const before = contents(cwd);
    await scaffold(cwd, "shop.yaml");
    expect(contents(cwd)).toEqual(before);
  });

  it.concurrent("overwrites what it wrote with --force, and nothing else", async ({ expect }) => {
    const cwd = folder({ "shop.yaml": SHOP });
    await scaffold(cwd, "shop.yaml");
    const before = contents(cwd);
    edit(cwd, "actions/orders.ts", /amount: \d+/, "amount: 4711");
    edit(cwd, "seqqa.yaml", "max_steps: 4000", "max_steps: 10");
    rmSync(join(cwd, "qa/resources.ts"));
    writeFileSync(join(cwd, "qa/actions/mine.ts"), "export {};\n");
    expect((await scaffold(cwd, "shop.yaml", "--force")).status).toBe(0);
    expect(contents(cwd)).toEqual({ ...before, [join(cwd, "qa/actions/mine.ts")]: "export {};\n" });
  });

  it.concurrent.each<readonly [string, (cwd: string) => readonly string[], RegExp]>([
    ["a description that is not there", () => ["gone.yaml"], /^error: .*gone\.yaml/],
    [
      "a description of nothing",
      (cwd) => (writeFileSync(join(cwd, "empty.yaml"), "openapi: 3.1.0\ninfo: { title: a, version: '1' }\npaths: {}\n"), ["empty.yaml"]),
      /^error: .*empty\.yaml/,
    ],
    [
      "a file in the place of the folder",
      (cwd) => (writeFileSync(join(cwd, "qa"), ""), ["shop.yaml"]),
      /^error: seqqa cannot write to qa, because it is not a folder\./,
    ],
    [
      "a link in the folder",
      (cwd) => (mkdirSync(join(cwd, "qa")), symlinkSync(cwd, join(cwd, "qa/actions")), ["shop.yaml"]),
      /^error: qa\/actions is a symbolic link/,
    ],
    [
      "a file of the user's that others would import",
      (cwd) => (mkdirSync(join(cwd, "qa")), writeFileSync(join(cwd, "qa/context.ts"), "// mine\n"), ["shop.yaml"]),
      /^error: seqqa wrote nothing, because qa\/context\.ts already exists and was not written by seqqa scaffold\./,
    ],
    [
      "no description",
      () => [],
      /^error: Missing required argument 'source'\.\nhint: Give the file or URL of the API description, schema or recording, for example: seqqa scaffold openapi openapi\.yaml$/m,
    ],
    ["a folder", () => ["."], /^error: \. is a folder, not a description\.\nhint: Give the path of the description file itself\./],
    [
      "a version that is not there yet",
      (cwd) => (writeFileSync(join(cwd, "next.yaml"), "openapi: 4.0.0\n"), ["next.yaml"]),
      /^error: next\.yaml is written in version "4\.0\.0" of OpenAPI, which seqqa cannot read\.\nhint: Convert the description to OpenAPI 3\.0 or 3\.1\./,
    ],
    ["an empty folder name", () => ["shop.yaml", "--out", ""], /^error: The name of the folder is empty\./],
  ])("refuses %s in one sentence, and writes nothing", async (_what, prepare, says) => {
    const cwd = folder({ "shop.yaml": SHOP });
    const args = prepare(cwd);
    const { status, stdout, stderr } = await scaffold(cwd, ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
    expect(existsSync(join(cwd, "qa/seqqa.yaml"))).toBe(false);
  });

  it("refuses scaffold alone, with what it takes", async () => {
    const { status, stderr } = await seqqa(["scaffold"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "error: scaffold needs a subcommand: openapi, graphql, har or postman.\nhint: seqqa scaffold openapi --help shows its arguments.\n",
    });
  });
});

describe("the descriptions of @readme/oas-examples", () => {
  const all = (readdirSync(EXAMPLES, { recursive: true }) as string[]).filter((path) => /^\d[^]*\.(?:json|ya?ml)$/.test(path)).sort();
  const sample = [
    "2.0/json/petstore.json",
    "3.0/json/star-trek.json",
    "3.0/json/parameters-style.json",
    "3.1/json/petstore.json",
    "3.0/yaml/circular.yaml",
  ];

  it("are there", () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all).toEqual(expect.arrayContaining(sample));
  });

  it.each(full ? all : sample)(
    "%s becomes a folder that type-checks",
    async (path) => {
      const cwd = folder({});
      const { status, stderr } = await scaffold(cwd, join(EXAMPLES, path));
      if (status === 2 && /no operations/.test(stderr)) return;
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    },
    60_000,
  );
});
