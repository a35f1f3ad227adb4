import { once } from "node:events";
import { expect, test } from "vitest";
import { Connection } from "../../../../../src/adapters/redis/connect/driver.ts";
import { redisPlace } from "../../../../../src/adapters/redis/connect/redis-url.ts";
import { Tracker } from "../../../../../src/adapters/redis/dump/tracker.ts";
import { ownServer } from "../scratch.ts";

const server = ownServer();

test("an echo is not waited for when the listening connection was lost since the last look", async () => {
  const place = redisPlace(server.url());
  const [commands, events] = [await Connection.open(place), await Connection.open(place, { protocol: 3 })];
  const tracker = (await Tracker.start(commands, events)) as Tracker;
  await tracker.settle();
  const closed = once(events.client, "close");
  await commands.text("CLIENT", "KILL", "TYPE", "PUBSUB");
  await closed;
  await tracker.own((token) => commands.text("PUBLISH", tracker.channel, `end ${token}`));
  expect(await tracker.settle()).toBe("all");
  for (const one of [commands, events]) one.close();
}, 10_000);
