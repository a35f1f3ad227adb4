import { Agent, World, type Values } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { agent as ledger } from "../../fixtures/ledger/ledger.explore.ts";

/** The ledger as an API in the lane's own thread, whose store is restored by savepoints. */
export const agent: Agent<Values, HttpClient> = new Agent({
  name: "ledger",
  world: (lane) => new World({ api: new HttpClient(lane.fetch!), systems: lane.systems }),
  actions: ledger.actions,
  invariants: ledger.invariants,
  maxSteps: 400_000,
});
