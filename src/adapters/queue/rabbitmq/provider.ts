import { randomUUID } from "node:crypto";
import type { ChannelModel } from "amqplib";
import type { Removed, StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { connectRabbitmq } from "./connect.ts";
import { Management } from "./management.ts";
import { rabbitmqPlace, urlOfVhost, type RabbitmqPlace } from "./rabbitmq-place.ts";

/** The beginning of the queue in the template by which a living run is known. It exists as long as the connection of the run. */
const ALIVE = "seqqa.run.";

/** The names of the virtual hosts that runs make: the run with the store, the lane, and how often the lane was made. */
const LANE = /^seqqa_([0-9a-f]+_.+)_\d+_\d+$/;

/** Tells the virtual hosts of runs with one template from others. */
const describes = ({ vhost }: RabbitmqPlace): string => `A lane's copy of ${vhost}, made by seqqa`;

/** Gives each lane a virtual host of its own, with the queues, exchanges, bindings and policies of the template, and without its messages. */
export class RabbitmqProvider implements StoreProvider {
  readonly #place: RabbitmqPlace;
  /** The run and the store: two stores of a run may have one template. */
  readonly #owner: string;
  readonly #management: Management;
  readonly #lanes: Map<number, string> = new Map();
  #alive: { readonly connection: ChannelModel; readonly id: string } | undefined;
  #template: unknown;

  constructor({ name, url, runId }: StoreProviderOptions) {
    this.#place = rabbitmqPlace(url);
    this.#owner = `${runId}_${name}`;
    this.#management = new Management(this.#place);
  }

  async prepare(): Promise<void> {
    await this.#live();
    await sweep(this.#place, this.#management);
    this.#template = topologyOf(await this.#management.ask("GET", ["definitions", this.#place.vhost]));
  }

  async provide(lane: number, generation: number): Promise<string> {
    await this.release(lane);
    const vhost = `seqqa_${this.#owner}_${lane}_${generation}`;
    this.#lanes.set(lane, vhost);
    await this.#management.ask("PUT", ["vhosts", vhost], { description: describes(this.#place) });
    await this.#management.ask("PUT", ["permissions", vhost, this.#place.user], { configure: ".*", write: ".*", read: ".*" });
    await this.#management.ask("POST", ["definitions", vhost], this.#template ?? {});
    return urlOfVhost(this.#place, vhost);
  }

  async session(): Promise<string> {
    return this.#live();
  }

  async release(lane: number): Promise<void> {
    const vhost = this.#lanes.get(lane);
    if (vhost === undefined) return;
    await this.#management.ask("DELETE", ["vhosts", vhost]);
    this.#lanes.delete(lane);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.keys()].map((lane) => this.release(lane)));
    const alive = this.#alive;
    this.#alive = undefined;
    await alive?.connection.close().catch(() => undefined);
  }

  /** Keeps a sign of life in the template, and returns its id: another one where the connection was lost meanwhile. */
  async #live(): Promise<string> {
    if (this.#alive !== undefined) return this.#alive.id;
    const connection = await connectRabbitmq(this.#place);
    connection.once("close", () => (this.#alive = undefined));
    const channel = await connection.createChannel();
    channel.on("error", () => undefined);
    await channel.assertQueue(`${ALIVE}${this.#owner}`, { exclusive: true });
    this.#alive = { connection, id: randomUUID() };
    return this.#alive.id;
  }
}

/** Parts of a policy by which a queue or an exchange takes messages from another broker. */
const FEDERATION = /^federation/;

/**
 * Returns queues, exchanges, bindings and policies of a template. Shovels and upstreams (`parameters`) are left out: they would take messages from
 * brokers that the lanes must not touch, and hold their passwords.
 */
function topologyOf(definitions: unknown): object {
  const { queues = [], exchanges = [], bindings = [], policies = [] } = definitions as Record<string, readonly Definition[] | undefined>;
  const own = policies.map((policy) => ({
    ...policy,
    definition: Object.fromEntries(Object.entries(policy.definition ?? {}).filter(([key]) => !FEDERATION.test(key))),
  }));
  return { queues, exchanges, bindings, policies: own.filter(({ definition }) => Object.keys(definition).length > 0) };
}

interface Definition {
  readonly definition?: object;
}

/** Removes the virtual hosts of dead runs with this template. */
export async function sweep(place: RabbitmqPlace, management: Management, dryRun: boolean = false): Promise<Removed> {
  const all = (await management.ask<readonly VirtualHost[]>("GET", ["vhosts"])) ?? [];
  // After the list: a run shows that it lives before it makes a virtual host.
  const queues =
    (await management.ask<readonly { readonly name: string }[]>("GET", ["queues", place.vhost], undefined, "?disable_stats=true")) ?? [];
  const alive = new Set(queues.map(({ name }) => name));
  const dead = all.filter(
    ({ name, description }) => description === describes(place) && LANE.test(name) && !alive.has(`${ALIVE}${LANE.exec(name)![1]!}`),
  );
  if (!dryRun) for (const { name } of dead) await management.ask("DELETE", ["vhosts", name]);
  return dead.map(({ name }) => `virtual host ${name}`);
}

interface VirtualHost {
  readonly name: string;
  readonly description?: string;
}
