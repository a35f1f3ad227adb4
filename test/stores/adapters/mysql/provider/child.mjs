// A process that is to be killed: opens an adapter on a borrowed store, writes and looks, or prepares a provider and makes a lane. Says when it has.
import { createRequire } from "node:module";
import mysql from "mysql2/promise";

const [bundle, what, url, extra] = process.argv.slice(2);
const { MysqlAdapter, stores } = createRequire(import.meta.url)(bundle);
if (what === "borrow") {
  const system = new MysqlAdapter({ url });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
  await system.root();
  if (extra !== "") {
    const target = await mysql.createConnection({ uri: url, multipleStatements: true });
    await target.query(extra);
    await target.end();
    await system.mark();
  }
} else {
  const provider = stores.createProvider({ name: "db", url, runId: extra, directory: "/tmp" });
  await provider.prepare();
  await provider.provide(0, 0);
}
process.stdout.write("ready\n");
setInterval(() => undefined, 1000);
