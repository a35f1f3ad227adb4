// The entry of the processes that bench/peers.ts and bench/http-ledger.ts start. Each runs one side other than seqqa and sends its figures to the
// parent process.
import { bareRequests, bareServer } from "./peers/bare-requests.ts";
import { breadthFirst } from "./peers/breadth-first.ts";
import { InMemory } from "./peers/in-memory.ts";
import type { MeasuredSide } from "./peers/measured-side.ts";
import { modelBased } from "./peers/model-based.ts";
import { declaredAgent } from "./support/agent-of.ts";

const ledger = async (): Promise<InMemory> => new InMemory(await declaredAgent("fixtures/ledger/memory.explore.ts"));

const SIDES: Readonly<Record<string, (steps: number) => Promise<MeasuredSide>>> = {
  "model-based": async (steps) => modelBased(await ledger(), steps),
  "breadth-first": async () => breadthFirst(await ledger()),
  "bare requests": bareRequests,
  "bare server": bareServer,
};

const [side, steps] = process.argv.slice(2) as [string, string];
process.send!(await SIDES[side]!(Number(steps)), () => process.exit(0));
