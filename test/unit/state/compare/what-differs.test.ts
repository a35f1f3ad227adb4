import { expect, it } from "vitest";
import { mark } from "../../../../src/state/canonical/same-names.ts";
import { stateView, whatDiffers } from "../../../../src/state/compare/what-differs.ts";
import { NO_ORIGINS, type Origin, type TimeOrigin } from "../../../../src/state/values/origins.ts";

const view = (...lines: readonly string[]) => stateView(lines, NO_ORIGINS);
const TOKEN = JSON.stringify(["tables", "db", "sessions", "token"]);
const EXPIRY = JSON.stringify(["clients", "", "[]", "token", "{jwt}", "claims", "exp"]);

function made(label: string, source: string) {
  const id: Origin = { label, shape: "", step: 1, domain: TOKEN, ancestry: [], source: "" };
  const time: TimeOrigin = { name: "step0", step: 1, domain: EXPIRY, isFuture: false, source };
  return stateView(["context.token = x"], { ids: new Map([["a", id]]), times: new Map([[1, time]]) });
}

it("names fields without their values, and tables and lists with another number of rows or items", () => {
  const first = view('systems.db.orders + {id: 1, status: "paid"}', 'context.cart[0] = "secret"', 'context.user = "ann"');
  const second = view('systems.db.orders + {id: 1, status: "open"}', "systems.db.orders + {id: 2}", 'context.user = "bob"');
  const fields = "context.user, orders.status, the number of items in context.cart, the number of rows in orders";
  expect(whatDiffers(first, second)).toBe(`The two states differ in ${fields}.`);
});

it("names places whose generated values belong to other rows", () => {
  const [one, two] = [mark("", 1), mark("", 2)];
  const rows = [`systems.db.orders + {id: ${one}, status: "paid"}`, `systems.db.orders + {id: ${two}, status: "open"}`];
  const first = view(...rows, `context.order = ${one}`);
  const second = view(...rows, `context.order = ${two}`);
  expect(whatDiffers(first, second)).toBe("The two states differ in context.order.");
});

it("names the values that other requests generated, if the states look the same", () => {
  const text = "The two states look the same, but requests with different contents generated the values of";
  expect(whatDiffers(made("a", "login@x"), made("b", "login@x"))).toBe(`${text} sessions.token.`);
  expect(whatDiffers(made("a", "login@x"), made("b", "login@y"))).toBe(`${text} clients.""[].token."{jwt}".claims.exp, sessions.token.`);
  expect(whatDiffers(made("a", "login@x"), made("a", "login@x"))).toBe(
    "The two states differ only in the order in which their values were generated.",
  );
});

it("names a few of many fields", () => {
  const many = (value: number) => view(...Array.from({ length: 8 }, (_, at) => `context.key${at} = ${value}`));
  expect(whatDiffers(many(1), many(2))).toBe(
    "The two states differ in context.key0, context.key1, context.key2, context.key3, context.key4 and 3 more.",
  );
});
