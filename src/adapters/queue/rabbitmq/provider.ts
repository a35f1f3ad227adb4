import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ChannelModel } from "amqplib";
import type { Removed, StoreProvider, StoreProviderOptions } from "../../../model/stores/store-provider.ts";
import { connectRabbitmq } from "./connect.ts";
import { Management } from "./management.ts";
import { rabbitmqPlace, urlOfVhost, type RabbitmqPlace } from "./rabbitmq-place.ts";

/**
 * The prefix for the names of queues that show which runs are alive. Each run has such a queue in the template's virtual host. RabbitMQ deletes the
 * queue when the connection of the run ends.
 */
const ALIVE = "seqqa.run.";
/** The pauses, in milliseconds, before the attempts of a run to create its queue again after the run lost its connection. */
const RETRY_MS = [0, 300, 1000, 3000, 10_000] as const;
/** The time, in milliseconds, in which a live run must create its queue again after the run lost its connection. */
const COMEBACK_MS = 3000;

/**
 * Matches the names of virtual hosts that runs create: run id and store name, then the lane, then the lane's generation (how often it was rebuilt).
 */
const LANE = /^seqqa_([0-9a-f]+_.+)_\d+_\d+$/;

/**
 * Returns the description that RabbitMQ stores for the virtual hosts that runs make from this template. Only these virtual hosts have this
 * description.
 */
const describes = ({ vhost }: RabbitmqPlace): string => `A lane's copy of ${vhost}, made by seqqa`;

interface Alive {
  readonly connection: ChannelModel;
  readonly id: string;
}

/** Creates a virtual host for each lane, with the queues, exchanges, bindings and policies of the template but without its messages. */
export class RabbitmqProvider implements StoreProvider {
  readonly #place: RabbitmqPlace;
  /** The run id and the store's name. Two stores of a run may share a template, so the run id alone is not unique. */
  readonly #owner: string;
  readonly #management: Management;
  readonly #lanes: Map<number, string> = new Map();
  #alive: Promise<Alive> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
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
    return (await this.#live()).id;
  }

  async release(lane: number): Promise<void> {
    const vhost = this.#lanes.get(lane);
    if (vhost === undefined) return;
    await this.#management.ask("DELETE", ["vhosts", vhost]);
    this.#lanes.delete(lane);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.keys()].map((lane) => this.release(lane)));
    this.#closed = true;
    clearTimeout(this.#retry);
    const alive = await this.#alive?.catch(() => undefined);
    this.#alive = undefined;
    await alive?.connection.close().catch(() => undefined);
  }

  /**
   * Connects to the template's virtual host and creates the queue that shows that the run is alive, unless a connection with such a queue is open.
   * Each new connection gets a new `id`.
   */
  #live(): Promise<Alive> {
    this.#alive ??= this.#connect().catch((error: unknown) => {
      this.#alive = undefined;
      throw error;
    });
    return this.#alive;
  }

  async #connect(): Promise<Alive> {
    const connection = await connectRabbitmq(this.#place);
    try {
      const channel = await connection.createChannel();
      channel.on("error", () => undefined);
      await channel.assertQueue(`${ALIVE}${this.#owner}`, { exclusive: true });
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
    connection.once("close", () => {
      this.#alive = undefined;
      this.#comeBack(0);
    });
    return { connection, id: randomUUID() };
  }

  /** Creates the run's queue again after the connection was lost, so that other runs do not consider this run dead. */
  #comeBack(attempt: number): void {
    const pauseMs = RETRY_MS[attempt];
    if (this.#closed || pauseMs === undefined) return;
    this.#retry = setTimeout(() => void this.#live().catch(() => this.#comeBack(attempt + 1)), pauseMs);
    this.#retry.unref();
  }
}

/** Matches the settings of a policy that make a queue or exchange receive messages from another broker. */
const FEDERATION = /^federation/;

/**
 * Returns the queues, exchanges, bindings and policies of a template. Shovels and federation upstreams (`parameters`) are left out, because lanes
 * must not take messages from other brokers, and because `parameters` contain passwords.
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

export async function sweep(place: RabbitmqPlace, management: Management, dryRun: boolean = false): Promise<Removed> {
  let dead = await deadHosts(place, management);
  if (dead.length > 0 && (await isUsed(dead, management))) {
    // A client is connected to the virtual host of a run whose queue does not exist. The run may be alive, and may just have lost its connection.
    await pause(COMEBACK_MS);
    dead = await deadHosts(place, management);
  }
  if (!dryRun) for (const name of dead) await management.ask("DELETE", ["vhosts", name]);
  return dead.map((name) => `virtual host ${name}`);
}

async function deadHosts(place: RabbitmqPlace, management: Management): Promise<readonly string[]> {
  const all = (await management.ask<readonly VirtualHost[]>("GET", ["vhosts"])) ?? [];
  // List the runs' queues after the virtual hosts. A run creates its queue before its virtual hosts, so a run that is just starting does not count as
  // dead.
  const queues =
    (await management.ask<readonly { readonly name: string }[]>("GET", ["queues", place.vhost], undefined, "?disable_stats=true")) ?? [];
  const alive = new Set(queues.map(({ name }) => name));
  return all
    .filter(({ name, description }) => description === describes(place) && LANE.test(name) && !alive.has(`${ALIVE}${LANE.exec(name)![1]!}`))
    .map(({ name }) => name);
}

async function isUsed(hosts: readonly string[], management: Management): Promise<boolean> {
  const connections = (await management.ask<readonly { readonly vhost?: string }[]>("GET", ["connections"])) ?? [];
  return connections.some(({ vhost }) => vhost !== undefined && hosts.includes(vhost));
}

interface VirtualHost {
  readonly name: string;
  readonly description?: string;
}
