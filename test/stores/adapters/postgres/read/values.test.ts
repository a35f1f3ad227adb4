import fc from "fast-check";
import { expect, test } from "vitest";
import { pairsOf } from "../../../../../src/adapters/postgres/journal/counter-sql.ts";
import { MultisetMirror, RowSums } from "../../../../../src/stores/journal/multiset-mirror.ts";
import { counterPairs } from "../../../../../src/adapters/postgres/read/observe.ts";
import { quoteName, quoteText, rowFields } from "../../../../../src/adapters/postgres/connect/sql-text.ts";
import { storeUrl, withDatabase, withoutSecrets } from "../../../../../src/adapters/postgres/connect/store-url.ts";
import { settingsFor } from "../../../../../src/adapters/postgres/read/text-settings.ts";
import { kindOf, shownValue } from "../../../../../src/adapters/postgres/read/values.ts";
import { scratch } from "../scratch.ts";

test("a row's text form is taken apart as the server put it together", async () => {
  const { api } = await scratch([]);
  const value = fc.option(
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", '"', "\\", ",", "(", ")", "()", "NULL", " ", "\n", '\\"', '""')),
    { nil: null },
  );
  const rows = fc.sample(fc.array(value, { minLength: 1, maxLength: 6 }), { numRuns: 300, seed: 1 });
  for (const row of rows) {
    const sent = row.map((one) => one?.replaceAll("\0", "") ?? null);
    const parameters = sent.map((_, i) => `$${i + 1}::text`).join(", ");
    const { rows: answer } = await api.query<{ text: string }>(`select row(${parameters})::text as text`, sent);
    const fields = rowFields(answer[0]!.text);
    expect(sent.map((_, i) => fields[i] ?? null)).toEqual(sent);
  }
  expect(rowFields("()")).toEqual([]);
});

test("names and texts are quoted as the server reads them, whatever is in them", async () => {
  const { api } = await scratch([]);
  for (const text of ["plain", `it's`, `a "b"`, "back\\slash", "\\'; select 1 --", "new\nline", "\u{1f600}"]) {
    const { rows } = await api.query<Record<string, string>>(`select ${quoteText(text)} as ${quoteName(text)}`);
    expect(rows).toEqual([{ [text]: text }]);
  }
});

test("values are shown by their types", () => {
  const shown = (type: string, text: string | null): unknown => shownValue(text, kindOf("pg_catalog", type));
  expect([shown("int8", "9007199254740991"), shown("int8", "-9007199254740993"), shown("int4", null)]).toEqual([
    9007199254740991,
    -9007199254740993n,
    null,
  ]);
  expect([shown("numeric", "1.50"), shown("numeric", "15"), shown("numeric", "NaN"), shown("numeric", "1e400")]).toEqual([
    "1.50",
    15,
    "NaN",
    "1e400",
  ]);
  expect([shown("float8", "1e-07"), shown("float8", "-Infinity"), shown("float8", "NaN")]).toEqual([1e-7, -Infinity, NaN]);
  expect([shown("timestamptz", "0044-03-15 12:00:00+00 BC"), shown("timestamp", "12024-01-01 00:00:00")]).toEqual([
    "0044-03-15 12:00:00+00 BC",
    "12024-01-01T00:00:00",
  ]);
  expect(shownValue("5", kindOf("public", "int4"))).toBe("5");
});

test("a trigger pins what the types of its table depend on, and everything for a type that is not known", () => {
  expect(settingsFor(["int4", "text", "enum", "jsonb"])).toEqual([]);
  expect(settingsFor(["int4", "timestamptz"])).toEqual(["datestyle", "timezone"]);
  expect(settingsFor(["public.citext"])).toContain("search_path");
});

test("counters are read as pairs, whether called or not", () => {
  expect(counterPairs(pairsOf("{5,-7}", 2))).toEqual([
    [5n, true],
    [-7n, true],
  ]);
  expect(counterPairs(pairsOf("{5,NULL,NULL,9}", 2))).toEqual([
    [5n, true],
    [9n, false],
  ]);
  expect(counterPairs(pairsOf("{}", 0))).toEqual([]);
});

test("URLs are shown without credentials", () => {
  const store = storeUrl("postgresql://us%65r:p%40ss@host:5433/my%20db?sslmode=require&password=other");
  expect(store).toMatchObject({ shown: "postgresql://host:5433/my db", database: "my db" });
  expect(withDatabase(store, 'a "b"/c').database).toBe('a "b"/c');
  expect(withoutSecrets("p@ss and p%40ss and other", store)).toBe("*** and *** and ***");
  expect(storeUrl("postgres:///d?host=/var/run/postgresql").shown).toBe("postgresql:///var/run/postgresql:d");
});

test("the mirror is what a plain recount gives, at every mark and back again", () => {
  const change = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom("a", "b", "c"), fc.constantFrom(1, -1));
  const step = fc.oneof(fc.array(change, { maxLength: 5 }), fc.nat(6));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const mirror = new MultisetMirror("{}");
      const text = (): string =>
        JSON.stringify(
          mirror.net
            .deltas()
            .map((one) => JSON.stringify(one))
            .sort(),
        );
      const levels = [{ segment: mirror.top, text: text() }];
      const plain = new RowSums();
      for (const one of steps) {
        if (typeof one === "number") {
          const at = Math.min(one, levels.length - 1);
          const back = mirror.changesTo(levels[at]!.segment);
          for (const { table, row, by } of back.deltas()) plain.add(table, row, by);
          mirror.popTo(levels[at]!.segment);
          levels.length = at + 1;
          expect(text()).toBe(levels[at]!.text);
        } else {
          const sums = new RowSums();
          for (const [table, row, by] of one) {
            sums.add(table, row, by);
            plain.add(table, row, by);
          }
          mirror.push(sums, "{}");
          if (mirror.top !== levels[levels.length - 1]!.segment) levels.push({ segment: mirror.top, text: text() });
        }
        expect(text()).toBe(
          JSON.stringify(
            plain
              .deltas()
              .map((delta) => JSON.stringify(delta))
              .sort(),
          ),
        );
      }
    }),
  );
});
