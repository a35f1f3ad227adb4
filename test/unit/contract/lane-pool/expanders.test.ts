import { buildLane } from "../../../../src/lane-pools/build-lane.ts";
import { InlineLanePool } from "../../../../src/lane-pools/inline/inline-lane-pool.ts";
import { expanderContract } from "../../../contract/lane-pool/lane-pool-contract.ts";
import { host, HTTP, ledger } from "../../../contract/lane-pool/ledger-lanes.ts";
import { TestLanePool } from "../../../support/test-lane-pool.ts";
import { laneOptions } from "../../../support/lane-parts.ts";

expanderContract(
  "in this thread",
  async () =>
    new InlineLanePool({
      definition: await ledger(),
      host,
      options: laneOptions(),
      build: (definition, spec, options) => buildLane({ definition, options, http: HTTP }, spec),
    }),
);

expanderContract(
  "lanes of the tests, in this thread",
  async () => new TestLanePool({ definition: await ledger(), lanes: 2, depth: 2, seed: 1 }),
);
