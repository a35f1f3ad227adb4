import { consentHint, mayBeWritten, storeName } from "../../model/stores/store-name.ts";
import { STORE_KINDS, storeKindOf } from "../../adapters/store-kinds.ts";
import type { Config } from "../config.ts";
import type { Environment } from "../read/environment.ts";
import { problem } from "../problem.ts";

/** Returns the names of stores that the user allows seqqa to write, from the flag `--allow-db` and the environment variable `SEQQA_ALLOW_DB`. */
export function allowedStores(flags: readonly string[], env: Environment): readonly string[] {
  const named = (env["SEQQA_ALLOW_DB"] ?? "").split(",").map((name) => name.trim());
  return [...flags, ...named.filter((name) => name !== "")];
}

/**
 * Throws an error if a store may hold real data. The stores of targets that already run are checked, because seqqa writes to them. Stores on other
 * machines are also checked if seqqa only copies them, because it creates the copies on the same server. A store is accepted if its name says that
 * the store is for tests, or if the user allows the store.
 * @throws SeqqaError `STORE_NOT_ALLOWED` (2).
 */
export function refuseForeignStores({ systems, lanes, target, baseUrl, allowedStores: allowed }: Config): void {
  const runsAlready = target === undefined && baseUrl !== undefined;
  // A store with the user's own adapter module is checked like an external store. The module is not loaded yet, so seqqa does not know if lanes will
  // get copies of the store.
  const own = Object.entries(systems).map(([name, one]) => [`systems.${name}`, one, runsAlready || one.adapter !== undefined] as const);
  const listed = lanes.flatMap((lane, index) =>
    Object.entries(lane.systems).map(([name, one]) => [`lanes[${index}].systems.${name}`, one, true] as const),
  );
  for (const [key, store, isUsedWhereItIs] of [...own, ...listed]) refuseForeignStore(key, store, { isUsedWhereItIs, allowed });
}

/**
 * Throws an error if the given store may hold real data and the user did not allow seqqa to write to it.
 * @param key The configuration key of the store, for messages.
 * @throws SeqqaError `STORE_NOT_ALLOWED` (2).
 */
export function refuseForeignStore(
  key: string,
  { url, adapter }: { readonly url: string; readonly adapter?: string | undefined },
  { isUsedWhereItIs, allowed }: { readonly isUsedWhereItIs: boolean; readonly allowed: readonly string[] },
): void {
  const kind = adapter === undefined ? storeKindOf(url) : undefined;
  if (kind !== undefined && STORE_KINDS[kind].isOwn === true) return;
  const host = foreignHost(url);
  if (host === undefined && !isUsedWhereItIs) return;
  const name = storeName(url) || (adapter === undefined ? "" : new URL(url).host);
  if (mayBeWritten(name, allowed)) return;
  const where = host === undefined ? ", which seqqa would use in place" : ` on ${host}, which is another machine`;
  throw problem(
    "STORE_NOT_ALLOWED",
    undefined,
    `${key} is ${name === "" ? "a store" : `the store "${name}"`}${where}. ${name !== "" ? "The name of this store does not contain test, dev, ci or seqqa as a word." : "The URL does not name a database, so seqqa cannot tell whether the store is for tests."}`,
    consentHint(name),
  );
}

/** Returns the host name in a store's URL if the host is another machine. Returns `undefined` if the store is on this machine. */
function foreignHost(url: string): string | undefined {
  if (storeKindOf(url) === "sqlite") return undefined;
  const { hostname, searchParams } = new URL(url);
  const hosts = [...searchParams.getAll("host"), ...(searchParams.has("socketPath") ? ["/"] : [])];
  const host = (hosts.at(-1) ?? hostname).replace(/^\[(.*)\]$/, "$1");
  return host === "" || host.startsWith("/") || isLoopback(host) ? undefined : host;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|0:0:0:0:0:0:0:1)$/i.test(host);
}
