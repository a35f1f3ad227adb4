import { expect, it } from "vitest";
import { placeLines, walkedLines } from "../../../../../src/reports/console/findings/walked-text.ts";
import { sinceRoot } from "../../../../../src/lane/navigate/since-root.ts";
import { coloursFor } from "../../../../../src/reports/index.ts";

const colours = coloursFor({ isTTY: false }, {});

it("shows a changed row of the root state as a removed and an added line, with one sign each", () => {
  const changes = ['+ systems.db.stock + {item: "lamp", available: 1}', '+ systems.db.stock - {item: "lamp", available: 2}'];
  const step = { action: "place", kind: "executed", message: "", requests: [], changes, held: [], broken: [], errors: [] } as const;
  expect(walkedLines(1, step as never, { colours, verbose: false })).toEqual([
    "1. place",
    '   - systems.db.stock {item: "lamp", available: 2}',
    '   + systems.db.stock {item: "lamp", available: 1}',
  ]);
});

it("shows a state compared with the root state, with the sign of a row first", () => {
  const lines = [
    'clients.user.token = "t"',
    'context.token = "a"',
    'systems.db.stock + {item: "lamp"}',
    'systems.db.stock - {item: "lamp + {1}"}',
  ];
  const root = ['clients.user.token = "t"', 'context.order = "1"'];
  expect(sinceRoot(root, root)).toEqual([]);
  const changes = sinceRoot(root, lines);
  expect(placeLines({ id: "c59267ea0011", changes, applicable: ["pay"] } as never, ["pay", "ship"], colours)).toEqual([
    "State c59267ea, compared with the root state",
    '   context.token = "a"',
    '   + systems.db.stock {item: "lamp"}',
    '   - systems.db.stock {item: "lamp + {1}"}',
    '   - context.order = "1"',
    "Next, 1 of 2 actions apply: pay",
  ]);
});
