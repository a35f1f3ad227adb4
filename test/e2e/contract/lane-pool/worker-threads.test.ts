import { pathToFileURL } from "node:url";
import { ThreadLanePool } from "../../../../src/lane-pools/threads/thread-lane-pool.ts";
import type { bundle as bundleModule } from "../../../../src/loader/index.ts";
import { expanderContract } from "../../../contract/lane-pool/lane-pool-contract.ts";
import { host, HTTP, LEDGER } from "../../../contract/lane-pool/ledger-lanes.ts";
import { emptyFolder, root } from "../../../support/e2e.ts";
import { laneOptions } from "../../../support/lane-parts.ts";

// Threads run the built package: nothing transforms code inside of them.
expanderContract("worker threads", async () => {
  const built = pathToFileURL(`${root}dist/`).href;
  const { bundle } = (await import(`${built}loader/index.js`)) as { readonly bundle: typeof bundleModule };
  const { file } = await bundle(LEDGER, { outDir: emptyFolder() });
  return new ThreadLanePool({
    lanes: 2,
    depth: 2,
    host,
    bundle: file,
    exportName: "agent",
    options: laneOptions(),
    http: HTTP,
    setUp: false,
    hangMs: 20_000,
    workerUrl: new URL("lane-pools/threads/worker.js", built),
  });
});
