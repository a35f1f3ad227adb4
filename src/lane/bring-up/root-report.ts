import { clientPartOf } from "../../model/http/client.ts";
import { contextPartOf } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Lane } from "../../model/declare/lane.ts";
import type { World } from "../../model/declare/world.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import { leftOutParts } from "./identify.ts";
import { Occurrences, type Canonicalizer } from "../../state/index.ts";
import type { ErrorEvent, LaneReport } from "../../messages/lane-messages.ts";
import type { Checker } from "../step/checker.ts";
import { briefLines } from "../report/step-details.ts";
import { gateless, raceObstacle } from "../races/race-obstacle.ts";
import { withUnanswered } from "../step/findings.ts";
import { LaneLost } from "./lane-lost.ts";
import { shapeOf } from "../step/shape.ts";
import { withoutRepeats, withoutSecrets } from "../../model/text/url-secrets.ts";
import { errorEvent, impure } from "../step/error-events.ts";
import type { TargetRestart } from "./target-restart.ts";
import type { WorldState } from "../state/world-state.ts";
import { OTHER_WRITER_HINT, otherWriterText, writesByItself, written, type Seen } from "../examine/foreign-writer.ts";
import type { LaneBase } from "./lane-base.ts";
import { isLanes } from "./open-stores.ts";

/** Checks the rules in the root state, and adds the lane's report to `base`. */
export async function atRoot(base: Omit<LaneBase, "report">): Promise<LaneBase> {
  const { options, world, state, checker, stepper, canonicalizer, home, drawing, restart, ignored, references } = base;
  const leftOut = leftOutParts(base);
  const { parts, rules, judged, contextOnly, background } = base.reportInputs;
  const { whole, node, lines: rootLines } = home.facts;
  const root = home.mark;
  const relative = await state.facts();
  const rootState = briefLines(canonicalizer.describe(relative));
  const snapshot = state.portable ? { ...(await state.capture()), setupAt: home.setupAt } : undefined;
  drawing.root("");
  await checkRoot(checker);
  const unanswered = stepper.checkFailure;
  const checked = unanswered === undefined ? checker.checked : withUnanswered(checker.checked, unanswered, undefined);
  const errors = [...checked.errors];
  const changed = (): Promise<boolean> => differs(state, canonicalizer, node);
  if (unanswered === undefined && (await changed())) {
    errors.push(await writtenAtRoot(state, canonicalizer, checker, { mark: root, isOther: changed }));
  }
  const leftOutRules = rules.filter((rule) => !judged.includes(rule)).map(({ name }) => name);
  const report: LaneReport = {
    wholeLo: whole.lo,
    wholeHi: whole.hi,
    rootLo: node.lo,
    rootHi: node.hi,
    rootCheck: node.check,
    rootLines,
    rootState,
    ...(references.length > 0 && { references }),
    ...(leftOut.length > 0 && { leftOut }),
    ...setupOf(base),
    ...(base.operations !== undefined && { calls: base.reportInputs.calls }),
    ...(ignored.paths.length > 0 && {
      ignored: {
        patterns: ignored.paths,
        occurred: new Occurrences(ignored.paths).in(relative, contextPartOf(world.context).entries, new Set()),
      },
    }),
    findings: [...checked.findings],
    errors,
    ...(unanswered !== undefined && { broken: true }),
    portable: state.portable,
    ...(base.spentIds.columns.length > 0 && { counterColumns: base.spentIds.columns }),
    snapshot,
    made: home.made,
    shape: options.shapes ? shapeOf(relative) : 0,
    background,
    systems: [...systemLines(world), ...targetLines(world, state, restart), ...ruleLines(leftOutRules)],
    contextOnly,
    counters: unrestoredCounters(world),
    ...(leftOutRules.length > 0 && { leftOutRules }),
    visibility: state.visibility,
    raceObstacle: raceObstacle(world, contextOnly),
    gateless: gateless(world),
    ...(restart !== undefined && { restarts: true }),
    uses: usesOf(world, parts.lane),
    isolated: !parts.borrowed && state.systems.length > 0 && state.systems.every((system) => isLanes(system, parts)),
  };
  // Do not restore if a check got no answer: the target may have ended, and a store inside an ended target cannot be restored.
  if (unanswered === undefined) await state.restore(root);
  return { ...base, report };
}

function setupOf({ home, reportInputs: { setUp } }: Pick<LaneBase, "home" | "reportInputs">): Pick<LaneReport, "setup"> {
  const state = briefLines(home.facts.lines);
  if (setUp.length === 0 && state.length === 0) return {};
  const status = setUp.at(-1)?.response?.status ?? null;
  return { setup: { step: { action: "setup", status, requests: setUp, state }, ...home.setupAt } };
}

const PENDING_AT_ROOT =
  "A promise or timer of `setup`, an action or a check changed the context or a client while seqqa checked the root state. Await all work before the function returns.";

async function writtenAtRoot(state: WorldState, canonicalizer: Canonicalizer, checker: Checker, seen: Seen): Promise<ErrorEvent> {
  const isStore = await state.storesChanged(seen.mark);
  // The state may also differ because time passed, such as the lifetime of a Redis key, or because a store notices a write late.
  const isOwn = !isStore && state.ownChanged(seen.mark) && checker.asked(undefined).length > 0;
  const { lines } = await written(state, canonicalizer, seen.mark);
  const isOften = !isOwn && (await writesByItself(state, seen, 250, 3));
  const name = isOften ? undefined : await checker.culprit(undefined, () => state.restore(seen.mark), seen.isOther);
  if (name !== undefined) return impure(name, isStore ? "a store" : "the context or a client");
  if (isOwn) return errorEvent("PENDING_WORK", PENDING_AT_ROOT, "setup");
  const kind = isOften || (await writesByItself(state, seen, 1_000, 1)) ? "itself" : "unknown";
  const text = otherWriterText({ kind, lines }, "while seqqa checked the root state");
  return errorEvent("OTHER_WRITER", `${text}. ${OTHER_WRITER_HINT}`, "stores");
}

/** Returns a text line for each store, with the mode of its checkpoints. */
export function systemLines(world: World<never, never>): string[] {
  return Object.entries(world.systems).flatMap(([name, system]) =>
    system === undefined ? [] : [`${name} (${system.name}): checkpoint ${system.checkpoint.mode} (${system.checkpoint.why})`],
  );
}

/** Returns text lines that say how the target itself is restored. Returns an empty list if only the stores have to be restored. */
function targetLines(world: World<never, never>, state: WorldState, restart: TargetRestart | undefined): string[] {
  const says = state.systems.length === 0 ? "the context and the clients" : "the stores, the context and the clients";
  const replay = `seqqa reaches every other state by executing the path to this state again, and checks that ${says} are as they were the first time`;
  const how = restart === undefined ? "reset and replay" : "restart and replay";
  if (world.reset !== undefined) return [`target: ${how}: the \`reset\` of the World restores the root state, and ${replay}`];
  if (restart === undefined) return [];
  if (!state.portable) return [`target: restart and replay: a new process begins in the root state, and ${replay}`];
  return ["target: restart: before every step, seqqa restores the stores and starts a new process of the target"];
}

/** Returns a text line that names the rules that are not checked on this lane, and the reason. Returns an empty list if all rules are checked. */
function ruleLines(left: readonly string[]): string[] {
  if (left.length === 0) return [];
  return [`rules: seqqa does not check ${left.join(", ")}, because these rules need stores that can be restored in the middle of a step`];
}

async function differs(state: WorldState, canonicalizer: Canonicalizer, root: Fingerprint): Promise<boolean> {
  const now = { lo: 0, hi: 0 };
  canonicalizer.fingerprint(await state.facts(), now);
  return now.lo !== root.lo || now.hi !== root.hi;
}

/**
 * Checks the rules in the root state. The run ends if a rule cannot read a store here, because a rebuilt lane would fail in the same way. @throws
 * SeqqaError `STORE_LOST` (exit status 3)
 */
async function checkRoot(checker: Checker): Promise<void> {
  try {
    await checker.check(undefined);
  } catch (error) {
    throw error instanceof LaneLost ? new SeqqaError("STORE_LOST", error.message, { exitStatus: 3 }) : error;
  }
}

/** Returns the URLs (without passwords) and files that the world uses, including those that only the user's code names. */
function usesOf(world: World<never, never>, lane: Lane): string[] {
  const clients = [...world.allClients().values()].map((client) => clientPartOf(client)?.uses);
  const stores = Object.values(world.systems).map((system) => system?.uses);
  const all = [lane.baseUrl, lane.dbUrl, ...clients, ...stores].filter((one) => one !== undefined && one !== "");
  return withoutRepeats((all as string[]).map((one) => withoutSecrets(one)));
}

/** Describes, for all stores, the counters that no checkpoint restores. Returns `undefined` if there are none. */
function unrestoredCounters({ systems }: Pick<World<never, never>, "systems">): LaneReport["counters"] {
  const found = Object.entries(systems).flatMap(([store, system]) => {
    const kept = system?.keptCounters;
    return kept === undefined ? [] : [{ store, ...kept }];
  });
  if (found.length === 0) return undefined;
  const named = found.flatMap(({ store, tables }) => tables.map((table) => `${store}.${table}`));
  const others = named.length - MOST_COUNTERS;
  const tables = others > 0 ? `${named.slice(0, MOST_COUNTERS).join(", ")} and ${others} more` : named.join(", ");
  const settings = found.map(({ store, remedy }) => `${remedy} under systems.${store}`).join(", ");
  return {
    tables,
    hint: `When seqqa restores a state, it does not reset the counters of ${tables}. If the generated numbers affect the results, set ${settings}.`,
    startAgain: found.every(({ restore }) => restore !== undefined),
  };
}

/** The largest number of tables that the text about unrestored counters names. */
const MOST_COUNTERS = 4;
