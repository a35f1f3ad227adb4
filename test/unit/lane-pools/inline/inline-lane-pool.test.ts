import { describe, expect, it } from "vitest";
import { buildLane } from "../../../../src/lane-pools/build-lane.ts";
import { InlineLanePool } from "../../../../src/lane-pools/inline/inline-lane-pool.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { host, HTTP, ledger } from "../../../contract/lane-pool/ledger-lanes.ts";
import { laneOptions } from "../../../support/lane-parts.ts";

describe("a pool whose lanes were built again", () => {
  it("reports the unexplained rows of all lanes, also if its last lane cannot be closed", async () => {
    let built = 0;
    const pool = new InlineLanePool({
      definition: await ledger(),
      host,
      options: laneOptions(),
      build: async (definition, spec, options) => {
        const lane = await buildLane({ definition, options, http: HTTP }, spec);
        const problem = new SeqqaError("ROWS_UNDONE", `Rows of lane ${++built}.`);
        const close = async (later?: (problem: SeqqaError) => void): Promise<void> => {
          await lane.close();
          if (later === undefined) throw new SeqqaError("ROWS_KEPT", "Rows were kept.");
          later(problem);
        };
        return { ...lane, close };
      },
    });
    await pool.start();
    await pool.rebuild(0);
    await pool.rebuild(0);
    await expect(pool.close()).rejects.toMatchObject({ code: "ROWS_KEPT", message: "Rows were kept. Rows of lane 1. Rows of lane 2." });
  });
});
