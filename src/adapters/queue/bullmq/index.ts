import type { StoreAdapter } from "../../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../../model/stores/store-module.ts";
import type { StoreKind } from "../../../model/stores/store-provider.ts";
import { stores as redis } from "../../redis/index.ts";
import { BullmqAdapter, redisUrlOf, type BullmqAdapterOptions } from "./bullmq-adapter.ts";

/** Uses the providers of Redis stores, so a lane's copy contains the jobs of the template. */
export const stores: StoreKind = {
  createProvider: (options) => {
    const provider = redis.createProvider({ ...options, url: redisUrlOf(options.url) });
    const { search } = new URL(options.url);
    const provide = provider.provide.bind(provider);
    const targetUrl = provider.targetUrl?.bind(provider);
    return Object.assign(provider, {
      provide: async (lane: number, generation: number) => `${await provide(lane, generation)}${search}`,
      targetUrl: (url: string) => {
        const target = targetUrl?.(url.slice(0, url.length - search.length));
        return target === undefined ? undefined : `${target}${search}`;
      },
    });
  },
  clean: (url, how) => redis.clean(redisUrlOf(url), how),
  check: (url, use) => redis.check(redisUrlOf(url), use),
  disturb: (url) => redis.disturb(redisUrlOf(url)),
};

export function openBullmq({ url, targetUrl, isolation, tables, ignore }: StoreModuleSettings): StoreAdapter {
  return new BullmqAdapter({
    url,
    targetUrl,
    prefix: new URL(url).searchParams.get("prefix") ?? undefined,
    isolation: isolation as BullmqAdapterOptions["isolation"],
    keys: tables,
    ignore,
  });
}
