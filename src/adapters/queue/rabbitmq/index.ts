import { SeqqaError } from "../../../model/errors.ts";
import type { StoreAdapter } from "../../../model/stores/store-adapter.ts";
import type { StoreModuleSettings } from "../../../model/stores/store-module.ts";
import type { StoreCheck, StoreKind } from "../../../model/stores/store-provider.ts";
import { connectRabbitmq } from "./connect.ts";
import { Management } from "./management.ts";
import { RabbitmqProvider, sweep } from "./provider.ts";
import { RabbitmqAdapter } from "./rabbitmq-adapter.ts";
import { rabbitmqPlace, shownRabbitmq } from "./rabbitmq-place.ts";

export const stores: StoreKind = {
  createProvider: (options) => new RabbitmqProvider(options),

  clean: async (url, how) => {
    const place = rabbitmqPlace(url);
    return { removed: await sweep(place, new Management(place), how?.dryRun) };
  },

  check: async (url) => {
    const checks: StoreCheck[] = [];
    try {
      const place = rabbitmqPlace(url);
      await (await connectRabbitmq(place)).close();
      checks.push({ ok: true, what: "reachable", says: `${shownRabbitmq(place)} answers.` });
      const overview = await new Management(place).ask<{ readonly rabbitmq_version: string }>("GET", ["overview"]);
      checks.push({
        ok: true,
        what: "management",
        says: `RabbitMQ ${overview?.rabbitmq_version ?? "unknown"}; seqqa creates a virtual host for each lane.`,
      });
    } catch (error) {
      if (!(error instanceof SeqqaError)) throw error;
      checks.push({
        ok: false,
        what: checks.length === 0 ? "reachable" : "management",
        says: `${error.message} ${error.hint ?? ""}`.trim(),
      });
    }
    return checks;
  },

  disturb: async (url) => {
    const place = rabbitmqPlace(url);
    const [queue] = await new Management(place).queues(place.vhost);
    if (queue === undefined) return undefined;
    const connection = await connectRabbitmq(place);
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue(queue.name, Buffer.from("disturbed"));
    await channel.waitForConfirms();
    await connection.close();
    return `sent a message to ${queue.name}`;
  },
};

export function openRabbitmq({ url }: StoreModuleSettings): StoreAdapter {
  return new RabbitmqAdapter({ url });
}
