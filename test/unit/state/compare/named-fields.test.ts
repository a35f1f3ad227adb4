import { beforeAll, expect, test } from "vitest";
import { compareExecutions, loadHasher, NOTHING_KNOWN, writtenFields, type Facts } from "../../../../src/state/index.ts";
import { unverifiedFields } from "../../../../src/run/results/left-out-fields.ts";
import { canonicalizer, facts, hashes, print, stored, table, type Rows } from "../support.ts";

beforeAll(loadHasher);

const ANN = '{"sub":"ann","n":1}';
const signed = (claims: string): string =>
  `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${Buffer.from(claims).toString("base64url")}.c2ln`;
const jwt = (n: number): string => signed(`{"sub":"ann","n":${n}}`);
const rows = (cells: Rows): Partial<Facts> => ({ systems: { cache: hashes(cells) } });

/** For each shape of a state: a function that makes it with one of several values that have no known cause. */
const SHAPES: readonly (readonly [string, (n: number) => Partial<Facts>])[] = [
  ["a column", (n) => stored(table("orders", "*id took", [[1, n / 7]]))],
  ["JSON in a column", (n) => stored(table("t", "*id x", [[1, `{"a":${n / 7}}`]]))],
  ["a field of a hash", (n) => rows([["order:1", "took", n / 7]])],
  ["a field of a key with quotes", (n) => rows([['a "b" {c}', "x y", n / 7]])],
  ["a context key", (n) => ({ context: { took: n / 7 } })],
  ["a context key with a dot", (n) => ({ context: { "took.ms": n / 7 } })],
  ["a path", (n) => ({ context: { cart: { items: [{ took: n / 7 }, { took: 1 }] } } })],
  ["a path with quotes", (n) => ({ context: { 'a "b"': { "c d": n / 7 } } })],
  ["JSON in the context", (n) => ({ context: { saved: `{"took":${n / 7},"name":"ann"}` } })],
  ["JSON in a list in the context", (n) => ({ context: { saved: [`[{"took":${n / 7}}]`] } })],
  ["a token in the context", (n) => ({ context: { token: jwt(n / 7) } })],
  ["a client", (n) => ({ clients: { ann: { skew: n / 7 } } })],
  ["a client whose action is recorded", (n) => ({ clients: { ann: [{ skew: n / 7 }, "login"] } })],
  ["a store without tables", (n) => ({ systems: { probe: { kind: "value", value: { items: [{ took: n / 7 }] } } } })],
  ["a Map", (n) => ({ context: { seen: new Map([["ann", n / 7]]) } })],
  ["keys of an object", (n) => ({ context: { by: { [`k${n / 7}`]: true } } })],
];

const window = { startMs: 0, endMs: 1 };
const printOf = (ignore: readonly string[], one: Facts): string => print(canonicalizer({ ignore }), one);

test.each(SHAPES)("the name of a field that differs leaves it out if `ignore` lists it: %s", (_shape, make) => {
  const [a, b] = [facts(make(1)), facts(make(2))];
  const { generated, unexplained } = compareExecutions({ facts: a, window }, { facts: b, window }, { known: NOTHING_KNOWN });
  const fields = [...generated, ...unexplained].map(({ field }) => field);
  expect(fields).not.toEqual([]);
  expect(printOf([], a)).not.toBe(printOf([], b));
  expect(printOf(fields, a)).toBe(printOf(fields, b));
  const one = canonicalizer({ ignore: fields });
  expect(one.withoutLeftOut(a)).toEqual(one.withoutLeftOut(b));
  expect(one.describe(a)).toEqual(one.describe(b));
});

test("the name of a part that cannot be left out alone is the name of the whole", () => {
  const fieldsOf = (make: (n: number) => Partial<Facts>): readonly string[] => {
    const [a, b] = [facts(make(1)), facts(make(2))];
    return compareExecutions({ facts: a, window }, { facts: b, window }, { known: NOTHING_KNOWN }).unexplained.map(({ field }) => field);
  };
  expect(fieldsOf((n) => ({ context: { token: jwt(n / 7) } }))).toEqual(["context.token"]);
  expect(fieldsOf((n) => ({ clients: { ann: { headers: { authorization: `Bearer ${jwt(n / 7)}` } } } }))).toEqual([
    "clients.ann.headers.authorization",
  ]);
  expect(fieldsOf((n) => ({ systems: { probe: { kind: "value", value: { seen: new Map([[n / 7, true]]) } } } }))).toEqual([
    "systems.probe.seen",
  ]);
});

test("a path into a token leaves out nothing, because it would leave out the whole token", () => {
  const [ann, bob] = [ANN, ANN.replace('"ann"', '"bob"')].map((claims) => facts({ context: { token: signed(claims) } }));
  const ignore = ['context.token."{jwt}".claims.n'];
  expect(printOf(ignore, ann!)).not.toBe(printOf(ignore, bob!));
});

test.each([
  [
    "a table",
    (n: number) => ({ systems: { db: { kind: "rows", counters: {}, tables: [table("log", "*id", n === 0 ? [] : [[n]])] } } }),
    ["log.*", "log.id"],
  ],
  [
    "a table with kinds of rows",
    (n: number) => rows(n === 0 ? [] : [["beat:1", "at", n]]),
    ['hash.* where {"key":"beat:*"}', "hash.field", "hash.key", 'hash.value where {"key":"beat:*","field":"at"}'],
  ],
] as const)("rows that were added to %s are named as rows", (_what, make, expected) => {
  expect(writtenFields(facts(make(0) as Partial<Facts>), facts(make(1) as Partial<Facts>))).toEqual(expected);
});

test.each(['hash.value where {"Key":"order:*"}', 'hash.value where {"value":"*"}', "hash.value where {}"])(
  "%s leaves out nothing, because it names no kind of rows",
  (field) => {
    const [a, b] = [facts(rows([["order:1", "took", 1]])), facts(rows([["order:1", "took", 2]]))];
    expect(printOf([field], a)).not.toBe(printOf([field], b));
  },
);

test("a difference in the number of rows names the keys, because all keys of a type share a table", () => {
  const [a, b] = [
    facts(rows([["order:1", "took", 1]])),
    facts(
      rows([
        ["order:1", "took", 1],
        ["beat:1", "at", 1],
      ]),
    ),
  ];
  const { unexplained } = compareExecutions({ facts: a, window }, { facts: b, window }, { known: NOTHING_KNOWN });
  expect(unexplained).toEqual([{ field: 'hash.* where {"key":"beat:*"}', values: ["0 rows", "1 rows"], isRows: true }]);
  expect(unverifiedFields({ ...NOTHING_KNOWN, dropped: unexplained })).toEqual([
    'The number of rows of hash.* where {"key":"beat:*"} differs between executions of one path (0 rows, then 1 rows). seqqa does not leave rows out of the states by itself. To leave them out, write ignore: ["beat:*"] in seqqa.yaml, under systems.',
  ]);
});
