import { Agent, World, type Values } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { SqliteAdapter } from "seqqa/adapters/sqlite";
import { agent as ledger } from "../../fixtures/ledger/ledger.explore.ts";

const mode = process.env["CHECKPOINT"] as "journal" | "copy" | undefined;

/** The ledger with the checkpoint mode that the environment variable CHECKPOINT names. */
export const agent: Agent<Values, HttpClient> = new Agent({
  name: "ledger",
  world: (lane) =>
    new World({
      api: new HttpClient(lane.baseUrl),
      systems: { db: new SqliteAdapter({ file: lane.dbPath!, checkpoint: mode ?? "auto" }) },
    }),
  actions: ledger.actions,
  invariants: ledger.invariants,
  maxSteps: 400_000,
});
