import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Bundles } from "../bundles.ts";
import { SERVERS_VARIABLE } from "../services.ts";
import { mysql, nats, postgres, rabbitmq, redis } from "../services/kinds.ts";
import { find, startOwn, variable, type Found, type Service } from "../services/service.ts";

/**
 * Global set-up of the projects whose tests use servers of databases and queues. All test files share one server of each kind. It is started, found
 * or installed when a test first asks for its URL, so that a run starts only the servers that it needs. Servers that were started here end with the
 * run.
 */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  // Several projects of one run share the servers, so the second set-up has nothing to do.
  if (process.env[SERVERS_VARIABLE] !== undefined) return undefined;
  const asked = new Map<string, Promise<Found>>();
  const ask = (name: string): Promise<Found> | undefined => {
    const service = [postgres, mysql, redis, rabbitmq, nats].find((one) => one.name === name);
    if (service === undefined) return undefined;
    if (!asked.has(name)) {
      asked.set(
        name,
        have(service).then((found) => {
          console.log(`${name}: ${found.kind === "missing" ? found.problem : found.how}`);
          return found;
        }),
      );
    }
    return asked.get(name);
  };
  const bundles = new Bundles();
  const broker = createServer((request, response) => {
    const adapter = /^\/bundle\/([a-z]+)$/.exec(request.url!)?.[1];
    if (adapter !== undefined) {
      void bundles.of(adapter).then(
        (file) => response.end(file),
        (error: Error) => response.writeHead(500).end(error.message),
      );
      return;
    }
    const found = ask(request.url!.slice(1)) ?? Promise.resolve(null);
    void found
      .catch((error: Error): Found => ({ kind: "missing", problem: error.message }))
      .then((one) => response.end(JSON.stringify(one)));
  });
  await new Promise<void>((resolve) => broker.listen(0, "127.0.0.1", resolve));
  process.env[SERVERS_VARIABLE] = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
  return async () => {
    delete process.env[SERVERS_VARIABLE];
    broker.close();
    broker.closeAllConnections();
    bundles.remove();
    for (const found of await Promise.all(asked.values())) if (found.kind === "found") await found.stop();
  };
}

/**
 * Returns the server that the environment names, or else one that is started for the tests and keeps its data in memory. If there are no binaries, a
 * running server is used, or one is installed.
 */
async function have(service: Service): Promise<Found> {
  const own = process.env[variable(service)] ? undefined : await startOwn(service);
  return own?.kind === "found" ? own : find(service);
}
