import { SeqqaError } from "../../model/errors.ts";
import { asUnreadable, type RunHeader, type StoredExploration, type StoredRun } from "../../run-log/index.ts";
import { comparableKnowledge, readKnowledge, type Knowledge } from "../../state/index.ts";
import { learnedSince } from "../explore/learn/learned-fields.ts";
import { differingKeys } from "../resume/changed-keys.ts";
import { shardText } from "../shards/shard.ts";

/**
 * Checks that the runs are all shards of one exploration, without duplicates.
 * @throws SeqqaError `MERGE_REFUSED` with exit status 2 and the reason
 */
export function checkShards(runs: readonly StoredRun[]): void {
  const [first] = runs;
  if (first === undefined || first.explorations.length === 0)
    throw refused(first === undefined ? "no run is given" : `run ${first.id} contains no exploration`, RESHARD);
  for (const run of runs) {
    const whole = run.explorations.find(({ beginning }) => (beginning?.shard ?? null) === null);
    if (whole !== undefined) throw refused(`run ${run.id} is not a shard of ${whole.file}`, RESHARD);
  }
  for (const run of runs) {
    const wrong = misfit(run, first);
    if (wrong !== undefined) throw notTogether(run, first, wrong);
    refuseOtherKnowledge(run, first);
    const other = run.explorations.find((one, place) => rootOf(one) !== rootOf(first.explorations[place]!));
    if (other !== undefined) throw notTogether(run, first, `the root state of ${other.file}`);
  }
  for (const { file } of first.explorations) refuseIncomplete(file, runs);
}

const RESHARD = "Give the runs of --shard 1/n to --shard n/n, all made with the same code and configuration.";

/** Returns a sentence about the first reason why two runs cannot be shards of one exploration; `undefined` if there is none. */
function misfit(run: StoredRun, first: StoredRun): string | undefined {
  if (run.seqqa !== first.seqqa) return `the version of seqqa (${run.seqqa}, and ${first.seqqa} for the first run)`;
  const [key] = differingKeys(run.config, first.config);
  if (key !== undefined) return key;
  const files = ({ explorations }: StoredRun): string => explorations.map(({ file }) => file).join(", ");
  if (files(run) !== files(first)) return `the list of explored files (${files(run) || "none"}, and ${files(first)} for the first run)`;
  for (const [place, exploration] of run.explorations.entries()) {
    const what = otherThan(exploration, first.explorations[place]!);
    if (what !== undefined) return `${what} of ${exploration.file}`;
  }
  return undefined;
}

function otherThan(one: StoredExploration, other: StoredExploration): string | undefined {
  const [a, b] = [one.beginning, other.beginning];
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["the name", one.name, other.name],
    ["exploration.seed", one.seed, other.seed],
    ["the actions", one.actions, other.actions],
    ["the code", a?.code, b?.code],
    ["exploration.max_depth", a?.maxDepth, b?.maxDepth],
  ];
  return pairs.find(([, mine, theirs]) => JSON.stringify(mine) !== JSON.stringify(theirs))?.[0];
}

/**
 * Checks that two shards distinguish states in the same way. Shards learn about generated values on their own, so shards may differ although code and
 * configuration are the same.
 * @throws SeqqaError `MERGE_REFUSED`
 */
function refuseOtherKnowledge(run: StoredRun, first: StoredRun): void {
  for (const [place, { file, beginning }] of run.explorations.entries()) {
    const [own, its] = [knowledgeOf(run, beginning!), knowledgeOf(first, first.explorations[place]!.beginning!)];
    if (comparableKnowledge(own) === comparableKnowledge(its)) continue;
    const only = (id: string, more: string): readonly string[] =>
      more === "" ? [] : [`only ${id} found out that these values differ when calls are repeated: ${more}`];
    const why = [...only(run.id, learnedSince(own, its)), ...only(first.id, learnedSince(its, own))];
    throw refused(
      `runs ${first.id} and ${run.id} use different rules to tell whether two states of ${file} are equal, because ${why.join("; ") || "they learned different things about the values that the target generates"}`,
      "Run all shards again. If the message appears again, list the named values under `ignore`, or explore without --shard.",
    );
  }
}

function knowledgeOf({ file }: StoredRun, { knowledge }: RunHeader): Knowledge {
  try {
    return readKnowledge(knowledge);
  } catch (cause) {
    throw asUnreadable(file, cause);
  }
}

function rootOf({ beginning }: StoredExploration): string {
  const { wholeLo, wholeHi, rootLo, rootHi } = beginning!.root;
  return [wholeLo, wholeHi, rootLo, rootHi].join();
}

/** Checks that every shard is present once and has finished. @throws SeqqaError `MERGE_REFUSED` */
function refuseIncomplete(file: string, runs: readonly StoredRun[]): void {
  const seen = new Map<number, string>();
  let of: number | undefined;
  for (const run of runs) {
    const { outcome, stopReason, beginning } = run.explorations.find((one) => one.file === file)!;
    const shard = beginning!.shard!;
    of ??= shard.of;
    if (shard.of !== of)
      throw refused(`run ${run.id} is shard ${shardText(shard)} of ${file}, but other runs divide it into ${of} shards`, RESHARD);
    const other = seen.get(shard.index);
    if (other !== undefined)
      throw refused(`runs ${other} and ${run.id} are both shard ${shardText(shard)} of ${file}`, "Give the run of each shard only once.");
    seen.set(shard.index, run.id);
    // An interrupted shard may lack races, faults and checks, even if it has no open states.
    if (outcome !== "ended" || stopReason === "interrupted") {
      throw refused(
        `shard ${shardText(shard)} of ${file} did not finish (run ${run.id})`,
        "Resume this run first, with seqqa run <directory> --resume <id>.",
      );
    }
  }
  const missing = Array.from({ length: of ?? 0 }, (_, index) => index).filter((index) => !seen.has(index));
  if (missing.length === 0) return;
  const named = missing.map((index) => shardText({ index, of: of! })).join(", ");
  throw refused(
    `${missing.length === 1 ? "shard" : "shards"} ${named} of ${file} ${missing.length === 1 ? "is" : "are"} missing`,
    "Give the runs of all shards.",
  );
}

function notTogether(run: StoredRun, first: StoredRun, what: string): SeqqaError {
  return refused(`run ${run.id} does not belong to run ${first.id}: ${what} differs`, RESHARD);
}

function refused(why: string, hint: string): SeqqaError {
  return new SeqqaError("MERGE_REFUSED", `seqqa cannot merge these runs: ${why}.`, { exitStatus: 2, hint });
}
