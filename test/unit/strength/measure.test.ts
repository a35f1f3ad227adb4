import { describe, expect, it } from "vitest";
import { measureStrength, strengthLines, type SpoiltSteps } from "../../../src/strength/index.ts";
import { explore, type ModelAction, type Tables } from "../../support/explored-model.ts";

const ROOT: Tables = { orders: [] };
const orders = (tables: Tables): Tables[string] => tables["orders"]!;
const create: ModelAction = (tables) =>
  orders(tables).length === 2 ? undefined : { orders: [...orders(tables), { id: orders(tables).length + 1, status: "new", amount: 5 }] };
const pay: ModelAction = (tables) =>
  orders(tables).at(-1)?.["status"] === "new"
    ? { orders: [...orders(tables).slice(0, -1), { ...orders(tables).at(-1)!, status: "paid" }] }
    : undefined;
/** `again` does the same as `pay`. */
const ACTIONS: Readonly<Record<string, ModelAction>> = { create, pay };
const ALL: typeof ACTIONS = { ...ACTIONS, again: pay };

interface Judging {
  /** The wrong data; `undefined` if nothing was made wrong. */
  readonly sql: string | undefined;
  readonly path: readonly string[];
}

/** A lane of a model: its rules are `rules`, and its database does with wrong data what `spoil` does. */
class ModelLane implements SpoiltSteps {
  readonly walked: (readonly string[])[] = [];
  readonly #rules: (judging: Judging) => readonly string[];
  readonly #spoil: (sql: string) => number;
  #path: readonly string[] = [];

  constructor(rules: (judging: Judging) => readonly string[], spoil: (sql: string) => number = () => 1) {
    this.#rules = rules;
    this.#spoil = spoil;
  }

  goTo(path: readonly string[]): Promise<void> {
    this.#path = path;
    return Promise.resolve();
  }

  async step(action: string, spoil?: Parameters<SpoiltSteps["step"]>[1]): ReturnType<SpoiltSteps["step"]> {
    const path = [...this.#path, action];
    this.walked.push(path);
    const tables = path.reduce((before: Tables, name) => ALL[name]!(before) ?? before, ROOT);
    let sql: string | undefined;
    await spoil?.({
      db: {
        name: "sqlite",
        query: (text: string) => (text.startsWith("SELECT *") ? orders(tables) : []),
        spoil: (text: string) => {
          const rows = this.#spoil(text);
          sql = text;
          return rows;
        },
      },
    });
    return { kind: "executed", broken: this.#rules({ sql, path }).map((invariant) => ({ invariant })), errors: [] };
  }
}

const forever = (): boolean => false;

describe("rules that break without wrong data", () => {
  it("do not count as noticing, and their states are left out", async () => {
    const of = explore(ROOT, ACTIONS);
    const none = await measureStrength(of, new ModelLane(() => []), forever);
    expect(none).toMatchObject({ noticed: 0, leftOut: { states: 0, rules: [] } });
    const isPaid = ({ path }: Judging): boolean => path.at(-1) === "pay";
    const some = await measureStrength(of, new ModelLane((step) => (isPaid(step) ? ["wrong_rule"] : [])), forever);
    expect(some.noticed).toBe(0);
    expect(some.tried).toBeGreaterThan(0);
    expect(some.tried).toBeLessThan(none.tried);
    const paid = of.states.filter(({ action }) => of.actions[action] === "pay").length;
    expect(some.leftOut).toEqual({ states: paid, rules: ["wrong_rule"] });
    expect(strengthLines("shop", some)[1]).toBe(
      `seqqa left out ${paid} states, because rules already break there without wrong data: wrong_rule`,
    );
    const always = await measureStrength(of, new ModelLane(() => ["wrong_rule"]), forever);
    expect(always).toMatchObject({ tried: 0, noticed: 0 });
  });

  it("are not on the way to a state that can be reached without them", async () => {
    const of = explore(ROOT, ALL);
    // The first step to each paid state broke a rule, but another one did not.
    const steps = of.steps.map((step) => ({ ...step, isFinding: of.actions[step.action] === "pay" }));
    const lane = new ModelLane(() => []);
    const { tried } = await measureStrength({ ...of, steps }, lane, forever);
    expect(tried).toBeGreaterThan(0);
    expect(lane.walked.some((path) => path.includes("again"))).toBe(true);
    expect(lane.walked.filter((path) => path.includes("pay"))).toEqual([]);
  });
});

describe("wrong data that changes no row", () => {
  it("is not counted", async () => {
    const of = explore(ROOT, ACTIONS);
    const { tried, places } = await measureStrength(
      of,
      new ModelLane(
        () => [],
        (sql) => (sql.startsWith("UPDATE") ? 0 : 1),
      ),
      forever,
    );
    expect(tried).toBeGreaterThan(0);
    expect(places.map(({ kind }) => kind).toSorted()).toEqual(["a row doubled", "a row missing"]);
  });
});

describe("wrong data that the database does not take", () => {
  it.each([
    ["a constraint", Object.assign(new Error("UNIQUE failed"), { code: "SQLITE_CONSTRAINT_UNIQUE" }), "refused"],
    ["a constraint", Object.assign(new Error("duplicate key"), { code: "23505" }), "refused"],
    ["a constraint", Object.assign(new Error("Duplicate entry"), { code: "ER_DUP_ENTRY", errno: 1062 }), "refused"],
    ["an invalid statement", Object.assign(new Error("invalid input syntax for type uuid"), { code: "22P02" }), "failed"],
  ])("because of %s is counted on its own: %s", async (_why, error, kind) => {
    const lane = new ModelLane(
      () => [],
      (sql) => {
        if (sql.startsWith("INSERT")) throw error;
        return 1;
      },
    );
    const strength = await measureStrength(explore(ROOT, ACTIONS), lane, forever);
    expect(strength.places.map(({ kind }) => kind)).not.toContain("a row doubled");
    const [refused, failed] = [strength.refused, strength.failed.count];
    expect(kind === "refused" ? [refused > 0, failed] : [refused, failed > 0]).toEqual(kind === "refused" ? [true, 0] : [0, true]);
    expect(strengthLines("shop", strength).some((line) => line.includes(`such as orders: a row doubled (${error.message})`))).toBe(
      kind === "failed",
    );
  });
});
