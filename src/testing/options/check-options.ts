import { isAbsolute, resolve } from "node:path";
import { STORE_KIND_NAMES, STORE_KINDS, storeKindOf } from "../../adapters/store-kinds.ts";
import { allowedStores, refuseForeignStore } from "../../config/check/store-consent.ts";
import { SeqqaError } from "../../model/errors.ts";
import { sqlitePathOf } from "../../model/stores/sqlite-path.ts";
import { storeName } from "../../model/stores/store-name.ts";
import { nearest } from "../../model/text/nearest.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";
import type { WorldOptions, WorldStore } from "./world-options.ts";

/** The environment variables in which Vitest, Playwright and Jest number their workers. */
const WORKER_VARIABLES = ["VITEST_POOL_ID", "TEST_PARALLEL_INDEX", "JEST_WORKER_ID"] as const;

/** Worker numbers must be below this limit, because lane numbers in database names have at most three digits. */
const WORKER_LIMIT = 1000;

/** The options of a world after all checks, with absolute paths. */
export interface CheckedOptions {
  readonly stores: Readonly<Record<string, WorldStore>>;
  readonly inPlace: boolean;
  readonly worker: number;
  readonly lateWrites: "error" | "undo";
}

const KEYS: readonly (keyof WorldOptions)[] = ["dbUrl", "stores", "inPlace", "allow", "worker", "lateWrites"];

/**
 * The URL schemes of the stores that a world can have. Stores that seqqa provides itself (clock, stub) are excluded, because they hold no user data.
 */
const SCHEMES = STORE_KIND_NAMES.filter((kind) => STORE_KINDS[kind].isOwn !== true).map((kind) => `${STORE_KINDS[kind].schemes[0]}:`);

/** Checks the options of a world and fills in defaults. @throws SeqqaError `WORLD_OPTION_INVALID`, `STORE_NOT_ALLOWED` with exit status 2 */
export function checkOptions(options: WorldOptions, env: Readonly<Record<string, string | undefined>> = process.env): CheckedOptions {
  if (typeof options !== "object" || options === null)
    throw invalid("openWorld() was called without options.", 'Write openWorld({ dbUrl: "sqlite:./test.db" }).');
  for (const key of Object.keys(options)) {
    if ((KEYS as readonly string[]).includes(key)) continue;
    const near = nearest(key, KEYS);
    throw invalid(
      `openWorld() has no option ${JSON.stringify(key)}.`,
      near === undefined ? `Use one of these options: ${KEYS.join(", ")}.` : `Did you mean ${near}?`,
    );
  }
  const { inPlace = false, allow = [], lateWrites = "error" } = options;
  if (typeof inPlace !== "boolean")
    throw invalid("The option inPlace of openWorld() must be true or false.", "Remove the option to work on copies of the stores.");
  if (lateWrites !== "error" && lateWrites !== "undo")
    throw invalid("The option lateWrites of openWorld() must be error or undo.", "Remove the option to get an error for each late write.");
  if (!Array.isArray(allow)) throw invalid("The option allow of openWorld() must be a list of names of stores.", 'Write allow: ["shop"].');
  const allowed = allowedStores(allow as readonly string[], env);
  const stores = storesOf(options);
  for (const [name, store] of Object.entries(stores)) {
    checkStore(name, store, inPlace);
    requireConsent(name, store, { isUsedWhereItIs: inPlace, allowed });
  }
  return { stores, inPlace, worker: workerNumber(options.worker, env), lateWrites };
}

function storesOf({ dbUrl, stores }: WorldOptions): Readonly<Record<string, WorldStore>> {
  if (dbUrl !== undefined && stores !== undefined) {
    throw invalid("openWorld() got both options dbUrl and stores.", "Keep only one option: dbUrl is short for stores: { db: url }.");
  }
  const declared = stores ?? { db: dbUrl };
  const all = Object.entries(declared).map(([name, store]) => [name, storeOf(name, store)] as const);
  if (all.length === 0) throw invalid("The option stores of openWorld() is empty.", "Name at least one store: stores: { db: url }.");
  return Object.fromEntries(all);
}

function storeOf(name: string, store: unknown): WorldStore {
  const { url, ...settings } = typeof store === "object" && store !== null ? (store as WorldStore) : { url: store };
  if (typeof url !== "string" || url.trim() === "") {
    throw invalid(
      `The store ${name} of openWorld() has no URL.`,
      "If the URL comes from an environment variable, check that the variable is set.",
    );
  }
  const file = sqlitePathOf(url.trim());
  return { ...settings, url: file === undefined || isAbsolute(file) || file === "" ? url.trim() : `sqlite:${resolve(file)}` };
}

function checkStore(name: string, { url, checkpoint }: WorldStore, inPlace: boolean): void {
  const kind = storeKindOf(url);
  if (kind === undefined || STORE_KINDS[kind].isOwn === true || (kind !== "sqlite" && !URL.canParse(url))) {
    throw invalid(
      `The store ${name} of openWorld() has a URL that seqqa does not support: ${JSON.stringify(withoutSecrets(url))}.`,
      `Begin the URL with one of: ${SCHEMES.join(", ")}.`,
    );
  }
  const file = sqlitePathOf(url);
  if (file !== undefined && (file === "" || file.endsWith(":memory:") || file.includes("\0"))) {
    throw invalid(
      `The SQLite URL of store ${name} of openWorld() names no file.`,
      "Name a file, such as sqlite:./test.db. A database in memory does not work, because other processes cannot see it.",
    );
  }
  const checkpoints = ["auto", ...STORE_KINDS[kind].checkpoints.filter((mode) => mode !== "savepoint")];
  if (checkpoint !== undefined && !checkpoints.includes(checkpoint)) {
    throw invalid(
      `The store ${name} of openWorld() does not support the checkpoint ${JSON.stringify(checkpoint)}.`,
      `Use one of these checkpoints: ${checkpoints.join(", ")}.`,
    );
  }
  if (inPlace && STORE_KINDS[kind].isOnlyCopied === true) {
    throw invalid(
      `openWorld() cannot restore the ${kind} store ${name} in place.`,
      "Remove the option inPlace: the tests then use a copy of the store.",
    );
  }
}

/** Refuses a store that seqqa may not write to, with a hint that names the `allow` option of `openWorld`. */
function requireConsent(name: string, store: WorldStore, how: Parameters<typeof refuseForeignStore>[2]): void {
  try {
    refuseForeignStore(`The world's store ${name}`, store, how);
  } catch (cause) {
    const { code, message, hint } = cause as SeqqaError;
    const meant = storeName(store.url);
    const allow = `To allow seqqa to write to this store, add allow: [${JSON.stringify(meant)}] or set SEQQA_ALLOW_DB. Otherwise, use a store whose name contains test, dev, ci or seqqa as a word.`;
    throw new SeqqaError(code, message, { hint: meant === "" ? hint : allow, exitStatus: 2 });
  }
}

function invalid(message: string, hint: string): SeqqaError {
  return new SeqqaError("WORLD_OPTION_INVALID", message, { hint, exitStatus: 2 });
}

/**
 * Returns the number of this worker, 0 to 999: `given`, else the number in the environment.
 * @throws SeqqaError `WORLD_OPTION_INVALID`, exit status 2
 */
function workerNumber(given: number | undefined, env: Readonly<Record<string, string | undefined>>): number {
  if (given !== undefined && !(Number.isSafeInteger(given) && given >= 0)) {
    throw new SeqqaError("WORLD_OPTION_INVALID", "The option worker of openWorld() must be an integer of at least 0.", {
      hint: "With Vitest, Playwright and Jest, remove the option: seqqa then reads the worker's number from the environment.",
      exitStatus: 2,
    });
  }
  const named = WORKER_VARIABLES.map((name) => env[name]).find((value) => value !== undefined && /^\d{1,9}$/.test(value));
  return (given ?? Number(named ?? 0)) % WORKER_LIMIT;
}
