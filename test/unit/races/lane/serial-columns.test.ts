import { describe, expect, it } from "vitest";
import { SerialColumns } from "../../../../src/races/lane/serial-columns.ts";
import { table } from "../../state/support.ts";

describe("columns that a counter numbers", () => {
  const counter = (name: string, column: string) => ({
    name,
    columns: [],
    counters: [{ name: `${name}_seq`, column, shows: "next" as const }],
  });
  const serial = new SerialColumns(new Map([["db", [counter("orders", "seq"), counter("lines", "line"), counter("users", "id")]]]));
  const tables = [
    table("orders", "*id seq", []),
    table("lines", "*order_id>orders.id *line seq", []),
    table("users", "*id", []),
    table("parcels", "*id order_seq>orders.seq user_id>users.id gone>gone.id", []),
  ];
  const marked = (name: string, system = "db"): readonly (string | undefined)[] =>
    serial
      .marked(
        system,
        tables.find((one) => one.name === name)!,
        tables,
      )
      .map((column) => column.serial);

  it("are marked unless they are the whole key, together with the columns that refer to them", () => {
    expect(marked("orders")).toEqual([undefined, "orders.seq"]);
    expect(marked("lines")).toEqual([undefined, "lines.line", undefined]);
    expect(marked("users")).toEqual([undefined]);
    expect(marked("parcels")).toEqual([undefined, "orders.seq", undefined, undefined]);
    expect(marked("orders", "cache")).toEqual([undefined, undefined]);
  });
});
