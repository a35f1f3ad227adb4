import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { Exchange } from "../../model/http/client.ts";
import { contextPartOf } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { Rule } from "../../model/declare/rule.ts";
import type { World } from "../../model/declare/world.ts";
import { Asks } from "./asks.ts";
import { requireClockFollows } from "./clock-follows.ts";
import { Canonicalizer, loadHasher, type Knowledge } from "../../state/index.ts";
import { Checker } from "../step/checker.ts";
import { CalledOperations } from "../report/called-operations.ts";
import { briefExchanges } from "../report/step-details.ts";
import { Drawing } from "./data-draws.ts";
import { gateless, raceObstacle, refuseFaults, refuseRaces, type Probes } from "../races/race-obstacle.ts";
import { RootState } from "./root-state.ts";
import { Stepper } from "../step/stepper.ts";
import { TargetRestart } from "./target-restart.ts";
import { SpentIds } from "../state/spent-ids.ts";
import { WorldState } from "../state/world-state.ts";
import type { WorldSnapshot } from "../state/saved-world.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { LaneOptions, LaneParts, LaneBase } from "./lane-base.ts";
import { buildWorld } from "./build-world.ts";
import { openSystems, reopenSystems } from "./open-stores.ts";
import { findIgnored, schemasOf, referencesIn } from "./ignored-tables.ts";
import { identify, canonicalOptions, placeholders, renamedCounters } from "./identify.ts";
import { atRoot, systemLines } from "./root-report.ts";

/** The largest number of requests of `setup` that a lane reports. */
const MOST_SENT = 50;

/** Builds the world for a target that is ready, opens the stores, and runs `setup`. The resulting state becomes the root state of the lane. */
export async function bringUp(definition: AgentDefinition<never, never>, parts: LaneParts, options: LaneOptions): Promise<LaneBase> {
  await loadHasher();
  const world = await buildWorld(definition, parts);
  const asks = new Asks();
  const background = await openSystems(world, parts, options, asks);
  await requireClockFollows(world.systems, parts.lane);
  const earlySchemas = await schemasOf(world);
  const early = findIgnored(world, earlySchemas, false);
  const hidden = world.reset !== undefined || (parts.restart !== undefined && !hasStores(world));
  const state = new WorldState(world, hidden, asks, parts.lane.baseUrl);
  state.leaveOut(early.tables, earlySchemas);
  // The first node of a user's state graph is part of the root state, so set this node before the first checkpoint.
  state.moveTo(definition.graph?.initial);
  const restart = parts.restart === undefined ? undefined : new TargetRestart(parts.restart, state);
  const drawing = new Drawing(
    definition.actions.map(({ name }) => name),
    options.dataSeed ?? 0,
    parts.createData,
  );
  contextPartOf(world.context).drawFrom(drawing.source);
  const rules = definition.invariants.filter((one): one is Rule => one instanceof Rule);
  const replaced = rules.some(({ replaces }) => replaces === "server_errors");
  const stepper = new Stepper(world, state, drawing, { ...options, serverErrors: replaced ? "rule" : options.serverErrors }, state);
  stepper.turns.know(options.knowledge);
  const ours = placeholders(parts.lane);
  const isIdentified = state.systems.length > 0 || world.reset !== undefined || restart !== undefined;
  const identified = { world, state, placeholders: ours, isIdentified, ignored: early, counters: renamedCounters(world, earlySchemas) };
  let canonicalizer = identify(identified, options);
  const lookalikes = new Canonicalizer({ ...canonicalOptions(identified, options), byAppearance: true });
  const home = new RootState({
    definition,
    world,
    state,
    canonicalizer,
    lookalikes,
    drawing,
    restart,
    snapshot: parts.snapshot as WorldSnapshot | undefined,
    shared: parts.shared as WorldSnapshot | undefined,
    isWarmedUp: options.isWarmedUp === true && !parts.borrowed,
    reopen: parts.borrowed ? undefined : () => reopenSystems(world, parts, options, asks),
  });
  // Rules that write need a restore in the middle of a step. Such a restore is impossible if only the context can be restored, or if the root state
  // has to be made again.
  const contextOnly = state.systems.length === 0 && !home.remade && !state.selfContained;
  const judged = home.remade || contextOnly ? rules.filter(({ writes }) => !writes) : rules;
  if (options.probes !== undefined) refuseImpossible(options.probes, world, contextOnly);
  const checker = new Checker({ world, invariants: definition.invariants, rules: judged, drawing, stepper, asks, clients: state.clients });
  const operations = options.operations === undefined ? undefined : new CalledOperations(options.operations, parts.lane.baseUrl);
  const { setUp, calls } = await makeRecorded(home, state, operations);
  // Search the ignored tables again, since the target or `setup` may have created tables after the first search.
  const schemas = await schemasOf(world);
  const ignored = findIgnored(world, schemas, true);
  const counters = renamedCounters(world, schemas);
  // The counters of a new table may have the name of an ignored table, too, so a new table also counts as a difference if tables are ignored.
  const known = [...ignored.tables.values()].some(({ size }) => size > 0) ? [schemas, earlySchemas] : [];
  if (!isDeepStrictEqual([ignored, counters, known[0]], [early, identified.counters, known[1]])) {
    state.leaveOut(ignored.tables, schemas);
    canonicalizer = identify({ ...identified, ignored, counters }, options);
    await home.relearn(canonicalizer);
  }
  state.listen(stepper.sink);
  if (!home.remade && state.systems.length > 0) stepper.wayBack = state;
  else stepper.turns.waitsForTokens = state.holdsTokens;
  return atRoot({
    options,
    actions: definition.actions,
    world,
    state,
    stepper,
    checker,
    canonicalizer,
    isIdentified,
    lookalikes,
    home,
    restart,
    process: parts.process,
    drawing,
    placeholders: ours,
    ignored,
    counters,
    schemas,
    spentIds: new SpentIds(world, schemas, counters),
    references: referencesIn(schemas),
    reportInputs: { parts, rules, judged, contextOnly, background, setUp, calls: [...calls] },
    operations,
  });
}

/**
 * Brings a lane to its root state again, with more knowledge about generated values. The target keeps running, and the stores stay open. @throws the
 * errors of {@link bringUp}
 */
export async function relearn(base: LaneBase, knowledge: Knowledge): Promise<LaneBase> {
  const options = { ...base.options, knowledge };
  base.stepper.turns.know(knowledge);
  const canonicalizer = identify(base, options);
  await base.home.relearn(canonicalizer);
  return atRoot({ ...base, options, canonicalizer });
}

/**
 * Makes the root state, and records the requests of `setup` and of logins. If `setup` runs again later, `calls` also gets the answers to the requests
 * of that run.
 */
async function makeRecorded(
  home: RootState,
  state: WorldState,
  operations: CalledOperations | undefined,
): Promise<{ readonly setUp: readonly RecordedExchange[]; readonly calls: ReadonlySet<number> }> {
  const sent: Exchange[] = [];
  const calls = new Set<number>();
  state.listen((exchange) => {
    if (sent.length < MOST_SENT) sent.push(exchange);
    for (const code of operations?.codes([exchange]) ?? []) calls.add(code);
  });
  try {
    await home.make();
  } catch (error) {
    throw withLastAnswer(error, sent);
  }
  return { setUp: briefExchanges([...sent]), calls };
}

/** Adds the last answer to the hint of an error that `setup` or a login threw, because code often fails at an answer that it did not expect. */
function withLastAnswer(error: unknown, sent: readonly Exchange[]): unknown {
  if (!(error instanceof SeqqaError) || !/^(?:SETUP|LOGIN)_THREW$/.test(error.code)) return error;
  const last = sent.findLast((one) => one.kind === "answer");
  if (last === undefined) return error;
  const { request, statusCode } = last.response;
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url;
  const hint = [`The last answer before the error: ${request.method} ${path} was answered ${statusCode}.`, error.hint]
    .filter(Boolean)
    .join(" ");
  return new SeqqaError(error.code, error.message, { exitStatus: error.exitStatus, cause: error.cause, hint });
}

/** Refuses settings for races and faults that are impossible in this world. @throws SeqqaError */
function refuseImpossible({ races, faults }: Probes, world: World<never, never>, contextOnly: boolean): void {
  const probed = { raceObstacle: raceObstacle(world, contextOnly), gateless: gateless(world), systems: systemLines(world) };
  refuseRaces(races, probed);
  refuseFaults(faults, probed);
}

function hasStores(world: World<never, never>): boolean {
  return Object.values(world.systems).some((system) => system !== undefined);
}
