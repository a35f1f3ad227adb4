// The entry of the processes that bench/strategies.ts starts. Each executes all runs of one fixture and sends the samples to the parent process.
import { beds } from "./strategies/bed.ts";
import { runBed } from "./strategies/run-bed.ts";
import { declaredAgent } from "./support/agent-of.ts";

const [name, seeds] = process.argv.slice(2) as [string, string];
const bed = beds.find((one) => one.name === name)!;
process.send!(await runBed(bed, await declaredAgent(bed.agent), Number(seeds)), () => process.exit(0));
