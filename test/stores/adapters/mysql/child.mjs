// A process that is to be killed: opens an adapter on a borrowed store and writes, or prepares a provider and makes a lane. Says when it has.
import { createRequire } from "node:module";

const [bundle, what, url, extra] = process.argv.slice(2);
const { MysqlAdapter, stores } = createRequire(import.meta.url)(bundle);
if (what === "borrow") {
  const system = new MysqlAdapter({ url, checkpoint: extra });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
  await system.root();
} else {
  const provider = stores.createProvider({ name: "db", url, runId: extra, directory: "/tmp" });
  await provider.prepare();
  await provider.provide(0, 0);
}
process.stdout.write("ready\n");
setInterval(() => undefined, 1000);
