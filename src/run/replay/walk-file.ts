import { resolveExploration, type Config } from "../../config/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { mapStack } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { WalkedStep, WalkError, WalkJudged, WalkPlace } from "../../model/results/walked.ts";
import { knowsNothing, readKnowledge } from "../../state/index.ts";
import type { Walk } from "../../lane/index.ts";
import { withLanes } from "../lanes/open-lanes.ts";
import { whereOfStack } from "../prepare/declared-at.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import { indicesOf, untilAborted } from "./replay.ts";
import { refuseGone } from "./refuse-gone.ts";

export interface WalkFileInput {
  /** The path of the `*.explore.*` file. */
  readonly entry: string;
  readonly config: Config;
  readonly signal: AbortSignal;
  /** The seed for test data. Default: the seed of the exploration. */
  readonly seed?: number | undefined;
  /** Names of the actions that will be executed. The names are checked before a lane is built. */
  readonly actions: readonly string[];
  /**
   * The knowledge about generated values and times, and the clock readings, that an earlier run stored. With this knowledge, states get the same
   * fingerprints as in the earlier run.
   */
  readonly known?: { readonly knowledge: string; readonly clocksMs: readonly number[] } | undefined;
}

/** A lane on which actions are executed one at a time, by name. */
export interface ActionWalk {
  readonly actions: readonly string[];
  /** The URLs and files of the lane, without passwords. */
  readonly uses: readonly string[];
  /** `true` if the stores are copies that only this lane uses. */
  readonly isIsolated: boolean;
  /**
   * Brings the lane to the state at the end of a path.
   * @throws LaneLost
   * @throws SeqqaError `NO_SUCH_ACTION`
   */
  goTo(path: readonly string[], draws?: readonly (readonly string[])[]): Promise<WalkPlace>;
  place(): Promise<WalkPlace>;
  /**
   * Executes an action in the current state, and checks the rules.
   * @param spoil Changes the stores after the action, before the rules are checked.
   * @throws SeqqaError `NO_SUCH_ACTION`
   */
  step(action: string, spoil?: Parameters<Walk["step"]>[1]): Promise<WalkedStep>;
  /** Checks the rules in the root state. Requires that the lane is at the root state. */
  judgeRoot(): Promise<WalkJudged>;
}

/** Builds a lane for an exploration file, calls `work` with it, and closes it. @throws SeqqaError */
export async function walkFile<T>(input: WalkFileInput, work: (walk: ActionWalk) => Promise<T>): Promise<T> {
  const { entry, signal, known } = input;
  refuseGone(entry);
  const config = { ...input.config, parallel: 1 };
  return withRunDirectory(async (directory) => {
    const { definition, module } = await loadExploration(entry, directory);
    requireActions(input.actions, definition);
    const seed = input.seed ?? resolveExploration(config, definition).seed;
    signal.throwIfAborted();
    const settings = { literals: module.literals, dataSeed: seed, shapes: false, earlierClocksMs: known?.clocksMs };
    return withLanes({ config, definition, directory, signal, settings }, async ({ host, lanePool, inline }) => {
      const [started] = await lanePool.start();
      // Without knowledge from a stored run, compare two executions to learn which values are ids and times.
      const knowledge = known === undefined ? (await lanePool.calibrate()).learned : readKnowledge(known.knowledge);
      const [report] = knowsNothing(knowledge) ? [started] : await lanePool.learn(knowledge);
      const urls = new ShownUrls(config.baseUrl, host.origins);
      return untilAborted(
        inline!.walk((walk) => {
          const shown = (step: WalkedStep): WalkedStep => ({
            ...step,
            message: urls.text(step.message),
            requests: step.requests.map((one) => urls.exchange(one)),
            errors: step.errors.map(placed),
          });
          return work({
            actions: definition.actions.map(({ name }) => name),
            uses: report!.uses,
            isIsolated: report!.isolated === true,
            goTo: (path, draws) =>
              walk.goTo(
                indicesOf(path, definition),
                draws?.map((one) => indicesOf(one, definition)),
              ),
            place: () => walk.place(),
            step: async (action, spoil) => shown(await walk.step(indicesOf([action], definition)[0]!, spoil)),
            judgeRoot: async () => {
              const judged = await walk.judgeRoot();
              return { ...judged, errors: judged.errors.map(placed) };
            },
          });
        }),
        signal,
      );
    });
  });
}

/** Adds the line in the user's code to an error, and maps its stack trace to the files of the user. */
function placed(error: WalkError): WalkError {
  const { stack } = error;
  return stack === undefined ? error : { ...error, stack: mapStack(stack), where: whereOfStack(stack) };
}

/** Checks that all actions exist. @throws SeqqaError `NO_SUCH_ACTION` with exit status 2 */
function requireActions(names: readonly string[], { actions }: AgentDefinition<never, never>): void {
  const all = actions.map(({ name }) => name);
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, all);
  throw new SeqqaError("NO_SUCH_ACTION", `The exploration has no action ${JSON.stringify(unknown)}.`, {
    exitStatus: 2,
    hint: near === undefined ? `The actions of the exploration are ${all.join(", ")}.` : `Did you mean ${near}?`,
  });
}
