import fc from "fast-check";
import type { InMemory } from "./in-memory.ts";
import type { MeasuredSide } from "./measured-side.ts";

/** Number of random sequences for each property, as in a property that a user writes. The next constant limits the commands of a sequence. */
const RUNS = 100;
const MOST_COMMANDS = 50;

type Model = Record<string, never>;

/**
 * Runs fast-check's model-based testing: random sequences of the same actions as commands, each beginning with an empty ledger, with the same checks
 * after each command. It uses `asyncModelRun`, because the actions are asynchronous. Every command applies in every state, and the model is empty:
 * only the invariants are checked. This side restores nothing and does not recognise states. A second run with the same seeds, which is not timed,
 * counts the states.
 */
export async function modelBased(ledger: InMemory, atLeast: number): Promise<MeasuredSide> {
  const empty = JSON.stringify(ledger.state);
  const met = new Set<string>();
  const run = async (afterStep: () => void): Promise<number> => {
    let steps = 0;
    const commands = ledger.actions.map((action) => {
      const command: fc.AsyncCommand<Model, InMemory> = {
        check: () => true,
        run: async (_model, real) => {
          await real.step(action);
          steps++;
          afterStep();
        },
        toString: () => action.name,
      };
      return fc.constant(command);
    });
    const sequences = fc.commands(commands, { maxCommands: MOST_COMMANDS, size: "max" });
    const setup = (): { model: Model; real: InMemory } => {
      ledger.state = JSON.parse(empty);
      return { model: {}, real: ledger };
    };
    const property = fc.asyncProperty(sequences, (sequence) => fc.asyncModelRun(setup, sequence));
    for (let seed = 0; steps < atLeast; seed++) await fc.assert(property, { numRuns: RUNS, seed });
    return steps;
  };
  const start = performance.now();
  const steps = await run(() => undefined);
  const ms = performance.now() - start;
  met.add(empty);
  const again = await run(() => void met.add(JSON.stringify(ledger.state)));
  if (again !== steps) throw new Error(`The same seeds executed ${steps} and then ${again} commands.`);
  return { steps, ms, states: met.size };
}
