import { SeqqaError } from "../../model/errors.ts";
import { environmentProxies } from "../../network/environment-proxies.ts";
import { probe } from "../ready/probe.ts";
import { declaredStores, sqliteFile, storeIdentity } from "../stores/lane-stores.ts";
import type { StoreConfig, TargetConfig } from "../target-config.ts";
import { notHttp, unreachable } from "../process/target-errors.ts";

const REACH_TIMEOUT_MS = 10_000;

export interface RunningLane {
  /** The URL of the target, without a trailing slash. */
  readonly baseUrl: string;
  readonly stores: Readonly<Record<string, StoreConfig>>;
}

/**
 * Returns the configured `lanes`, or else one lane for `base_url`. Returns no lanes if neither is set, because the target then runs in this process.
 */
export function runningLanes(config: TargetConfig): readonly RunningLane[] {
  if (config.lanes !== undefined && config.lanes.length > 0) {
    return config.lanes.map((lane) => ({ baseUrl: trimmed(lane.baseUrl), stores: declaredStores(lane.systems, lane.dbUrl) }));
  }
  return config.baseUrl === undefined ? [] : [{ baseUrl: trimmed(config.baseUrl), stores: declaredStores(config.systems, config.dbUrl) }];
}

/** Checks that no two lanes share a target or store, because each of them would change the state of the other. @throws SeqqaError `LANES_SHARED` */
export function refuseSharedLanes(lanes: readonly RunningLane[], folder: string): void {
  const seen = new Map<string, number>();
  lanes.forEach((lane, index) => {
    const stores = Object.values(lane.stores).map(({ url }) => identityOf(url, folder));
    for (const [what, identity] of [["target", addressOf(lane.baseUrl)] as const, ...stores.map((store) => ["store", store] as const)]) {
      if (identity === "") continue;
      const first = seen.get(identity);
      if (first !== undefined && first !== index) {
        throw new SeqqaError(
          "LANES_SHARED",
          `lanes[${first}] and lanes[${index}] in seqqa.yaml name the same ${what}${what === "target" ? ` ${lane.baseUrl}` : ""}.`,
          {
            exitStatus: 2,
            hint: `Give every lane its own ${what}, or use --parallel 1.`,
          },
        );
      }
      seen.set(identity, index);
    }
  });
}

/** Checks that the target answers a request. @throws SeqqaError `TARGET_UNREACHABLE`, `TARGET_NOT_HTTP`, `PROXY_INVALID` */
export async function requireReachable(baseUrl: string, signal: AbortSignal, { tls, proxy }: TargetConfig): Promise<void> {
  const url = new URL(`${baseUrl}/`);
  const ca = tls?.ca ?? [];
  const proxies = proxy === "environment" ? environmentProxies() : undefined;
  const result =
    proxies === undefined
      ? await probe(url, REACH_TIMEOUT_MS, signal, ca)
      : await (await import("../ready/probe-by-proxy.ts")).probeByProxy(url, REACH_TIMEOUT_MS, signal, proxies, ca);
  signal.throwIfAborted();
  if (result.kind === "silent") throw unreachable(baseUrl, result.error);
  if (result.kind === "garbage") throw notHttp(baseUrl, "");
}

/** Returns the address of a URL for comparisons. `localhost` and `127.0.0.1` count as the same address. */
function addressOf(baseUrl: string): string {
  return baseUrl.toLowerCase().replace(/^(https?:)\/\/localhost(?=[:/]|$)/, (_, scheme: string) => `${scheme}//127.0.0.1`);
}

function identityOf(url: string, folder: string): string {
  const file = sqliteFile(url, folder);
  return storeIdentity(file === undefined ? url : `sqlite:${file}`);
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}
