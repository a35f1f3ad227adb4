import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as rules from "../../../src/rules/index.ts";
import { suggest, suggestionCode, suggestionLines } from "../../../src/suggest/index.ts";
import { size } from "../../sizes.ts";
import { explore, type ModelAction, type Tables } from "../../support/explored-model.ts";

type Order = { id: number; user_id: number; status: string; amount: number; refunded: number; shipped_at: string | null };

const orders = (tables: Tables): readonly Order[] => tables["orders"] as unknown as readonly Order[];
const change =
  (from: readonly string[], patch: (order: Order) => Partial<Order>): ModelAction =>
  (tables) => {
    const last = orders(tables).at(-1);
    if (last === undefined || !from.includes(last.status)) return undefined;
    return { ...tables, orders: [...orders(tables).slice(0, -1), { ...last, ...patch(last) }] };
  };

/** A shop: `refundTwice` is its defect. */
const shop = (refundTwice = false): Readonly<Record<string, ModelAction>> => ({
  create: (tables) =>
    orders(tables).length === 3
      ? undefined
      : {
          ...tables,
          orders: [
            ...orders(tables),
            {
              id: orders(tables).length + 1,
              user_id: 1 + (orders(tables).length % 2),
              status: "created",
              amount: 100,
              refunded: 0,
              shipped_at: null,
            },
          ],
        },
  pay: change(["created"], () => ({ status: "paid" })),
  ship: change(["paid"], () => ({ status: "shipped", shipped_at: "2026-01-01" })),
  refund: change(refundTwice ? ["paid", "refunded"] : ["paid"], (order) => ({
    status: "refunded",
    refunded: order.refunded + (order.refunded < 200 ? 100 : 0),
  })),
});
const ROOT: Tables = {
  orders: [],
  users: [
    { id: 1, email: "ann@x.org" },
    { id: 2, email: "bob@x.org" },
    { id: 3, email: "eve@x.org" },
  ],
};

const held = (of: ReturnType<typeof explore>): readonly string[] => suggest(of).held.map(({ code }) => code);

describe("what an exploration suggests", () => {
  it("is the rules of a shop, and nothing else", () => {
    expect(held(explore(ROOT, shop()))).toEqual([
      'transitions("orders.status", { created: ["paid"], paid: ["refunded","shipped"] }, { initial: ["created"] })',
      'neverAbove("orders.refunded", "orders.amount")',
      "rejectedMeansUnchanged()",
      "noServerErrors()",
      'unique("users.email")',
      'immutable(["orders.user_id","orders.amount"])',
      'references("orders.user_id", "users.id")',
      'implies("orders", { status: ["created","paid","refunded"] }, { shipped_at: null })',
      'implies("orders", { status: ["created","paid","shipped"] }, { refunded: 0 })',
      'implies("orders", { status: "refunded" }, { refunded: { not: 0 } })',
      'implies("orders", { status: "shipped" }, { shipped_at: { not: null } })',
    ]);
  });

  it("of a server with a defect shows it beside the rule that it nearly kept, with the calls that lead there", () => {
    const of = explore(ROOT, shop(true));
    const { held: all, nearlyHeld } = suggest(of);
    expect(all.map(({ rule }) => rule)).not.toContain("neverAbove");
    expect(nearlyHeld.map(({ code }) => code)).toContain('neverAbove("orders.refunded", "orders.amount")');
    const text = suggestionLines(of, suggest(of), 10).join("\n");
    expect(text).toContain("Rules that nearly held (either the API has a defect, or the rule is wrong)");
    expect(text).toContain("broken    orders.refunded is 200, and its limit is 100 (state ");
    expect(text).toContain("create -> pay -> refund -> refund)");
  });

  it("of a server with a frequent defect marks what the defect added, and shows what it broke in a long chain of states", () => {
    const actions = {
      ...shop(),
      refund: change(["paid", "refunded"], ({ refunded }) => ({ status: "refunded", refunded: refunded + 100 })),
      cancel: change(["created", "shipped"], () => ({ status: "cancelled" })),
    };
    const of = explore(ROOT, actions, { most: 400 });
    const transitionsOf = (one: typeof of) => suggest(one).held.find(({ rule }) => rule === "transitions")!;
    const transitions = transitionsOf(of);
    expect(transitions.evidence).toMatch(/^created to paid \d+ times \(pay\), created to cancelled \d+ times \(cancel\), /);
    expect(transitions.doubts!.map((one) => one.replace(/\d+/, "n"))).toEqual([
      "shipped to cancelled n times (cancel): also made from created, which is an earlier status; no other action leaves shipped",
    ]);
    const reopen = change(["refunded"], () => ({ status: "created", refunded: 0 }));
    expect(transitionsOf(explore(ROOT, { ...shop(), reopen })).doubts).toEqual([
      expect.stringMatching(/^refunded to created \d+ times \(reopen\): back to an earlier status$/),
    ]);
    expect(transitionsOf(explore(ROOT, shop())).doubts).toEqual([]);
    const lines = suggestionLines(of, suggest(of), 10);
    expect(lines.find((line) => line.startsWith("      check this: "))).toContain("shipped to cancelled");
    expect(suggestionCode(of.name, [transitions])).toContain("  // Check this: shipped to cancelled");
    expect(suggest(of).nearlyHeld.map(({ code }) => code)).toContain('neverAbove("orders.refunded", "orders.amount")');
  });

  it("names the action before the state in which it was executed, and zero as a number", () => {
    const of = explore(ROOT, shop());
    const text = suggestionLines(of, suggest(of), 20).join("\n");
    expect(text).toContain("nearest to breaking the rule: pay was answered 409 (pay in state 00000000, the root state)");
    expect(text).toContain("orders.refunded is not 0 with refunded");
    expect(text).toContain("orders.refunded is 0 with created");
  });

  it("names nearly held rules that the same states break once, and those that do not hold in many states last", () => {
    const row = (tables: Tables) => tables["a"]![0] as { id: number; used: number; most: number; price: number; total: number };
    const step =
      (can: (one: ReturnType<typeof row>) => boolean, patch: (one: ReturnType<typeof row>) => object): ModelAction =>
      (tables) =>
        can(row(tables)) ? ({ a: [{ ...row(tables), ...patch(row(tables)) }] } as never) : undefined;
    const of = explore(
      { a: [{ id: 1, used: 0, most: 2, price: 1, total: 5 }] },
      {
        use: step(
          ({ used }) => used < 4,
          ({ used }) => ({ used: used + 1 }),
        ),
        back: step(
          ({ used }) => used > 0,
          ({ used }) => ({ used: used - 1 }),
        ),
        raise: step(
          ({ price }) => price < 7,
          ({ price }) => ({ price: price + 1 }),
        ),
        lower: step(
          ({ price }) => price > 1,
          ({ price }) => ({ price: price - 1 }),
        ),
      },
    );
    const suggestions = suggest(of);
    expect(suggestions.nearlyHeld.map(({ code, broken }) => [code, broken.length])).toEqual([
      ['neverAbove("a.used", "a.price")', 6],
      ['neverAbove("a.price", "a.total")', 10],
      ['neverAbove("a.used", "a.most")', 14],
    ]);
    const twin = { ...suggestions.nearlyHeld[0]!, code: "twin()" };
    const lines = suggestionLines(of, { ...suggestions, nearlyHeld: [...suggestions.nearlyHeld, twin] }, 10);
    const at = lines.indexOf("      broken in the same states: twin()");
    expect(lines.slice(0, at).findLast((line) => line.startsWith("  !  "))).toBe('  !  neverAbove("a.used", "a.price")');
    expect(lines.filter((line) => line.startsWith("  !  "))).toHaveLength(3);
  });

  it("leaves out what breaks the user's rules, and rules that there are", () => {
    const isFinding = (tables: Tables): boolean => orders(tables).some(({ refunded, amount }) => refunded > amount);
    const of = explore(ROOT, shop(true), { isFinding, rules: ["no_server_errors"] });
    expect(held(of)).toContain('neverAbove("orders.refunded", "orders.amount")');
    expect(held(of)).not.toContain("noServerErrors()");
    expect(suggest(of).violating).toBeGreaterThan(0);
  });

  it("has totals that no call changes: of one column, and of one column and the rows of a status", () => {
    const pay: ModelAction = (tables) => {
      const [a, b] = tables["accounts"] as unknown as readonly { id: number; balance: number }[];
      return a!.balance < 10
        ? undefined
        : {
            accounts: [
              { ...a!, balance: a!.balance - 10 },
              { ...b!, balance: b!.balance + 10 },
            ],
          };
    };
    const back: ModelAction = (tables) => {
      const [a, b] = tables["accounts"] as unknown as readonly { id: number; balance: number }[];
      return b!.balance < 10
        ? undefined
        : {
            accounts: [
              { ...a!, balance: a!.balance + 10 },
              { ...b!, balance: b!.balance - 10 },
            ],
          };
    };
    expect(
      held(
        explore(
          {
            accounts: [
              { id: 1, balance: 50 },
              { id: 2, balance: 0 },
            ],
          },
          { pay, back },
        ),
      ),
    ).toEqual(expect.arrayContaining(['conserved("accounts.balance")', 'neverNegative("accounts.balance")']));
    type Shelf = { stock: readonly { item: string; available: number }[]; seats: readonly { id: number; state: string }[] };
    const take: ModelAction = (tables) => {
      const { stock, seats } = tables as unknown as Shelf;
      if (stock[0]!.available === 0) return undefined;
      return { stock: [{ item: "lamp", available: stock[0]!.available - 1 }], seats: [...seats, { id: seats.length + 1, state: "held" }] };
    };
    const cancel: ModelAction = (tables) => {
      const { stock, seats } = tables as unknown as Shelf;
      const at = seats.findIndex(({ state }) => state !== "cancelled");
      if (at < 0) return undefined;
      return {
        stock: [{ item: "lamp", available: stock[0]!.available + 1 }],
        seats: seats.with(at, { ...seats[at]!, state: "cancelled" }),
      };
    };
    const sell: ModelAction = (tables) => {
      const { stock, seats } = tables as unknown as Shelf;
      const at = seats.findIndex(({ state }) => state === "held");
      return at < 0 ? undefined : { stock, seats: seats.with(at, { ...seats[at]!, state: "sold" }) };
    };
    expect(held(explore({ stock: [{ item: "lamp", available: 3 }], seats: [] }, { take, cancel, sell }))).toContain(
      'conserved("stock.available", { rows: { "seats.state": ["held","sold"] } })',
    );
  });

  it("never holds where one state breaks it: amounts above others, ids that nobody has, equal e-mail addresses", () => {
    const value = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value, fc.integer({ min: 1, max: 4 })), { minLength: 6, maxLength: 30 }),
        fc.nat(),
        (rows, at) => {
          const world = rows.map(([part, whole, owner], index) => ({
            users: [1, 2, 3, 4].map((id) => ({ id, email: `u${id}@x.org` })),
            lines: [{ id: 1, user_id: owner, part: Math.min(part, whole), whole, step: index }],
          }));
          const walk = (tables: Tables): Tables | undefined => world[(tables["lines"]![0]!["step"] as number) + 1];
          const codes = ['neverAbove("lines.part", "lines.whole")', 'references("lines.user_id", "users.id")', 'unique("users.email")'];
          const before = held(explore(world[0]!, { walk }));
          const spoilt = at % world.length;
          world[spoilt] = {
            users: world[spoilt]!.users.map((user) => ({ ...user, email: "same@x.org" })),
            lines: [{ ...world[spoilt]!.lines[0]!, user_id: 9, part: 50 }],
          };
          const after = held(explore(world[0]!, { walk }));
          expect(codes.filter((code) => after.includes(code))).toEqual([]);
          // What it says of the world without a defect is so.
          if (before.includes(codes[0]!)) expect(rows.some(([part, whole]) => Math.min(part, whole) === whole)).toBe(true);
        },
      ),
      { numRuns: size(12, 100) },
    );
  });

  it("is nothing where there are no rows, and where lines were cut or are of somebody else", () => {
    const of = explore(ROOT, shop());
    expect(suggest({ ...of, root: [], states: of.states.map((one) => ({ ...one, lines: [] })) }).tables).toEqual([]);
    const cut = suggest({
      ...of,
      states: of.states.map((one) => ({ ...one, lines: ['systems.db.orders + {id: 1, note: "x... (900 characters)'] })),
    });
    expect(cut).toMatchObject({ unread: of.states.length, tables: ["users"] });
    const odd = ["systems.db.orders + {", 'systems.db."a\\q" + {id: 1}', "systems.db.orders - {id: 7}", "", "= = ="];
    expect(() => suggest({ ...of, states: of.states.map((one) => ({ ...one, lines: odd })) })).not.toThrow();
  });
});

describe("names in camel case", () => {
  const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const renamed = (row: object): object => Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value as unknown]));

  it("are read like names in snake case", () => {
    const step =
      (to: string): ModelAction =>
      ({ sales, ...tables }) => {
        const [row] = sales!;
        return { ...tables, sales: [{ ...row!, status: to }, ...sales!.slice(1)] };
      };
    const actions = Object.fromEntries(["open", "paid", "sent", "done", "gone"].map((to) => [to, step(to)]));
    const sale = (id: number, code: string): object => ({
      id,
      status: "open",
      first_name: id === 1 ? "Ann" : "Bob",
      country_code: id === 1 ? "DE" : "FR",
      phone_number: `1${id}`,
      invoice_number: code,
      buyer_id: 1,
    });
    const root = { buyers: [{ id: 1 }, { id: 2 }], others: [{ id: 1 }], sales: [sale(1, "a1"), sale(2, "b2")] } as unknown as Tables;
    const snake = held(explore(root, actions));
    expect(snake).toEqual(
      expect.arrayContaining([
        'unique("sales.invoice_number")',
        'immutable(["sales.invoice_number","sales.buyer_id"])',
        'references("sales.buyer_id", "buyers.id")',
      ]),
    );
    expect(snake.filter((code) => /first_name|country_code|phone_number/.test(code))).toEqual([]);
    const inCamel = { ...root, sales: root["sales"]!.map(renamed) } as unknown as Tables;
    expect(held(explore(inCamel, actions)).toSorted()).toEqual(snake.map(camel).toSorted());
  });
});

describe("a column of small numbers", () => {
  const accounts = [1, 2, 3].map((id) => ({ id, label: `a${id}` }));
  const found = (root: Tables): readonly string[] => {
    const add: ModelAction = ({ categories, ...tables }) =>
      categories!.length > 4
        ? undefined
        : { ...tables, categories: [...categories!, { ...categories![0]!, id: categories!.length + 1, parent_id: categories!.length }] };
    return held(explore(root, { add })).filter((code) => code.startsWith("references"));
  };

  it("refers to its own table if its name says so", () => {
    expect(found({ accounts, categories: [{ id: 1, parent_id: null }] })).toEqual(['references("categories.parent_id", "categories.id")']);
  });

  it("refers to no table if several fit", () => {
    const categories = [{ id: 1, parent_id: null, region_id: 1 }];
    const regions = found({ accounts, places: accounts, categories });
    expect(regions).toEqual(['references("categories.parent_id", "categories.id")']);
  });

  it("refers to the table of persons if its name says so", () => {
    const categories = [{ id: 1, parent_id: null, owner_id: 1 }];
    expect(found({ areas: accounts, users: accounts, categories })).toContain('references("categories.owner_id", "users.id")');
  });
});

describe("a reference that the schema declares", () => {
  const to = { table: "users", column: "id" };
  const declared = { store: "db", table: "orders", column: "user_id", to };
  const code = 'references("orders.user_id", "users.id")';

  it("is not suggested if the database checks it", () => {
    const of = explore(ROOT, shop());
    expect(held(of)).toContain(code);
    expect(held({ ...of, references: [{ ...declared, isChecked: true }] })).toEqual(held(of).filter((one) => one !== code));
    expect(held({ ...of, references: [{ ...declared, to: { ...to, table: "members" }, isChecked: true }] })).toEqual(held(of));
  });

  it("comes last and is marked if the database checks it only in some connections", () => {
    const of = { ...explore(ROOT, shop()), references: [{ ...declared, isChecked: false }] };
    expect(suggest(of).held.at(-1)).toMatchObject({
      code,
      evidence: expect.stringContaining("declares a foreign key, but the store does not check it in every connection") as string,
    });
  });

  it("is recognised whatever the name of its column", () => {
    const root = { places: [{ id: 1 }], others: [{ id: 1 }], visits: [{ id: 1, spot: 1, count: 1 }] };
    const visit: ModelAction = (tables) => {
      const [row] = tables["visits"]! as unknown as [{ count: number }];
      return row.count > 4 ? undefined : { ...tables, visits: [{ ...row, count: row.count + 1 }] };
    };
    const of = explore(root, { visit });
    const foreign = { store: "db", table: "visits", column: "spot", to: { table: "places", column: "id" }, isChecked: false };
    expect(held(of)).not.toContain('references("visits.spot", "places.id")');
    expect(held({ ...of, references: [foreign] })).toContain('references("visits.spot", "places.id")');
  });
});

describe("lines that the run did not store", () => {
  const of = explore(ROOT, shop());
  const long = `systems.db.notes + {id: 1, text: "${"x".repeat(380)}... (900 characters)`;

  it("hide only their table", () => {
    const cut = { ...of, states: of.states.map((one, node) => (node === 0 ? one : { ...one, lines: [long, ...one.lines!] })) };
    expect(held(cut)).toEqual(held(of));
    expect(suggest(cut).unread).toBe(of.states.length - 1);
    expect(suggestionLines(cut, suggest(cut), 10)[0]).toContain(
      `without some rows of ${of.states.length - 1} states, which were not stored`,
    );
  });

  it("hide the last table of a list, and the tables after it", () => {
    const states = of.states.map((one) => ({ ...one, lines: [...one.lines!, "... and 7 more lines"] }));
    const all = held({ ...of, states });
    expect(all.filter((code) => code.includes("users"))).toEqual([]);
  });

  it("hide the tables of a root state that was not stored completely", () => {
    const many = Array.from({ length: 2000 }, (_, id) => `systems.db.countries + {id: ${id}, code: "c${id}"}`);
    const large = (root: readonly string[]): readonly string[] => held({ ...of, root: [...root, ...of.root] });
    expect(large(many.slice(0, 200))).toContain('references("orders.user_id", "users.id")');
    expect(held({ ...of, root: [...many.slice(0, -2), ...of.root.slice(0, 2)] }).filter((code) => code.includes("users"))).toEqual([]);
  });
});

describe("columns of decimal numbers, which databases show as text", () => {
  type Account = { readonly id: number; readonly balance: string; readonly code: string };
  const move =
    (from: number, to: number): ModelAction =>
    ({ accounts }) => {
      const all = accounts as unknown as readonly Account[];
      if (Number(all[from]!.balance) < 10) return undefined;
      const by = [0, 0];
      [by[from], by[to]] = [-10, 10];
      return {
        accounts: all.map((one, index) => ({
          ...one,
          balance: (Number(one.balance) + by[index]!).toFixed(2),
          code: `00${by[index]! + 20}`,
        })),
      };
    };
  const accounts = (first: string, second: string): Tables => ({
    accounts: [
      { id: 1, balance: first, code: "0020" },
      { id: 2, balance: second, code: "0020" },
    ],
  });

  it("are amounts, and codes without a fraction are not", () => {
    const found = held(explore(accounts("50.00", "0.00"), { pay: move(0, 1), back: move(1, 0) }));
    expect(found).toEqual(expect.arrayContaining(['conserved("accounts.balance")', 'neverNegative("accounts.balance")']));
    expect(found.filter((code) => code.includes("accounts.code"))).toEqual([]);
  });

  it("are added exactly, so that no rule is suggested that fails", () => {
    const reserve =
      (from: "free" | "held", to: "free" | "held", received: number): ModelAction =>
      ({ wallets }) => {
        const [wallet] = wallets as unknown as readonly Readonly<Record<"free" | "held", string>>[];
        if (Number(wallet![from]) < 10) return undefined;
        const [left, more] = [Number(wallet![from]) - 10, Number(wallet![to]) + received];
        return { wallets: [{ ...wallet, id: 1, [from]: left.toFixed(8), [to]: more.toFixed(8) }] };
      };
    const suggested = (received: number): readonly string[] =>
      held(
        explore(
          { wallets: [{ id: 1, free: "50.00000000", held: "0.00000000" }] },
          { reserve: reserve("free", "held", received), release: reserve("held", "free", 10) },
        ),
      );
    expect(suggested(10)).toContain('conserved(["wallets.free","wallets.held"])');
    expect(suggested(9.99999999)).not.toContain('conserved(["wallets.free","wallets.held"])');
  });
});

describe("a table with generated keys", () => {
  type Item = { readonly status: string; readonly sku?: string; readonly number?: number };
  const items = (tables: Tables): readonly Item[] => tables["items"] as unknown as readonly Item[];
  /** Rows in a fixed order. Their ids are placeholders in this order, so a row may have another placeholder after a step. */
  const rows = (all: readonly Item[]): Tables => {
    const sorted = all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { items: sorted.map(({ status, ...other }, index) => ({ status, ...other, id: `#${index + 1}` })) };
  };
  const all =
    (from: readonly string[], patch: (item: Item) => Partial<Item>): ModelAction =>
    (tables) =>
      items(tables).some(({ status }) => from.includes(status))
        ? rows(items(tables).map((item) => (from.includes(item.status) ? { ...item, ...patch(item) } : item)))
        : undefined;
  const first =
    (from: string, to: string): ModelAction =>
    (tables) => {
      const at = items(tables).findIndex(({ status }) => status === from);
      return at < 0 ? undefined : rows(items(tables).with(at, { ...items(tables)[at]!, status: to }));
    };
  const create: ModelAction = (tables) => (items(tables).length > 0 ? undefined : rows([{ status: "pending" }, { status: "pending" }]));
  const actions = { create, ship: first("pending", "shipped"), take: first("shipped", "taken") };

  it("shows the transitions of a step that changes several rows", () => {
    const cancel = all(["pending", "shipped"], () => ({ status: "cancelled" }));
    const found = suggest(explore(rows([]), { ...actions, cancel }));
    expect(found.held.map(({ code }) => code)).toContain(
      'transitions("items.status", { pending: ["cancelled","shipped"], shipped: ["cancelled","taken"] }, { initial: ["pending"] })',
    );
    expect(found.withheld).toEqual([]);
  });

  const advance = all(["pending", "shipped"], ({ status }) => ({ status: status === "pending" ? "shipped" : "taken" }));

  it("withholds transitions if nothing shows which row became which, and says so", () => {
    const three: ModelAction = (tables) =>
      items(tables).length > 0 ? undefined : rows([{ status: "pending" }, { status: "pending" }, { status: "pending" }]);
    const mixed: ModelAction = (tables) => {
      const statuses = new Set(items(tables).map(({ status }) => status));
      return statuses.has("pending") && statuses.has("shipped") ? advance(tables) : undefined;
    };
    const of = explore(rows([]), { create: three, ship: actions.ship, mixed });
    const found = suggest(of);
    expect(found.held.filter(({ rule }) => rule === "transitions")).toEqual([]);
    expect(found.withheld.map(({ rule }) => rule)).toEqual(["transitions"]);
    expect(suggestionLines(of, found, 10).join("\n")).toContain(
      "      not judged in 2 steps: they replaced several rows, and the generated keys do not show which row became which",
    );
  });

  it("recognises rows by the columns that a step left unchanged", () => {
    const two: ModelAction = (tables) =>
      items(tables).length > 0
        ? undefined
        : rows([
            { status: "pending", sku: "a", number: 1 },
            { status: "pending", sku: "b", number: 1 },
          ]);
    const next = all(["pending", "shipped"], ({ status, number }) => ({
      status: status === "pending" ? "shipped" : "taken",
      number: number! + 1,
    }));
    const found = suggest(explore(rows([]), { ...actions, create: two, advance: next }));
    expect(found.held.map(({ code }) => code)).toContain(
      'transitions("items.status", { pending: ["shipped"], shipped: ["taken"] }, { initial: ["pending"] })',
    );
    expect(found.withheld).toEqual([]);
  });

  it("is not immutable in a column that a step changes in several rows", () => {
    const two: ModelAction = (tables) =>
      items(tables).length > 0
        ? undefined
        : rows([
            { status: "pending", number: 1 },
            { status: "pending", number: 1 },
          ]);
    const renumber: ModelAction = (tables) =>
      items(tables).length === 2 && items(tables).every(({ status, number }) => status === "pending" && number === 1)
        ? rows(items(tables).map((item) => ({ ...item, number: 2 })))
        : undefined;
    const codes = (more: Readonly<Record<string, ModelAction>>): readonly string[] =>
      held(explore(rows([]), { ...actions, create: two, ...more }));
    expect(codes({})).toContain('immutable("items.number")');
    expect(codes({ renumber })).not.toContain('immutable("items.number")');
  });
});

describe("placeholders that a step renames", () => {
  type Project = { readonly team: string; readonly name: string; readonly created_at: string };
  type Task = { readonly team: string; readonly title: string };
  interface Office {
    readonly notes: number;
    readonly teams: readonly string[];
    readonly projects: readonly Project[];
    readonly tasks: readonly Task[];
  }
  const offices = new WeakMap<Tables, Office>();
  /** Rows as states show them: ids are numbered over all tables, so a note that comes or goes renames all others. */
  const shown = (office: Office): Tables => {
    let next = 1;
    const id = (): string => `#${next++}`;
    const notes = Array.from({ length: office.notes }, () => ({ id: id(), text: "Ideas" }));
    const teams = office.teams.map((name) => ({ id: id(), name }));
    const idOf = (team: string): string => teams.find(({ name }) => name === team)!.id;
    const tables = {
      notes,
      teams,
      projects: office.projects.map(({ team, ...other }) => ({ id: id(), parent: idOf(team), ...other })),
      tasks: office.tasks.map(({ team, ...other }) => ({ id: id(), parent: idOf(team), ...other })),
    };
    offices.set(tables, office);
    return tables;
  };
  const act =
    (next: (office: Office) => Partial<Office> | undefined): ModelAction =>
    (tables) => {
      const office = offices.get(tables)!;
      const patch = next(office);
      return patch === undefined ? undefined : shown({ ...office, ...patch });
    };
  const root = shown({
    notes: 0,
    teams: ["Support", "Sales"],
    projects: [{ team: "Support", name: "Website", created_at: "<now>" }],
    tasks: [
      { team: "Support", title: "Call" },
      { team: "Sales", title: "Visit" },
    ],
  });
  const note = act(({ notes }) => (notes === 4 ? undefined : { notes: notes + 1 }));
  const forget = act(({ notes }) => (notes === 0 ? undefined : { notes: notes - 1 }));
  const rename = act(({ tasks }) => ({ tasks: [{ ...tasks[0]!, title: tasks[0]!.title === "Call" ? "Write" : "Call" }, tasks[1]!] }));
  const immutables = (actions: Readonly<Record<string, ModelAction>>): readonly string[] =>
    held(explore(root, { note, forget, ...actions })).filter((code) => code.startsWith("immutable"));

  it("are no changes of the other rows", () => {
    expect(immutables({})).toEqual([]);
  });

  it("refer to the same row as before", () => {
    expect(immutables({ rename })).toEqual(['immutable("tasks.parent")']);
  });

  it("hide no change of a reference", () => {
    const move = act(({ tasks }) => ({ tasks: [{ ...tasks[0]!, team: tasks[0]!.team === "Sales" ? "Support" : "Sales" }, tasks[1]!] }));
    expect(immutables({ rename, move })).toEqual([]);
  });

  it("are not needed for columns whose changes states do not show", () => {
    const retitle = act(({ projects: [one] }) => ({ projects: [{ ...one!, name: one!.name === "Website" ? "Shop" : "Website" }] }));
    expect(immutables({ retitle })).toEqual(['immutable("projects.parent")']);
  });

  it("are counted within a state, and a reference that only its values suggest ranks below one by name", () => {
    const named = { owners: [{ id: "#1" }, { id: "#2" }], lines: [{ id: 1, owner_id: "#1", account_id: "#2" }] } as unknown as Tables;
    const swap: ModelAction = (tables) => {
      const [row] = tables["lines"]!;
      return row!["id"] === 5
        ? undefined
        : { ...tables, lines: [{ id: Number(row!["id"]) + 1, owner_id: row!["account_id"]!, account_id: row!["owner_id"]! }] };
    };
    const found = suggest(explore(named, { swap })).held.filter(({ rule }) => rule === "references");
    expect(found.map(({ code, evidence }) => [code, evidence])).toEqual([
      ['references("lines.owner_id", "owners.id")', "1 value of lines.owner_id in a state"],
      [
        'references("lines.account_id", "owners.id")',
        "1 value of lines.account_id in a state; only the values suggest it, the name does not",
      ],
    ]);
  });
});

describe("an exploration of a SQL store and a Redis store", () => {
  const redis = [
    'systems.cache.zset + {key: "board", member: "ann", score: 3}',
    'systems.cache.db3_hash + {key: "session:1", field: "user", value: "1"}',
    'systems.cache.expires + {key: "session:1", lifetime: 60000}',
  ];

  it("suggests the rules of the SQL store alone, which need no name of the store", () => {
    const of = explore(ROOT, shop());
    const both = {
      ...of,
      root: [...of.root, ...redis.slice(0, 1)],
      states: of.states.map((one) => ({ ...one, lines: [...one.lines!, ...redis.slice(1)] })),
    };
    expect(held(both)).toEqual(held(of));
    expect(suggest(both).tables).toEqual(suggest(of).tables);
  });

  it("suggests rules about tables of a SQL store that are called like those of Redis", () => {
    const stock = (n: number): Tables => ({ hash: [{ id: 1, value: 5 - n }], string: [{ key: "a", value: n }] });
    const all = held(
      explore(stock(0), { take: ({ string }) => (string![0]!["value"] === 3 ? undefined : stock(Number(string![0]!["value"]) + 1)) }),
    );
    expect(all.join("\n")).toContain('"hash.value"');
  });
});

describe("suggestions as TypeScript", () => {
  it("name only functions of seqqa/rules, and make the rules that they say", () => {
    const of = explore(ROOT, shop());
    const { held: all } = suggest(of);
    const code = suggestionCode(of.name, all);
    const js = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } }).outputText;
    const module = { exports: {} as { suggested?: readonly { readonly name: string }[] } };
    new Function("require", "module", "exports", js)(() => rules, module, module.exports);
    expect(module.exports.suggested!.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
  });

  it("have names and values of a hostile database as literals alone", () => {
    const evil = '"); process.exit(7); //\u2028\n*/ `${1}`';
    const root: Tables = { [evil]: [], __proto__x: [] };
    const add: ModelAction = (tables) =>
      tables[evil]!.length === 3
        ? undefined
        : { ...tables, [evil]: [...tables[evil]!, { id: tables[evil]!.length + 1, status: "new", [evil]: null, __proto__: "x" }] };
    const next: ModelAction = (tables) => {
      const last = tables[evil]!.at(-1);
      return last?.["status"] !== "new"
        ? undefined
        : { ...tables, [evil]: [...tables[evil]!.slice(0, -1), { ...last, status: "done", [evil]: evil }] };
    };
    const of = explore(root, { add, next });
    const { held: all } = suggest(of);
    expect(all.some(({ code }) => code.includes("process.exit"))).toBe(true);
    const code = suggestionCode(evil, all);
    const file = ts.createSourceFile("x.ts", code, ts.ScriptTarget.ES2022, true);
    const names = new Set<string>();
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) names.add(node.expression.getText());
      if (ts.isTemplateExpression(node)) names.add("a template");
      ts.forEachChild(node, visit);
    };
    visit(file);
    expect((file as unknown as { readonly parseDiagnostics: readonly unknown[] }).parseDiagnostics).toEqual([]);
    expect(file.statements).toHaveLength(2);
    expect([...names].filter((name) => !(name in rules))).toEqual([]);
  });
});
