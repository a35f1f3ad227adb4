import type { StoreProvider } from "../../../model/stores/store-provider.ts";
import { redisPlace, urlOfPlace } from "../connect/redis-url.ts";
import { FaultProxy } from "../faults/fault-proxy.ts";

/** Puts a proxy between each lane's target and its Redis store, so that writes can be made to fail. */
export class FaultyProvider implements StoreProvider {
  readonly #inner: StoreProvider;
  readonly #proxies = new Map<number, FaultProxy>();
  /** The URL of the proxy for each lane. The key is the URL of the lane's store. */
  readonly #urls = new Map<string, string>();

  constructor(inner: StoreProvider) {
    this.#inner = inner;
  }

  prepare(): Promise<void> {
    return this.#inner.prepare();
  }

  async provide(lane: number, generation: number): Promise<string> {
    this.#end(lane);
    const url = await this.#inner.provide(lane, generation);
    const proxy = await FaultProxy.start(redisPlace(url));
    this.#proxies.set(lane, proxy);
    this.#urls.set(url, urlOfPlace(proxy.place));
    return url;
  }

  targetUrl(url: string): string | undefined {
    return this.#urls.get(url);
  }

  session(): Promise<string> {
    return this.#inner.session?.() ?? Promise.resolve("");
  }

  release(lane: number): Promise<void> {
    this.#end(lane);
    return this.#inner.release(lane);
  }

  close(): Promise<void> {
    for (const lane of this.#proxies.keys()) this.#end(lane);
    return this.#inner.close();
  }

  #end(lane: number): void {
    this.#proxies.get(lane)?.close();
    this.#proxies.delete(lane);
  }
}
