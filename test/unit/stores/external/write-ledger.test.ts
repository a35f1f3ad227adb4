import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WriteLedger } from "../../../../src/stores/external/write-ledger.ts";
import { useCurrentFolder } from "../../../support/current-folder.ts";

const row = (table: string, id: number) => ({ table, key: `id ${id}`, was: null, now: { id } });

describe("the ledger of writes to an external store", () => {
  const folder = useCurrentFolder();

  const executed = (ledger: WriteLedger, action: string, ...rows: ReturnType<typeof row>[]): void => {
    ledger.begin(action);
    ledger.saw("the store", rows);
  };
  const keysIn = (file: string): readonly string[] =>
    (JSON.parse(readFileSync(file, "utf8")) as { rows: { table: string; key: string }[] }).rows.map(({ table, key }) => `${table} ${key}`);

  it("names the tables that an action writes for the first time", () => {
    const ledger = new WriteLedger();
    executed(ledger, "add", row("a", 1), row("b", 1));
    expect([...ledger.newTables]).toEqual(["the store\na", "the store\nb"]);
    executed(ledger, "add", row("a", 2));
    expect([...ledger.newTables]).toEqual([]);
    executed(ledger, "pay", row("a", 2));
    expect([...ledger.newTables]).toEqual(["the store\na"]);
  });

  it("saves the rows of tables that one execution wrote, and reports them until their cause is known", () => {
    const ledger = new WriteLedger();
    for (const id of [1, 2]) executed(ledger, "add", row("a", id));
    expect(ledger.problem).toBeUndefined();
    executed(ledger, "add", row("a", 3), row("orders", 7));
    const saving = ledger.saveSeldom((_action, table) => ledger.newTables.has(table));
    expect(saving.files.map(keysIn)).toEqual([["orders id 7"]]);
    expect(ledger.problem).toMatchObject({ code: "ROWS_UNDONE", exitStatus: 3, message: expect.stringContaining("orders id 7") as string });
    saving.settle(() => true);
    expect(existsSync(saving.files[0]!)).toBe(false);
    expect(ledger.problem).toBeUndefined();
  });

  it("saves late rows, also after an action that wrote nothing", () => {
    const ledger = new WriteLedger();
    executed(ledger, "add", row("a", 1));
    ledger.saw("the store", [row("orders", 7)]);
    expect(ledger.saveLate().files.map(keysIn)).toEqual([["orders id 7"]]);
    const other = new WriteLedger();
    other.begin("read");
    other.saw("the store", [row("orders", 8)]);
    expect(other.saveLate().files.map(keysIn)).toEqual([["orders id 8"]]);
  });

  it("saves all rows that were written once if executions differ and each table was written often, which is no problem by itself", () => {
    const ledger = new WriteLedger();
    for (const id of [1, 1, 9]) executed(ledger, "add", row("a", id));
    expect(ledger.saveDiffering().map(keysIn)).toEqual([["a id 9"]]);
    expect(ledger.problem).toBeUndefined();
  });

  it("does not count calls of races and faults, and counts a table again that the action did not write when it was repeated", () => {
    const ledger = new WriteLedger();
    ledger.isCounting = false;
    executed(ledger, "add", row("a", 1));
    expect(ledger.newTables.size).toBe(0);
    ledger.isCounting = true;
    executed(ledger, "add", row("orders", 1));
    const tables = ledger.newTables;
    ledger.forget("add", tables);
    executed(ledger, "add", row("orders", 2));
    expect(ledger.newTables.size).toBe(1);
  });

  it("saves only the rows of the asked action, and none of the checks after an action", () => {
    const ledger = new WriteLedger();
    executed(ledger, "add", row("log", 1));
    executed(ledger, "pay", row("log", 2));
    expect(ledger.saveSeldom((action) => action === "pay").files.map(keysIn)).toEqual([["log id 2"]]);
    const other = new WriteLedger();
    executed(other, "add");
    other.end();
    other.saw("the store", [row("log", 1)]);
    expect(other.saveSeldom().files).toEqual([]);
    executed(other, "add", row("log", 2));
    expect([...other.newTables]).toEqual(["the store\nlog"]);
  });

  it("reports rows only after the second execution, and only those that it did not write again", () => {
    const ledger = new WriteLedger();
    executed(ledger, "add", row("a", 1), row("orders", 7));
    const tables = ledger.newTables;
    const saving = ledger.saveSeldom(() => true, false);
    expect(ledger.problem).toBeUndefined();
    executed(ledger, "add", row("a", 2));
    const seldom = ledger.forget("add", tables);
    saving.settle((table) => !seldom.has(table));
    expect(saving.files.map(keysIn)).toEqual([["orders id 7"]]);
    expect(ledger.problem).toMatchObject({ message: expect.stringContaining(": orders id 7. ") as string });
  });

  it("uses one file for each store, which a second divergence without new rows names again", () => {
    const ledger = new WriteLedger();
    for (const id of [1, 1, 9]) executed(ledger, "add", row("a", id));
    const files = ledger.saveDiffering();
    expect(ledger.saveDiffering()).toEqual(files);
    executed(ledger, "add", row("orders", 7));
    expect(ledger.saveDiffering()).toEqual(files);
    expect(files.map(keysIn)).toEqual([["a id 9", "orders id 7"]]);
    expect(readdirSync(folder())).toHaveLength(1);
  });

  it("saves all rows of one reading", () => {
    const ledger = new WriteLedger();
    executed(ledger, "add", ...Array.from({ length: 60_000 }, (_, id) => row("orders", id)));
    expect(keysIn(ledger.saveSeldom().files[0]!)).toHaveLength(60_000);
    expect(ledger.problem!.message).not.toContain("incomplete");
  });

  it("forgets old rows, first of tables that were written often, and says how many rows are missing", () => {
    const ledger = new WriteLedger();
    const many = (table: string): ReturnType<typeof row>[] => Array.from({ length: 30_000 }, (_, id) => row(table, id));
    executed(ledger, "add", row("orders", 7));
    for (let i = 0; i < 3; i++) executed(ledger, "add", ...many("a"));
    expect(ledger.saveSeldom().files.map(keysIn)).toEqual([["orders id 7"]]);
    const other = new WriteLedger();
    for (const table of ["a", "b", "c"]) executed(other, "add", ...many(table));
    const [file] = other.saveSeldom().files;
    // The first two readings lose all rows but one each.
    expect(keysIn(file!)).toHaveLength(30_002);
    expect(readFileSync(file!, "utf8")).toContain('"incomplete": "59998 rows are missing"');
    expect(other.problem!.message).toContain("The file is incomplete: 59998 rows are missing.");
  });

  it("reports the rows of all stores", () => {
    const ledger = new WriteLedger();
    for (const store of ["one", "two"]) {
      ledger.begin("add");
      ledger.saw(store, [row("orders", 7)]);
    }
    ledger.begin("pay");
    for (const store of ["one", "two"]) ledger.saw(store, [row("orders", 8)]);
    ledger.saveSeldom();
    for (const store of ["one", "two"]) expect(ledger.problem!.message).toContain(`Rows of ${store} were written`);
  });
});
