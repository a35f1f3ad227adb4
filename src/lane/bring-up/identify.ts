import type { Lane } from "../../model/declare/lane.ts";
import type { World } from "../../model/declare/world.ts";
import type { Schemas } from "../../model/stores/ignored.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { LeftOutPart } from "../../messages/lane-messages.ts";
import { Canonicalizer, counterEntry, fieldOf, entriesEntry, rowsEntry, type RenamedCounter } from "../../state/index.ts";
import type { LaneOptions, LaneBase } from "./lane-base.ts";

/** Creates a canonicalizer, which replaces known generated values by names, and gives it to the lane's state. */
export function identify(lane: Identified, options: LaneOptions): Canonicalizer {
  const canonicalizer = new Canonicalizer({ ...canonicalOptions(lane, options), byAppearance: !lane.isIdentified }, options.knowledge);
  if (lane.isIdentified) lane.state.identify(canonicalizer);
  return canonicalizer;
}

/** The parts of a lane that a canonicalizer depends on. */
type Identified = Pick<LaneBase, "world" | "state" | "placeholders" | "isIdentified" | "ignored" | "counters">;

/** Returns the options of a canonicalizer for a lane, except the option that says how generated values are recognised. */
export function canonicalOptions(
  { state: { systems }, placeholders: ours, ignored, counters }: Omit<Identified, "isIdentified">,
  options: LaneOptions,
): ConstructorParameters<typeof Canonicalizer>[0] {
  return {
    clockMs: options.clockMs,
    earlierClocksMs: options.earlierClocksMs,
    literals: new Set(options.literals),
    ignore: [...ignored.fields, ...(options.knowledge.nullable ?? [])],
    symmetric: symmetricOf(systems),
    counters,
    placeholders: ours,
    masked: [...options.knowledge.dropped.map(({ field }) => field), ...options.knowledge.background],
    ordered: options.knowledge.ordered,
  };
}

/** Returns the counters of columns that the option `symmetric` of a store names. */
export function renamedCounters({ systems }: World<never, never>, schemas: Schemas): readonly RenamedCounter[] {
  const symmetric = new Set(symmetricOf(Object.values(systems)));
  return [...schemas].flatMap(([system, tables]) =>
    tables.flatMap(({ name: table, counters = [] }) =>
      counters
        .filter(({ column }) => symmetric.has(`${table}.${column}`) || symmetric.has(`${system}.${table}.${column}`))
        .map((counter) => ({ ...counter, system, table })),
    ),
  );
}

/**
 * Returns the parts of the stores that are left out of states: the values of counters, and the order of the rows of tables or of entries in memory.
 * Ignored tables are not named, nor are tables whose key is generated, because the order of such keys is the order of the rows.
 */
export function leftOutParts({
  counters,
  schemas,
  ignored,
  options: { knowledge },
  world,
}: Pick<LaneBase, "counters" | "schemas" | "ignored" | "options" | "world">): readonly LeftOutPart[] {
  const fields = new Set(knowledge.generated.map(({ place }) => fieldOf(place)));
  return [
    ...counters.map((one) => ({ field: `${one.table}.${one.column}`, entry: counterEntry(one) })),
    ...[...schemas].flatMap(([system, tables]) =>
      tables
        .filter(({ name, readOrder }) => readOrder !== undefined && !fields.has(`${name}.${readOrder.key}`))
        .filter(({ name }) => ignored.tables.get(system)?.has(name) !== true)
        .map(({ name }) => ({ field: `rows of ${name}`, entry: rowsEntry(system, name) })),
    ),
    ...Object.entries(world.systems)
      .filter(([, system]) => system?.traits.inMemory === true)
      .map(([name]) => ({ field: `entries of ${name}`, entry: entriesEntry(name) })),
  ];
}

function symmetricOf(systems: readonly (StoreAdapter | undefined)[]): readonly string[] {
  return systems.flatMap((system) => (system as { readonly symmetric?: readonly string[] } | undefined)?.symmetric ?? []);
}

/**
 * Returns the values that are different on each lane, such as the URL, with their placeholders. Longer values come first: a whole URL is then
 * replaced before the host in it.
 */
export function placeholders(lane: Lane): [string, string][] {
  const all: [string, string][] = [];
  if (lane.baseUrl !== "") {
    all.push([lane.baseUrl, "{base_url}"]);
    const { host, port } = new URL(lane.baseUrl);
    if (port !== "") all.push([host, "{host}"], [`localhost:${port}`, "{host}"]);
  }
  if (lane.dbUrl !== undefined) all.push([lane.dbUrl, "{db_url}"]);
  if (lane.dbPath !== undefined) all.push([lane.dbPath, "{db_path}"]);
  if (lane.tmpDir !== "") all.push([lane.tmpDir, "{tmp}"]);
  return all.toSorted((a, b) => b[0].length - a[0].length);
}
