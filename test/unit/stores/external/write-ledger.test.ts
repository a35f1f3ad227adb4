import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WriteLedger } from "../../../../src/stores/external/write-ledger.ts";

const row = (table: string, id: number) => ({ table, key: `id ${id}`, was: null, now: { id } });

describe("the ledger of writes to an external store", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "seqqa-ledger-"));
    vi.spyOn(process, "cwd").mockReturnValue(folder);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

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
    const saving = ledger.saveSeldom(ledger.newTables);
    expect(saving.files.map(keysIn)).toEqual([["orders id 7"]]);
    expect(ledger.problem).toMatchObject({ code: "ROWS_UNDONE", exitStatus: 3, message: expect.stringContaining("orders id 7") as string });
    saving.takeBack();
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
    ledger.saveSeldom(tables);
    ledger.forget("add", tables);
    executed(ledger, "add", row("orders", 2));
    expect(ledger.newTables.size).toBe(1);
  });
});
