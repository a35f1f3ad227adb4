import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describe as describeApi, readDescription } from "../../../../src/openapi/index.ts";
import { planScaffold } from "../../../../src/scaffold/infer/index.ts";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { edgesOf } from "../../../support/plan-edges.ts";
import { expectSound } from "../../../support/plan-invariants.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

async function planOf(file: string): Promise<ScaffoldPlan> {
  const plan = planScaffold(await readDescription(file, { cwd: root, allowRefs: false }));
  expectSound(plan);
  return plan;
}

const lines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .sort();

/** Written by hand from the description. */
const SHOP = lines(`
  getCustomer path customer_id <- createCustomer body id
  updateCustomer path customer_id <- createCustomer body id
  deleteCustomer path customer_id <- createCustomer body id
  listAddresses path customer_id <- createCustomer body id
  addAddress path customer_id <- createCustomer body id
  getAddress path customer_id <- createCustomer body id
  getAddress path id <- addAddress location
  removeAddress path customer_id <- createCustomer body id
  removeAddress path id <- addAddress location
  getProduct path productId <- createProduct body id
  replaceProduct path productId <- createProduct body id
  listOrders query customer_id <- createCustomer body id
  placeOrder customer.id <- createCustomer body id
  placeOrder lines[].product_id <- createProduct body id
  getOrder path order_id <- placeOrder body data.order_id
  cancelOrder path order_id <- placeOrder body data.order_id
  payOrder path order_id <- placeOrder body data.order_id
  ship path order_id <- placeOrder body data.order_id
  getShipment path order_id <- placeOrder body data.order_id
  getShipment path shipment_id <- ship body id
  addParcel path order_id <- placeOrder body data.order_id
  addParcel path shipment_id <- ship body id
  getParcel path order_id <- placeOrder body data.order_id
  getParcel path shipment_id <- ship body id
  getParcel path parcel_id <- addParcel body id
  removeParcel path order_id <- placeOrder body data.order_id
  removeParcel path shipment_id <- ship body id
  removeParcel path parcel_id <- addParcel body id
  getAccount path account_number <- createCustomer body account.number
  getCoupon path code <- putCoupon sent
  addProductToCoupon path code <- putCoupon sent
  addProductToCoupon path product_id <- createProduct body id
  removeProductFromCoupon path code <- putCoupon sent
  removeProductFromCoupon path product_id <- createProduct body id
  getImport path job <- nothing
`);

const TRACKER = lines(`
  getUser path userId <- createUser body user.id
  updateUser path userId <- createUser body user.id
  deleteUser path userId <- createUser body user.id
  getUserPosts path userId <- createUser body user.id
  createUserPost path userId <- createUser body user.id
  getUserPost path id <- createUser body user.id
  getUserPost path postId <- createUserPost body post.id
  getProject path projectKey <- createProject body project.key
  deleteProject path projectKey <- createProject body project.key
  getIssues path projectKey <- createProject body project.key
  createIssue path projectKey <- createProject body project.key
  createIssue user.id <- createUser body user.id
  getIssue path projectKey <- createProject body project.key
  getIssue path issueId <- createIssue body issue.id
  patchIssue path projectKey <- createProject body project.key
  patchIssue path issueId <- createIssue body issue.id
  deleteIssue path projectKey <- createProject body project.key
  deleteIssue path issueId <- createIssue body issue.id
  closeIssue path projectKey <- createProject body project.key
  closeIssue path issueId <- createIssue body issue.id
  getComments path projectKey <- createProject body project.key
  getComments path issueId <- createIssue body issue.id
  createComment path projectKey <- createProject body project.key
  createComment path issueId <- createIssue body issue.id
  createComment userId <- createUser body user.id
  deleteComment path projectKey <- createProject body project.key
  deleteComment path issueId <- createIssue body issue.id
  deleteComment path id <- createComment body comment.id
  addMember path projectKey <- createProject body project.key
  addMember path userId <- createUser body user.id
  removeMember path projectKey <- createProject body project.key
  removeMember path userId <- createUser body user.id
  getLabel path labelId <- getLabels body 0.id
  labelIssue path issueId <- createIssue body issue.id
  labelIssue labelIds[] <- getLabels body 0.id
  getAttachment path attachmentId <- nothing
`);

const PETSTORE = lines(`
  updatePet id <- addPet sent
  getPetById path petId <- addPet sent
  updatePetWithForm path petId <- addPet sent
  deletePet path petId <- addPet sent
  uploadFile path petId <- addPet sent
  placeOrder petId <- addPet sent
  getOrderById path orderId <- placeOrder body id
  deleteOrder path orderId <- placeOrder body id
  loginUser query username <- createUser sent
  getUserByName path username <- createUser sent
  updateUser path username <- createUser sent
  deleteUser path username <- createUser sent
`);

it("of a shop, nested, with links, in 3.1: every edge", async () => {
  const plan = await planOf("test/support/descriptions/shop.yaml");
  expect(edgesOf(plan)).toEqual(SHOP);
  // Not the region, an enumeration, nor the job.
  expect(plan.pathParameters).toEqual({ all: 34, inferred: 32 });
  // The id of an address comes as a text, from a URL; a number is wanted here.
  expect(plan.notInferred.map(({ action, what }) => `${action}: ${what}`)).toEqual([
    "ship: body field shipping_address_id",
    "get_import: path parameter job",
  ]);
});

it("of a tracker, in camelCase and wrapped, in 2.0: every edge", async () => {
  const plan = await planOf("test/support/descriptions/tracker.json");
  expect(edgesOf(plan)).toEqual(TRACKER);
  expect(plan.pathParameters).toEqual({ all: 34, inferred: 32 });
  expect(plan.notInferred.map(({ action, what }) => `${action}: ${what}`)).toEqual([
    "create_project: body field ownerId",
    "get_attachment: path parameter attachmentId",
  ]);
  expect(plan.login).toEqual({ kind: "apiKey", in: "header", name: "X-Api-Key", variable: "API_KEY" });
});

/** There the id is read-only and adding answers nothing, so that pets are known from a list alone. */
const PETSTORE_3 = PETSTORE.filter((edge) => !edge.startsWith("updatePet id"))
  .map((edge) => edge.replace("addPet sent", "findPetsByStatus body 0.id"))
  .sort();

it.each([
  ["2.0", PETSTORE],
  ["3.0", PETSTORE_3],
  ["3.1", PETSTORE_3],
])("of the Petstore in %s: every edge", async (version, expected) => {
  const plan = await planOf(`node_modules/@readme/oas-examples/${version}/json/petstore.json`);
  expect(edgesOf(plan)).toEqual(expected);
  expect(plan.pathParameters).toEqual({ all: 9, inferred: 9 });
});

it("of trains: ids of what is only listed; an example that is wrong gives way to the schema", async () => {
  const plan = await planOf("node_modules/@readme/oas-examples/3.1/json/train-travel.json");
  expect(edgesOf(plan)).toEqual(
    lines(`
      create-booking trip_id <- get-trips body data.0.id
      get-booking path bookingId <- create-booking body id
      delete-booking path bookingId <- create-booking body id
      create-booking-payment path bookingId <- create-booking body id
    `),
  );
  expect(plan.notInferred).toEqual([]);
});

it("a shop: what is made, kept, freed, and how one logs in", async () => {
  const plan = await planOf("test/support/descriptions/shop.yaml");
  const action = (name: string): ScaffoldPlan["actions"][number] => plan.actions.find((one) => one.name === name)!;
  expect(action("delete_customer").frees).toEqual(["customer_id", "address_id"]);
  expect(action("cancel_order").frees).toEqual(["order_id", "shipment_id", "parcel_id"]);
  // The product is still there.
  expect(action("remove_product_from_coupon").frees).toEqual([]);
  expect(plan.actions.slice(-5).every(({ operation }) => operation.method === "delete")).toBe(true);
  expect(plan.keys).toEqual([
    { key: "customer_id", type: "string" },
    { key: "account_number", type: "string" },
    { key: "address_id", type: "string" },
    { key: "product_id", type: "number" },
    { key: "order_id", type: "string" },
    { key: "shipment_id", type: "number" },
    { key: "parcel_id", type: "number" },
    { key: "coupon_code", type: "string" },
    { key: "job", type: "string" },
  ]);
  expect(plan.login).toMatchObject({ kind: "operation", userField: "email", passwordField: "password", token: ["data", "access_token"] });
  expect(plan.actions.map(({ name }) => name)).not.toContain("login");
  expect(plan.resources.find(({ name }) => name === "order")).toEqual({
    name: "order",
    collection: "/orders",
    item: "/orders/{order_id}",
    id: ["order_id"],
    items: ["data"],
    body: ["data"],
    can: { create: true, read: true, delete: true },
  });
  expect(plan.resources.find(({ name }) => name === "parcel")).toMatchObject({ parent: "shipment" });
  // A page is not all of them.
  expect(plan.resources.find(({ name }) => name === "product")?.can.list).toBeUndefined();
  expect(plan.resources.find(({ name }) => name === "customer")?.can).toEqual({
    create: true,
    list: true,
    read: true,
    update: ["PATCH"],
    delete: true,
  });
  expect(action("create_product").body?.value).toEqual({
    kind: "object",
    entries: [
      ["sku", { kind: "drawn", call: "uuid" }],
      ["price", { kind: "constant", value: 1 }],
      ["tags", { kind: "constant", value: ["examp", "mple1"] }],
    ],
  });
});

it("lists in lists of a schema are not looked at twice at each level", () => {
  const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as unknown;
  const order = { type: "object", required: ["status"], properties: { status: { type: "string", default: deep, enum: { a: deep } } } };
  const schema = { $ref: "#/components/schemas/Order" };
  const post = { requestBody: { content: { "application/json": { schema } } }, responses: { 201: { description: "" } } };
  const plan = planScaffold(describeApi({ openapi: "3.0.3", paths: { "/orders": { post } }, components: { schemas: { Order: order } } }));
  expect(plan.actions).toHaveLength(1);
});

it.each([
  ["no parameter", [], true],
  ["a filter that has no default", [{ name: "status", in: "query", schema: { enum: ["draft", "published"] } }], true],
  ["an order that has a default", [{ name: "sort", in: "query", schema: { type: "string", default: "id" } }], true],
  [
    "a filter that has a default",
    [{ name: "status", in: "query", schema: { enum: ["draft", "published"], default: "published" } }],
    undefined,
  ],
])("a list with %s", (_which, parameters, isAll) => {
  const schema = { type: "object", properties: { id: { type: "integer" }, title: { type: "string" } } };
  const json = (content: object): object => ({ description: "", content: { "application/json": { schema: content } } });
  const plan = planScaffold(
    describeApi({
      openapi: "3.0.3",
      paths: {
        "/posts": {
          post: { responses: { 201: json(schema) } },
          get: { parameters, responses: { 200: json({ type: "array", items: schema }) } },
        },
        "/posts/{id}": {
          get: { parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }], responses: { 200: json(schema) } },
        },
      },
    }),
  );
  expect(plan.resources[0]?.can.list).toBe(isAll);
});
