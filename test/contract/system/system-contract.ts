import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkpoint, Observed, StoredValue, StoreAdapter } from "../../../src/model/stores/store-adapter.ts";
import { batches, full, size } from "../../sizes.ts";
import { Random } from "./random.ts";

/** A system with something that writes into its store. */
export interface Subject {
  readonly system: StoreAdapter;
  /** Some random writes, committed. */
  write(random: Random): Promise<void>;
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Gives two lanes with equal stores. */
  readonly lane: (index: number) => Promise<Subject>;
  readonly cycles: number;
  readonly seed?: number;
  /** `changed()` may say yes although nothing was written: values that are dear to compare. */
  readonly cautious?: boolean;
  /** Another one of the same kind has all tests at quick size; this one has nested changes alone. */
  readonly brief?: boolean;
}

/** What every system has to do. To be called inside a `describe`. */
export function systemContract({ lane, cycles, seed = 1, cautious = false, brief = false }: ContractOptions): void {
  const more = test.runIf(full || !brief);
  /** In the quick suite the first test has a little of these: a lane costs more than what they do in it. */
  const apart = test.runIf(full);
  let lanes: Subject[] = [];
  const first = (): Subject => lanes[0] as Subject;
  /** Made when it is asked for: most tests need one lane only. */
  const second = async (): Promise<Subject> => (lanes[1] ??= await lane(1));

  beforeEach(async () => {
    lanes = [await lane(0)];
  });
  afterEach(async () => {
    for (const one of lanes) await one.close();
  });

  test.each(batches(cycles, 500))("puts back $count random nested changes exactly, from $first", async ({ first: from, count }) => {
    const { system } = first();
    const random = new Random(seed + from);
    const root = await system.root();
    interface Level {
      readonly mark: Checkpoint;
      readonly dump: string;
      readonly observed: string;
    }
    const level = async (): Promise<Level> => ({
      mark: await system.mark(),
      dump: await system.dump(),
      observed: canonical(await system.observe(), { ordered: true }),
    });
    const levels = [await level()];
    for (let cycle = 0; cycle < count; cycle++) {
      const top = levels[levels.length - 1] as Level;
      const what = `seed ${seed + from}, cycle ${cycle}`;
      for (let writes = random.below(4); writes > 0; writes--) await first().write(random);
      const dump = await system.dump();
      if (!(await system.changed(top.mark))) expect(dump, `${what}: changed() is false`).toBe(top.dump);
      if (random.chance(50)) await system.observe();
      if (random.chance(40) && levels.length < 12) {
        levels.push(await level());
        expect(levels[levels.length - 1]?.dump, what).toBe(dump);
        continue;
      }
      const at = random.chance(60) ? levels.length - 1 : random.below(levels.length);
      const back = levels[at] as Level;
      levels.length = at + 1;
      await system.restore(back.mark);
      if (!full) await system.restore(back.mark);
      expect(await system.dump(), what).toBe(back.dump);
      if (!cautious) expect(await system.changed(back.mark), what).toBe(false);
      expect(canonical(await system.observe(), { ordered: true }), what).toBe(back.observed);
    }
    for (let writes = 0; writes < 10; writes++) await first().write(random);
    const observed = await system.observe();
    expect(canonical(observed)).toBe(canonical(difference(root, await system.root())));
  });

  const rounds = Math.ceil(Math.max(Math.min(5, cycles), cycles / 20));
  apart.each(batches(rounds, 100))(
    "what is observed is the difference from the root, $count times from $first",
    async ({ first: from, count }) => {
      const { system } = first();
      const random = new Random(seed + 1 + from);
      for (let round = 0; round < count; round++) {
        const root = await system.root();
        const mark = await system.mark();
        for (let writes = 0; writes < 6; writes++) {
          await first().write(random);
          if (random.chance(30)) await system.observe();
          if (random.chance(10)) await system.restore(mark);
        }
        const observed = await system.observe();
        expect(canonical(observed), `seed ${seed + 1 + from}, round ${round}`).toBe(canonical(difference(root, await system.root())));
      }
    },
  );

  const transfers = size(5, Math.ceil(Math.max(10, cycles / 4)));
  more.each(batches(transfers, 250))(
    "writes $count captured states into another lane exactly, in any order, from $first",
    async ({ first: from, count }) => {
      const { system: a } = first();
      if (!a.traits.portable || a.capture === undefined || a.write === undefined) return;
      const other = await second();
      const { system: b } = other;
      if (b.write === undefined || b.capture === undefined) return;
      const random = new Random(seed + 2 + from);
      expect(canonical(await b.root())).toBe(canonical(await a.root()));
      const rootDump = await a.dump();
      const roots = { a: await a.mark(), b: await b.mark() };
      const states: { readonly image: unknown; readonly dump: string; readonly observed: string }[] = [];
      for (let cycle = 0; cycle < count; cycle++) {
        const what = `seed ${seed + 2 + from}, cycle ${cycle}`;
        if (random.chance(20)) await a.restore(roots.a);
        for (let writes = random.below(4); writes > 0; writes--) await first().write(random);
        const state = { image: structuredClone(await a.capture()), dump: await a.dump(), observed: canonical(await a.observe()) };
        if (states.length < 40) states.push(state);
        else states[random.below(40)] = state;
        const wanted = random.pick(states);
        if (random.chance(50)) await other.write(random);
        await b.write(wanted.image);
        expect(await b.dump(), what).toBe(wanted.dump);
        expect(canonical(await b.observe()), what).toBe(wanted.observed);
        if (random.chance(30)) {
          const again = structuredClone(await b.capture());
          await a.write(again);
          expect(await a.dump(), what).toBe(wanted.dump);
          // Nested marks on top of a written state.
          const mark = await b.mark();
          await other.write(random);
          await other.write(random);
          await b.restore(mark);
          expect(await b.dump(), what).toBe(wanted.dump);
        }
        if (random.chance(25)) {
          await b.restore(roots.b);
          expect(await b.dump(), what).toBe(rootDump);
        }
      }
    },
  );

  more("the last look is kept, and a restore from it refuses what was written since", async () => {
    const { system: a } = first();
    if (a.lastLook?.() === undefined) return;
    const { system: b } = await second();
    const random = new Random(seed + 4);
    expect(canonical(await b.root())).toBe(canonical(await a.root()));
    const marks = [await a.mark()];
    const dumps = [await a.dump()];
    for (let cycle = 0; cycle < size(5, Math.max(10, cycles / 4)); cycle++) {
      const what = `seed ${seed + 4}, cycle ${cycle}`;
      for (let writes = random.below(4); writes > 0; writes--) await first().write(random);
      const changed = await a.changed(marks.at(-1));
      const look = a.lastLook()!;
      expect(look.mark !== marks.at(-1), what).toBe(changed);
      const seen = { dump: await a.dump(), observed: canonical(look.observe()), image: structuredClone(look.capture()) };
      if (random.chance(30)) {
        await b.write!(seen.image);
        expect(await b.dump(), what).toBe(seen.dump);
        expect(canonical(b.lastLook!()!.observe()), what).toBe(canonical(await b.observe()));
      }
      if (random.chance(30) && marks.length < 12) {
        marks.push(await a.mark());
        dumps.push(seen.dump);
        continue;
      }
      const later = random.chance(40);
      if (later) await first().write(random);
      const now = await a.dump();
      const at = random.below(marks.length);
      const restored = await look.restore(marks[at]);
      if (now !== seen.dump) expect(restored, what).toBe(false);
      if (!later) expect(restored, what).toBe(true);
      expect(await a.dump(), what).toBe(restored ? dumps[at] : now);
      const after = a.lastLook()!;
      expect(canonical(after.observe()), what).toBe(canonical(await a.observe()));
      if (!restored) {
        expect(after.mark === look.mark, what).toBe(false);
        await a.restore(marks[at]);
      }
      marks.length = at + 1;
      dumps.length = at + 1;
      expect(a.lastLook()!.mark === marks[at], what).toBe(true);
      expect(await a.dump(), what).toBe(dumps[at]);
    }
  });

  apart("a mark stays valid, and restoring it twice does no harm", async () => {
    const { system } = first();
    const random = new Random(seed + 3);
    await system.root();
    const dump = await system.dump();
    const mark = await system.mark();
    for (let i = 0; i < 3; i++) {
      for (let writes = 0; writes < 5; writes++) await first().write(random);
      await system.restore(mark);
      await system.restore(mark);
      expect(await system.dump()).toBe(dump);
      if (!cautious) expect(await system.changed(mark)).toBe(false);
    }
  });
}

function text(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "bigint"
      ? `${one}n`
      : one instanceof Uint8Array
        ? `bytes ${Buffer.from(one).toString("hex")}`
        : typeof one === "number"
          ? `number ${one}`
          : one,
  );
}

/**
 * As text, without the order of rows; with it for tables where it belongs to the state, if `ordered`. A row whose storage class alone changed (20, 20.0)
 * may stand on both sides, looking the same. Changes of the schema are left out, because a root state does not list its schema.
 */
function canonical(observed: Observed, { ordered = false } = {}): string {
  if (observed.kind === "value") return text(observed.value);
  const tables = observed.tables.map((table) => ({
    ...table,
    added: minus(table.added, table.removed),
    removed: minus(table.removed, table.added),
  }));
  const sorted = tables
    .filter((table) => table.name !== "(schema)" && table.added.length + table.removed.length > 0)
    .map(({ inPlace, positions: _positions, readOrder: _readOrder, ...table }) => {
      const added = table.added.map(text);
      return { ...table, added: ordered && inPlace !== undefined ? added : added.sort(), removed: table.removed.map(text).sort() };
    });
  return text([sorted, Object.entries(observed.counters).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The rows of one multiset that are not in another. */
function minus(from: readonly (readonly StoredValue[])[], what: readonly (readonly StoredValue[])[]): (readonly StoredValue[])[] {
  const left = what.map(text);
  return from.filter((row) => {
    const at = left.indexOf(text(row));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The difference of two whole contents, computed anew. */
function difference(root: Observed, now: Observed): Observed {
  if (root.kind === "value" || now.kind === "value") return now;
  const names = [...new Set([...root.tables, ...now.tables].map((table) => table.name))].sort();
  const tables = names.map((name) => {
    const before = root.tables.find((table) => table.name === name);
    const after = now.tables.find((table) => table.name === name);
    const [old, fresh] = [before?.added ?? [], after?.added ?? []];
    return { name, columns: (after ?? before)?.columns ?? [], added: minus(fresh, old), removed: minus(old, fresh) };
  });
  const counters: Record<string, number | bigint | null> = {};
  for (const name of new Set([...Object.keys(root.counters), ...Object.keys(now.counters)])) {
    const value = now.counters[name] ?? null;
    if (!(name in root.counters) || !(name in now.counters) || root.counters[name] !== value) counters[name] = value;
  }
  return { kind: "rows", tables: tables.filter((table) => table.added.length + table.removed.length > 0), counters };
}
