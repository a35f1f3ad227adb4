import { expect, it } from "vitest";
import { differences, steadyChanges } from "../../../../src/state/index.ts";

/** The changes between states that follow one another. */
const changes = (...states: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  states.slice(1).map((state, step) => differences(states[step]!, state));

const NONE = { fields: [], tables: [], lists: [] };

it("names the fields of rows that get a new value at each step, and no others", () => {
  const line = (quantity: number, note: string): readonly string[] => [
    `systems.db.order_line + {id: #1, quantity: ${quantity}, note: "${note}"}`,
    'systems.db.orders + {id: #2, status: "open"}',
  ];
  expect(steadyChanges(changes(line(1, "a"), line(2, "b"), line(3, "b")))).toEqual({ ...NONE, fields: ["order_line.quantity"] });
  expect(steadyChanges(changes(line(1, "a"), line(2, "b"), line(3, "c")))).toEqual({
    ...NONE,
    fields: ["order_line.note", "order_line.quantity"],
  });
});

it("names no field that gets a value for the second time", () => {
  const rows = (done: number): readonly string[] =>
    [1, 2, 3, 4].map((id) => `systems.db.task + {id: #${id}, name: "task ${id}", status: "${id <= done ? "done" : "open"}"}`);
  expect(steadyChanges(changes(rows(0), rows(1), rows(2), rows(3)))).toEqual(NONE);
  const toggled = (open: boolean): readonly string[] => [`context.open = ${open}`];
  expect(steadyChanges(changes(toggled(true), toggled(false), toggled(true), toggled(false)))).toEqual(NONE);
});

it("names tables that get a row, whatever ids are called, and lists that get an item", () => {
  const state = (count: number): readonly string[] => [
    ...Array.from({ length: count }, (_, at) => `systems.db.orders + {id: #${count - at}, status: "open"}`),
    ...(count === 0 ? ["context.cart = []"] : Array.from({ length: count }, (_, at) => `context.cart[${at}].name = "pen"`)),
  ];
  expect(steadyChanges(changes(state(0), state(1), state(2), state(3)))).toEqual({
    fields: [],
    tables: ["orders"],
    lists: ["context.cart"],
  });
});

it("names nothing where different things change, or nothing is shown", () => {
  expect(
    steadyChanges(changes(["context.a = 1", "context.b = 1"], ["context.a = 2", "context.b = 1"], ["context.a = 2", "context.b = 2"])),
  ).toEqual(NONE);
  expect(steadyChanges([[], []])).toEqual(NONE);
  expect(steadyChanges([])).toEqual(NONE);
});
