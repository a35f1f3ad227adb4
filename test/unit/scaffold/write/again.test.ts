import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PlannedAction, ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { newFolder, scaffold, textOf } from "./folder.ts";
import { action, createCustomer, createOrder, deleteOrder, listOrders, operation, plan, readOrder, shop } from "./plans.ts";

const payOrder: PlannedAction = action("pay_order", operation("post", "/orders/{order_id}/pay"), {
  ...readOrder,
  kind: "other",
  name: "pay_order",
  operation: operation("post", "/orders/{order_id}/pay"),
});
const withPay: ScaffoldPlan = { ...shop, actions: [...shop.actions, payOrder] };

function edit(directory: string, path: string, from: string, to: string): void {
  const before = textOf(directory, path);
  expect(before).toContain(from);
  writeFileSync(
    join(directory, path),
    before.replace(from, () => to),
  );
}

const fates = (written: ReturnType<typeof scaffold>): Readonly<Record<string, string>> =>
  Object.fromEntries(written.actions.map(({ name, fate }) => [name, fate]));

describe("a second run", () => {
  it("renews what nobody touched in a file that somebody did", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    edit(directory, "actions/orders.ts", 'import { Action } from "seqqa";', '// Our own.\nimport { Action } from "seqqa";');
    edit(directory, "actions/orders.ts", "{ limit: 20 }", "{ limit: 5 }");
    const renewed = { ...readOrder, operation: { ...readOrder.operation, summary: "Read it" } };
    const written = scaffold({ ...withPay, actions: [createCustomer, createOrder, listOrders, renewed, deleteOrder, payOrder] }, directory);
    expect(fates(written)).toEqual({
      create_customer: "unchanged",
      create_order: "unchanged",
      list_orders: "edited",
      read_order: "updated",
      delete_order: "unchanged",
      pay_order: "added",
    });
    const text = textOf(directory, "actions/orders.ts");
    expect(text).toMatch(/^\/\/ Our own\.\n/);
    expect(text).toContain("{ limit: 5 }");
    expect(text).toContain(" * Read it.\n");
    expect(text).not.toContain("Look at an order");
    expect(text).toContain(
      "export const actions: readonly Action<Keys>[] = [createOrder, listOrders, readOrder, deleteOrder, payOrder];\n",
    );
    expect(text.indexOf("export const payOrder")).toBeLessThan(text.indexOf("/** The actions of this file"));
  });

  it("keeps the values that the user gave keys, adds new keys, and brings back none that was taken out", () => {
    const directory = newFolder();
    const key = (name: string) => ({ key: name, type: "string" as const, unlocks: 1, reached: 1, example: readOrder });
    scaffold({ ...shop, setup: [key("customer_id"), key("order_id")] }, directory);
    edit(directory, "setup.ts", "customer_id: undefined", 'customer_id: "c1"');
    edit(directory, "setup.ts", "  order_id: undefined,\n", "");
    const written = scaffold({ ...shop, setup: [key("customer_id"), key("order_id"), key("customer_email")] }, directory);
    expect(written.left).toEqual([]);
    const given = textOf(directory, "setup.ts").split("export const given: Given = {")[1]!.split("};")[0]!;
    expect(given.match(/^ {2}\w+: .*$/gm)).toEqual(['  customer_id: "c1",', "  customer_email: undefined,"]);
    expect(scaffold({ ...shop, setup: [key("customer_id"), key("order_id"), key("customer_email")] }, directory).files).toEqual([]);
  });

  it("takes what is as it was generated for untouched again", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const before = textOf(directory, "actions/orders.ts");
    edit(directory, "actions/orders.ts", "{ limit: 20 }", "{ limit: 5 }");
    expect(fates(scaffold(shop, directory))["list_orders"]).toBe("edited");
    edit(directory, "actions/orders.ts", "{ limit: 5 }", "{ limit: 20 }");
    expect(fates(scaffold(shop, directory))["list_orders"]).toBe("unchanged");
    expect(textOf(directory, "actions/orders.ts")).toBe(before);
  });

  it("leaves out what was taken out, also when the file is written anew, until it is forced", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    rmSync(join(directory, "actions/customers.ts"));
    expect(fates(scaffold(withPay, directory))).toMatchObject({ create_customer: "deleted", pay_order: "added" });
    expect(existsSync(join(directory, "actions/customers.ts"))).toBe(false);
    expect(textOf(directory, "actions/index.ts")).not.toContain("customers");
    expect(fates(scaffold(withPay, directory))["create_customer"]).toBe("deleted");
    scaffold(withPay, directory, { force: true });
    expect(textOf(directory, "actions/customers.ts")).toContain("createCustomer");
    expect(textOf(directory, "actions/index.ts")).toContain("customers");
  });

  it("keeps names and files, whatever the plan calls them now", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const moved = { ...readOrder, name: "get_it", group: "sales" };
    const other = action("read_order", operation("get", "/other"));
    const written = scaffold({ ...shop, actions: [createCustomer, createOrder, listOrders, moved, other, deleteOrder] }, directory);
    expect(written.actions).toContainEqual({ name: "read_order", file: "actions/orders.ts", fate: "unchanged" });
    expect(written.actions).toContainEqual({ name: "read_order_2", file: "actions/orders.ts", fate: "added" });
    expect(existsSync(join(directory, "actions/sales.ts"))).toBe(false);
  });

  it("keeps and names the actions of an earlier source, which journeys may import, until it is forced", () => {
    const directory = newFolder();
    scaffold(withPay, directory);
    const before = textOf(directory, "actions/orders.ts");
    const { actions } = shop;
    const other: ScaffoldPlan = {
      ...shop,
      actions: [
        ...actions.filter((one) => one !== deleteOrder),
        { ...payOrder, name: "refund_order", operation: operation("post", "/orders/{order_id}/refund") },
      ],
    };
    const written = scaffold(other, directory);
    expect(fates(written)).toMatchObject({ list_orders: "unchanged", refund_order: "added" });
    const kept = [
      { name: "delete_order", file: "actions/orders.ts" },
      { name: "pay_order", file: "actions/orders.ts" },
    ];
    expect(written.others).toEqual(kept);
    const text = textOf(directory, "actions/orders.ts");
    for (const name of ["createOrder", "deleteOrder", "payOrder", "refundOrder"]) expect(text).toContain(`export const ${name}`);
    expect(text).toMatch(/^export const actions.*\[createOrder, .*deleteOrder, payOrder, refundOrder\];$/m);
    expect(scaffold(other, directory)).toMatchObject({ files: [], others: kept });
    // With the first source again, the other action is kept.
    expect(scaffold(withPay, directory).others).toEqual([{ name: "refund_order", file: "actions/orders.ts" }]);
    scaffold(withPay, directory, { force: true });
    expect(textOf(directory, "actions/orders.ts")).toBe(before);
  });

  it("takes another file where a user has one of that name, and says what it could not add", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    writeFileSync(join(directory, "actions/payments.ts"), "export {};\n");
    edit(directory, "actions/index.ts", "const all: readonly Action<Keys>[] = [...customers, ...orders];", "const all = orders;");
    const { left, files } = scaffold({ ...shop, actions: [...shop.actions, { ...payOrder, group: "payments" }] }, directory);
    expect(files).toContain("actions/payments-2.ts");
    expect(textOf(directory, "actions/payments.ts")).toBe("export {};\n");
    expect(left).toEqual([
      'Import the actions of actions/payments-2.ts in actions/index.ts, because seqqa found no list there that begins with "const all"',
    ]);
  });

  it("refuses a folder of another description, and a manifest that none wrote", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const other = plan([action("a", operation("get", "/elsewhere"))]);
    expect(() => scaffold(other, directory)).toThrow(expect.objectContaining({ code: "SCAFFOLD_OTHER", exitStatus: 2 }));
    writeFileSync(
      join(directory, ".seqqa-scaffold.json"),
      JSON.stringify({ format: 1, files: {}, actions: { a: { file: "../../x.ts" } } }),
    );
    expect(() => scaffold(shop, directory)).toThrow(expect.objectContaining({ code: "SCAFFOLD_MANIFEST", exitStatus: 2 }));
  });
});

describe("a folder that cannot be written to", () => {
  it("is not written through links, to files or to folders", () => {
    for (const [link, target] of [
      ["seqqa.yaml", "outside.txt"],
      ["actions", "elsewhere"],
      ["actions/orders.ts", "outside.txt"],
    ] as const) {
      const directory = newFolder();
      mkdirSync(join(directory, link.includes("/") ? "actions" : "."), { recursive: true });
      writeFileSync(join(directory, "../outside.txt"), "theirs");
      mkdirSync(join(directory, "../elsewhere"));
      symlinkSync(join(directory, "..", target), join(directory, link));
      expect(() => scaffold(shop, directory, { force: true }), link).toThrow(expect.objectContaining({ code: "SCAFFOLD_LINK" }));
      expect(textOf(directory, "../outside.txt")).toBe("theirs");
      expect(readdirSync(join(directory, "../elsewhere"))).toEqual([]);
      expect(existsSync(join(directory, "context.ts"))).toBe(false);
    }
  });

  it("is as it was before where the last of its files cannot be written", () => {
    const directory = newFolder();
    scaffold(shop, directory);
    const before = textOf(directory, "actions/orders.ts");
    mkdirSync(join(directory, `.seqqa-scaffold.json.${process.pid}.tmp`));
    expect(() => scaffold(withPay, directory)).toThrow(expect.objectContaining({ code: "SCAFFOLD_NOT_WRITTEN", exitStatus: 2 }));
    expect(textOf(directory, "actions/orders.ts")).toBe(before);
  });

  it("has nothing of a scaffold that failed in the middle", () => {
    const directory = newFolder();
    mkdirSync(directory);
    // The temporary file of a later one has no room.
    mkdirSync(join(directory, `tsconfig.json.${process.pid}.tmp`));
    expect(() => scaffold(shop, directory)).toThrow(expect.objectContaining({ code: "SCAFFOLD_NOT_WRITTEN", exitStatus: 2 }));
    expect(readdirSync(directory)).toEqual([`tsconfig.json.${process.pid}.tmp`]);
  });
});
