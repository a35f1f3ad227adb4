import { Draws } from "../draws.ts";

export const FAMILIES = ["second", "third", "order", "lease", "reference", "secret", "coin", "memory", "late"] as const;
export type Family = (typeof FAMILIES)[number];
/** `memory`: the target keeps all in its process; a probe shows it, and `reset` puts it back. */
export const STORES = ["sqlite", "postgres", "mysql", "redis", "memory"] as const;
export type Store = (typeof STORES)[number];

const IDS = ["auto", "uuid", "hex", "nano", "prefix", "ulid", "big", "slug", "data", "client"] as const;
/** `mixed`: see the server; it is no part of what is drawn. */
type Ids = (typeof IDS)[number] | "mixed";
const CLOCKS = ["none", "iso", "ms", "s", "text"] as const;
const TABLES = ["orders", "tickets", "notes", "line_items"] as const;
/** The verbs that lead to a family's defect; others are drawn beside them. */
const VERBS: Readonly<Record<Family, readonly string[]>> = {
  second: ["pay"],
  third: ["advance"],
  order: ["pay", "settle"],
  lease: ["lock", "release", "publish"],
  reference: ["pay", "follow"],
  secret: ["secret"],
  coin: ["cancel", "pay"],
  memory: ["advance"],
  late: ["slow", "pay"],
};
const OTHERS = ["pay", "cancel", "advance", "remove"] as const;

/** A generated target, as its server and its agent read it. */
export interface Spec {
  readonly seed: number;
  /** The kind of its defect. */
  readonly family: Family;
  readonly store: Store;
  readonly table: string;
  /** How its items are named. */
  readonly ids: Ids;
  readonly clock: (typeof CLOCKS)[number];
  readonly verbs: readonly string[];
  /** Most items there are at once. */
  readonly items: number;
  /** Every write leaves a time. */
  readonly stamps: boolean;
  /** Every write leaves a random number; the configuration leaves it out of the states if `ignored`. */
  readonly noise: boolean;
  readonly ignored: boolean;
  /** Every write leaves a random id, and every answer has one. */
  readonly trace: boolean;
  /** How an item mentions another one. */
  readonly notes: "json" | "text";
  /** A timer writes so often, in milliseconds; 0: never. */
  readonly beats: number;
  /** How long a lock holds, in milliseconds. */
  readonly lockMs: number;
  /** Which item the context names: the one made last, or, after a choice, the first one. */
  readonly chooses: boolean;
  /** A slow call writes so long after its answer, in milliseconds: in every state or only once the item is paid, and with the answer something or nothing. */
  readonly late: { readonly ms: number; readonly when: "always" | "paid"; readonly first: "something" | "nothing" };
}

/** The target of a seed. */
export function specOf(seed: number, stores: readonly Store[]): Spec {
  const draws = new Draws(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < 8; i++) draws.next();
  const draw = (): number => draws.next();
  const pick = <T>(all: readonly T[]): T => draws.pick(all);
  const family = FAMILIES[seed % FAMILIES.length]!;
  const clock = pick(CLOCKS);
  const isTimed = family === "order" || family === "lease";
  const more = draw() < 0.5 ? [pick(OTHERS)] : [];
  const store = pick(stores);
  return {
    seed,
    family,
    store,
    table: pick(TABLES),
    ids: pick(IDS),
    clock: isTimed && clock === "none" ? "iso" : clock,
    verbs: [...new Set([...VERBS[family], ...more])],
    items: family === "lease" || family === "third" || family === "memory" ? 1 + Math.floor(draw() * 2) : 2,
    stamps: clock !== "none" && draw() < 0.4,
    noise: draw() < 0.15,
    ignored: draw() < 0.5 && store !== "redis" && store !== "memory",
    trace: draw() < 0.25,
    notes: pick(["json", "text"]),
    beats: draw() < 0.1 ? pick([150, 400]) : 0,
    lockMs: 600_000,
    chooses: family === "reference" || family === "secret" || draw() < 0.3,
    late: { ms: pick([20, 40, 70]), when: pick(["always", "paid"]), first: pick(["something", "nothing"]) },
  };
}
