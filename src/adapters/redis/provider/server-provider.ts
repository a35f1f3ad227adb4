import { join } from "node:path";
import type { StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { OwnServer } from "./own-server.ts";
import { redisPlace, urlOfPlace } from "../connect/redis-url.ts";
import { fill, readTemplate, type Template } from "./template.ts";

/** Starts a redis-server for each lane. FLUSHALL, SWAPDB and changed settings then affect only the lane that caused them. */
export class ServerProvider implements StoreProvider {
  readonly #options: StoreProviderOptions;
  readonly #servers = new Map<number, Promise<OwnServer>>();
  #template: Template | undefined;

  constructor(options: StoreProviderOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    this.#template = await readTemplate(redisPlace(this.#options.url));
  }

  async provide(lane: number, generation: number): Promise<string> {
    await this.release(lane);
    const template = (this.#template ??= await readTemplate(redisPlace(this.#options.url)));
    const { directory, name, runId } = this.#options;
    const folder = join(directory, `redis-${name.replace(/[^\w-]/g, "_")}-${lane}-${generation}`);
    const starting = OwnServer.start({ directory: folder, runId, template });
    this.#servers.set(lane, starting);
    const server = await starting;
    await fill(server.place, template, { isOwn: true });
    return urlOfPlace(server.place);
  }

  async release(lane: number): Promise<void> {
    const starting = this.#servers.get(lane);
    this.#servers.delete(lane);
    const server = await starting?.catch(() => undefined);
    await server?.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.keys()].map((lane) => this.release(lane)));
  }
}
