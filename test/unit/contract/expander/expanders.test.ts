import { buildLane } from "../../../../src/expanders/build-lane.ts";
import { InlineExpander } from "../../../../src/expanders/inline/inline-expander.ts";
import { expanderContract } from "../../../contract/expander/expander-contract.ts";
import { host, HTTP, ledger } from "../../../contract/expander/ledger-lanes.ts";
import { LanesExpander } from "../../../support/lanes-expander.ts";
import { laneOptions } from "../../../support/seats.ts";

expanderContract(
  "in this thread",
  async () =>
    new InlineExpander({
      definition: await ledger(),
      host,
      options: laneOptions(),
      build: (d, spec, options) => buildLane(d, spec, options, HTTP),
    }),
);

expanderContract(
  "lanes of the tests, in this thread",
  async () => new LanesExpander({ definition: await ledger(), lanes: 2, depth: 2, seed: 1 }),
);
