import { mysql, nats, postgres, rabbitmq, redis } from "./services/kinds.ts";
import type { Found, Service } from "./services/service.ts";

/** The environment variable with the URL at which tests ask for servers. `setup/servers.ts` sets it. */
export const SERVERS_VARIABLE = "SEQQA_TEST_SERVERS";

/** URL of an administrator of a PostgreSQL server, without a path. @throws Error that says how to get one. */
export const postgresUrl = (): Promise<string> => urlOf(postgres);

/** URL of an administrator of a MariaDB or MySQL server, without a path. @throws Error that says how to get one. */
export const mysqlUrl = (): Promise<string> => urlOf(mysql);

/** URL of a Redis server, without a path. @throws Error that says how to get one. */
export const redisUrl = (): Promise<string> => urlOf(redis);

/** URL of a RabbitMQ server with its management API, without a virtual host. @throws Error that says how to get one. */
export const rabbitmqUrl = (): Promise<string> => urlOf(rabbitmq);

/** URL of a NATS server with JetStream. @throws Error that says how to get one. */
export const natsUrl = (): Promise<string> => urlOf(nats);

const urls = new Map<string, Promise<string>>();

function urlOf(service: Service): Promise<string> {
  const known = urls.get(service.name) ?? ask(service);
  urls.set(service.name, known);
  return known;
}

async function ask({ name }: Service): Promise<string> {
  const servers = process.env[SERVERS_VARIABLE];
  if (servers === undefined) throw new Error(`${SERVERS_VARIABLE} is not set: run the tests with vitest, in the project stores or e2e.`);
  const found = (await (await fetch(`${servers}/${name}`)).json()) as Found;
  if (found.kind === "missing") throw new Error(found.problem);
  return found.url;
}
