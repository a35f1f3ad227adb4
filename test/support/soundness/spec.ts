import { Draws } from "../draws.ts";

export const FAMILIES = ["second", "third", "order", "lease", "reference", "secret", "coin", "memory", "late"] as const;
export type Family = (typeof FAMILIES)[number];
/** The kinds of stores. `memory`: the target keeps all data in its process. A probe shows the data, and `reset` restores it. */
export const STORES = ["sqlite", "postgres", "mysql", "redis", "memory"] as const;
export type Store = (typeof STORES)[number];

const IDS = ["auto", "uuid", "hex", "nano", "prefix", "ulid", "big", "slug", "data", "client"] as const;
/** The forms of ids. `mixed` is described in server.mjs, and is never drawn. */
type Ids = (typeof IDS)[number] | "mixed";
const CLOCKS = ["none", "iso", "ms", "s", "text"] as const;
const TABLES = ["orders", "tickets", "notes", "line_items"] as const;
/** The verbs that lead to the defect of each family. Other verbs are drawn in addition. */
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

/** The specification of a generated target, which its server and its agent read. */
export interface Spec {
  readonly seed: number;
  /** The kind of the target's defect. */
  readonly family: Family;
  readonly store: Store;
  readonly table: string;
  /** The form of the items' ids. */
  readonly ids: Ids;
  readonly clock: (typeof CLOCKS)[number];
  readonly verbs: readonly string[];
  /** Maximum number of items at one time. */
  readonly items: number;
  /** `true` if every write stores a time. */
  readonly stamps: boolean;
  /** `true` if every write stores a random number. If `ignored` is `true`, the configuration leaves it out of the states. */
  readonly noise: boolean;
  readonly ignored: boolean;
  /** `true` if every write stores a random id, and every answer contains one. */
  readonly trace: boolean;
  /** The form in which an item mentions another one. */
  readonly notes: "json" | "text";
  /** The interval in milliseconds at which a timer writes; 0 if there is no timer. */
  readonly beats: number;
  /** The duration of a lock in milliseconds. */
  readonly lockMs: number;
  /** `true` if the agent has the action `choose`, after which the context names the first item. Otherwise, the context names the newest item. */
  readonly chooses: boolean;
  /**
   * A slow call writes `ms` milliseconds after its answer: in every state, or only if the item is paid (`when`). `first` says if the call also writes
   * something when it answers.
   */
  readonly late: { readonly ms: number; readonly when: "always" | "paid"; readonly first: "something" | "nothing" };
}

/** Returns the target of a seed. */
export function specOf(seed: number, stores: readonly Store[]): Spec {
  const draws = new Draws(seed);
  // Skip the first random numbers, because they are similar for neighbouring seeds.
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
