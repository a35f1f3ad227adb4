import type { ExplorationConfig } from "../../config/index.ts";
import { shareOf, type Shard, type ShardCut } from "../../engine/shards/shard-partition.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { BREADTH_FIRST } from "../../model/declare/search/strategy.ts";
import { SeqqaError } from "../../model/errors.ts";

/** Maximum number of shards. With more shards, each shard would get too few states to be useful. */
const MOST = 1024;

/** Parses a shard, e.g. `2/4` for the second of four. @param option The option that has this value. @throws SeqqaError `USAGE` with exit status 2 */
export function shardOf(text: string, option: string = "shard"): Shard {
  const [, index, of] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text.trim()) ?? [];
  const [i, n] = [Number(index), Number(of)];
  const refuse = (why: string): SeqqaError =>
    new SeqqaError("USAGE", `Invalid ${option} value ${JSON.stringify(text)}: ${why}.`, {
      exitStatus: 2,
      hint: "Write <index>/<count>. For example, 2/4 is the second of four shards.",
    });
  if (index === undefined) throw refuse("expected <index>/<count>, both at least 1");
  if (n > MOST) throw refuse(`at most ${MOST} shards are possible`);
  if (i > n) throw refuse(`the index ${i} is greater than the count ${n}`);
  return { index: i - 1, of: n };
}

export const shardText = ({ index, of }: Shard): string => `${index + 1}/${of}`;

/**
 * Returns the settings for exploring one shard. `maxSteps` is the shard's part of the total.
 * @throws SeqqaError `SHARD_IMPOSSIBLE` with exit status 2 if the exploration cannot be divided
 */
export function shardSettings(
  settings: ExplorationConfig,
  shard: Shard | undefined,
  name: string,
  { graph }: Pick<AgentDefinition<never, never>, "graph">,
): ExplorationConfig {
  if (shard === undefined) return settings;
  if (settings.strategy !== BREADTH_FIRST) {
    throw impossible(
      `${name} uses the strategy ${settings.strategy}, but shards divide states by depth`,
      `Add --strategy ${BREADTH_FIRST}.`,
    );
  }
  if (graph !== undefined) {
    throw impossible(
      `${name} is a state graph, and a single shard cannot find its unreached nodes`,
      "Explore the state graph in a run without --shard, and choose the other explorations with --only.",
    );
  }
  return { ...settings, maxSteps: shareOf(settings.maxSteps, shard) };
}

function impossible(why: string, hint: string): SeqqaError {
  return new SeqqaError("SHARD_IMPOSSIBLE", `The run cannot be divided into shards: ${why}.`, { exitStatus: 2, hint });
}

/** Returns a note that says that the result covers only one shard. */
export function shardNote(shard: Shard, { taken }: ShardCut): string {
  const which = `This is shard ${shardText(shard)}`;
  if (taken === undefined) return `${which}: there were too few states to divide, so all shards explored the same states.`;
  return `${which}: of the ${taken.states} states at depth ${taken.depth}, this shard explored ${taken.own} further, and left the rest to the other shards. seqqa merge joins the runs of all shards.`;
}
