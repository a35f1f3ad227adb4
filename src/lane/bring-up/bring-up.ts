import { isDeepStrictEqual } from "node:util";
import type { Action } from "../../model/declare/action.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { clientPartOf, TELLS_SENDER, type Exchange } from "../../model/http/client.ts";
import { contextPartOf } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Lane } from "../../model/declare/lane.ts";
import { resolveIgnored, type Ignored, type IgnorePattern, type Schemas } from "../../model/stores/ignored.ts";
import type { DeclaredReference, StoreAdapter, StoreScope } from "../../model/stores/store-adapter.ts";
import type { TestData } from "../../model/context/test-data.ts";
import { guestRole, Rule } from "../../model/declare/rule.ts";
import { consentHint, mayBeWritten, storeName } from "../../model/stores/store-name.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import { World } from "../../model/declare/world.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import { ForeignWrite, patternOf } from "../../stores/external/external-store.ts";
import { Asks } from "./asks.ts";
import { requireClockFollows } from "./clock-follows.ts";
import { Canonicalizer, loadHasher, NEXT_SECOND, Occurrences, type Knowledge } from "../../state/index.ts";
import type { ErrorEvent, LaneReport } from "../../messages/lane-messages.ts";
import { Checker } from "../step/checker.ts";
import { CalledOperations, type DescribedOperations } from "../report/called-operations.ts";
import { briefExchanges, briefLines } from "../report/step-details.ts";
import { Drawing } from "./data-draws.ts";
import { gateless, raceObstacle, refuseFaults, refuseRaces, type Probes } from "../races/race-obstacle.ts";
import { withUnanswered } from "../step/findings.ts";
import { RootState, userError } from "./root-state.ts";
import { LaneLost } from "./lane-lost.ts";
import { shapeOf } from "../step/shape.ts";
import { withoutRepeats, withoutSecrets } from "../../model/text/url-secrets.ts";
import { errorEvent, impure, Stepper } from "../step/stepper.ts";
import { TargetRestart, type TargetControl } from "./target-restart.ts";
import { WorldState, type WorldSnapshot } from "../state/world-state.ts";
import { OTHER_WRITER_HINT, otherWriterText, writesByItself, written, type Seen } from "../examine/foreign-writer.ts";

/** The largest number of tables that the text about unrestored counters names. */
const MOST_COUNTERS = 4;

/** Options for all lanes of a run, as plain data that can be sent to threads. */
export interface LaneOptions {
  /**
   * The time at which the run started, in milliseconds since 1970. A value that looks like a time counts as a time of the run if it is near this
   * start.
   */
  readonly clockMs: number;
  /** The times at which the earlier sessions of a resumed run started, in milliseconds since 1970. `undefined` for a new run. */
  readonly earlierClocksMs?: readonly number[] | undefined;
  readonly settleMs: number;
  readonly serverErrors: "violation" | "ignore";
  /** `true` if errors of user code are reported without the request and response bodies that they quote. */
  readonly hideBodies: boolean;
  /** String literals in the user's code that look like random tokens but are not treated as generated values. */
  readonly literals: readonly string[];
  readonly knowledge: Knowledge;
  /** How long external stores are watched for writes of other clients before they are first used, in milliseconds. Default: 0. */
  readonly idleWatchMs?: number | undefined;
  /** The agent's seed for test data. Default: 0. */
  readonly dataSeed?: number;
  /** Names of external stores that seqqa may write to although their names do not say that they are for tests. */
  readonly allowedStores?: readonly string[] | undefined;
  /** `true` if each lane must compute a hash of the structure of states. Only some strategies need this hash. */
  readonly shapes: boolean;
  /** `true` if stores that have a gate (can hold a write) must prepare the gate when they are opened. */
  readonly gated?: boolean | undefined;
  /** `true` if stores that can make a write fail must prepare this ability when they are opened. */
  readonly faulty?: boolean | undefined;
  /** The settings for races and faults. Before `setup`, a lane refuses settings that are impossible in its world. `undefined`: nothing is refused. */
  readonly probes?: Probes | undefined;
  /** The operations of the OpenAPI description. Lanes report the answers of these operations. `undefined`: no answers are reported. */
  readonly operations?: DescribedOperations | undefined;
}

/** Options of the clients that seqqa makes for a target. */
export interface ClientOptions {
  /** The prefix of the URL paths of all requests of the client. Default: none. */
  readonly basePath?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts from which a lane is brought up, such as its target, its stores, and a function that creates clients. */
export interface LaneParts {
  readonly lane: Lane;
  readonly inProcess: boolean;
  readonly borrowed: boolean;
  /** The stores of the lane that are external although seqqa starts the target. Default: none. */
  readonly external?: ReadonlySet<StoreAdapter> | undefined;
  /** `true` if the lane is built for the first time. External stores are then watched for writes of other clients. */
  readonly isFirst?: boolean | undefined;
  /** Creates a client for the lane's target. `undefined` if there is no target. */
  readonly createClient: ((options?: ClientOptions) => unknown) | undefined;
  readonly createData: (seed: string) => TestData;
  /** Ends and starts the process of the lane's target. `undefined` if seqqa did not start this process. */
  readonly process?: TargetControl | undefined;
  /** Restarts the target's process before each action. Only set for `target.rollback: restart`. */
  readonly restart?: TargetControl | undefined;
  /** A snapshot of the root state of another lane, if this lane is a copy of that lane. */
  readonly snapshot?: unknown;
  /** A snapshot of the data that `setup` made on the run's first lane; see {@link LaneReport.made}. All lanes then have the same ids. */
  readonly shared?: unknown;
}

/** A lane that is in its root state. */
export interface LaneBase {
  readonly options: LaneOptions;
  readonly actions: readonly Action<never, never>[];
  readonly world: World<never, never>;
  readonly state: WorldState;
  readonly stepper: Stepper;
  readonly checker: Checker;
  readonly canonicalizer: Canonicalizer;
  /**
   * `true` if experiments can find the generated values. `false` if no restore is possible for an experiment, so that generated values are only
   * recognised by their appearance.
   */
  readonly isIdentified: boolean;
  /** The canonicalizer for executions before any experiment, which recognises ids and times by their appearance. */
  readonly lookalikes: Canonicalizer;
  readonly home: RootState;
  readonly drawing: Drawing;
  readonly restart: TargetRestart | undefined;
  readonly process: TargetControl | undefined;
  /** Values that only exist on this lane, such as the target's URL, each with the placeholder that replaces it. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly ignored: Ignored;
  readonly references: NonNullable<LaneReport["references"]>;
  readonly report: LaneReport;
  readonly reportInputs: ReportInputs;
  /** Finds the operations of requests, if the lane has an OpenAPI description. */
  readonly operations: CalledOperations | undefined;
}

interface ReportInputs {
  readonly parts: LaneParts;
  readonly rules: readonly Rule[];
  /** The rules that are checked on this lane. Rules that write are left out if their writes cannot be restored. */
  readonly judged: readonly Rule[];
  readonly contextOnly: boolean;
  readonly background: readonly string[] | undefined;
  /** The requests that `setup` and logins sent when the root state was made for the first time. */
  readonly setUp: readonly RecordedExchange[];
  /** The answers of described operations to `setup` and to logins, as in {@link LaneReport.calls}. */
  readonly calls: readonly number[];
}

/** Builds the world for a target that is ready, opens the stores, and runs `setup`. The resulting state becomes the root state of the lane. */
export async function bringUp(definition: AgentDefinition<never, never>, parts: LaneParts, options: LaneOptions): Promise<LaneBase> {
  await loadHasher();
  const world = await buildWorld(definition, parts);
  const asks = new Asks();
  const background = await openSystems(world, parts, options, asks);
  await requireClockFollows(world.systems, parts.lane);
  const early = findIgnored(world, await schemasOf(world), false);
  const hidden = world.reset !== undefined || (parts.restart !== undefined && !hasStores(world));
  const state = new WorldState(world, hidden, asks);
  state.leaveOut(early.tables);
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
  stepper.waitsForSeconds = options.knowledge.ordered.includes(NEXT_SECOND);
  const ours = placeholders(parts.lane);
  const isIdentified = state.systems.length > 0 || world.reset !== undefined || restart !== undefined;
  const identified = { world, state, placeholders: ours, isIdentified, ignored: early };
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
    reopen: parts.borrowed ? undefined : () => reopenSystems(world, parts, options, asks),
  });
  // Rules that write need a restore in the middle of a step. Such a restore is impossible if only the context can be restored, or if the root state
  // has to be made again.
  const contextOnly = state.systems.length === 0 && !home.remade && !state.selfContained;
  const judged = home.remade || contextOnly ? rules.filter(({ writes }) => !writes) : rules;
  if (options.probes !== undefined) {
    const probed = { raceObstacle: raceObstacle(world, contextOnly), gateless: gateless(world), systems: systemLines(world) };
    refuseRaces(options.probes.races, probed);
    refuseFaults(options.probes.faults, probed);
  }
  const checker = new Checker({ world, invariants: definition.invariants, rules: judged, drawing, stepper, asks });
  const sent: Exchange[] = [];
  const operations = options.operations === undefined ? undefined : new CalledOperations(options.operations, parts.lane.baseUrl);
  const calls = new Set<number>();
  state.listen((exchange) => {
    if (sent.length < 50) sent.push(exchange);
    for (const code of operations?.codes([exchange]) ?? []) calls.add(code);
  });
  await home.make();
  const setUp = briefExchanges([...sent]);
  // Search the ignored tables again, since the target or `setup` may have created tables after the first search.
  const schemas = await schemasOf(world);
  const ignored = findIgnored(world, schemas, true);
  if (!isDeepStrictEqual(ignored, early)) {
    state.leaveOut(ignored.tables);
    canonicalizer = identify({ ...identified, ignored }, options);
    await home.relearn(canonicalizer);
  }
  state.listen(stepper.sink);
  if (!home.remade && state.systems.length > 0) stepper.wayBack = state;
  else stepper.waitsForTokens = state.holdsTokens;
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
  base.stepper.waitsForSeconds = knowledge.ordered.includes(NEXT_SECOND);
  const canonicalizer = identify(base, options);
  await base.home.relearn(canonicalizer);
  return atRoot({ ...base, options, canonicalizer });
}

type Identified = Pick<LaneBase, "world" | "state" | "placeholders" | "isIdentified" | "ignored">;

/** Creates a canonicalizer, which replaces known generated values by names, and gives it to the lane's state. */
function identify(lane: Identified, options: LaneOptions): Canonicalizer {
  const canonicalizer = new Canonicalizer({ ...canonicalOptions(lane, options), byAppearance: !lane.isIdentified }, options.knowledge);
  if (lane.isIdentified) lane.state.identify(canonicalizer);
  return canonicalizer;
}

/** Checks the rules in the root state, and adds the lane's report to `base`. */
async function atRoot(base: Omit<LaneBase, "report">): Promise<LaneBase> {
  const { options, world, state, checker, stepper, canonicalizer, home, drawing, restart, ignored, references } = base;
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
    uses: usesOf(world, parts.lane),
    isolated: !parts.borrowed && state.systems.length > 0 && state.systems.every((system) => isLanes(system, parts)),
  };
  // Do not restore if a check got no answer: the target may have ended, and a store inside an ended target cannot be restored.
  if (unanswered === undefined) await state.restore(root);
  return { ...base, report };
}

/** Describes the counters of all stores that no checkpoint restores. `undefined` if there are none. */
export function unrestoredCounters({ systems }: Pick<World<never, never>, "systems">): LaneReport["counters"] {
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
    hint: `Restores do not set back the AUTO_INCREMENT counters of ${tables}. If their numbers decide the result, set ${settings}.`,
    startAgain: found.every(({ restore }) => restore !== undefined),
  };
}

function setupOf({ home, reportInputs: { setUp } }: Pick<LaneBase, "home" | "reportInputs">): Pick<LaneReport, "setup"> {
  const state = briefLines(home.facts.lines);
  if (setUp.length === 0 && state.length === 0) return {};
  const status = setUp.at(-1)?.response?.status ?? null;
  return { setup: { step: { action: "setup", status, requests: setUp, state }, ...home.setupAt } };
}

/**
 * Refuses an external store that only the code of the World names, unless the store's name shows that the store is for tests. @throws SeqqaError
 * `STORE_NOT_ALLOWED` (exit status 2)
 */
function refuseUnnamed(name: string, { uses }: StoreAdapter, allowed: readonly string[]): void {
  if (uses === undefined || /^https?:/.test(uses)) return;
  const store = storeName(uses);
  if (mayBeWritten(store, allowed)) return;
  throw new SeqqaError(
    "STORE_NOT_ALLOWED",
    `The exploration would change the store "${store}" (systems.${name} of the World) in place, and the name does not show that the store is for tests.`,
    { exitStatus: 2, hint: consentHint(store) },
  );
}

async function writtenAtRoot(state: WorldState, canonicalizer: Canonicalizer, checker: Checker, seen: Seen): Promise<ErrorEvent> {
  const isStore = await state.storesChanged(seen.mark);
  // The state may also differ because time passed, such as the lifetime of a Redis key, or because a store notices a write late.
  const isOwn = !isStore && state.ownChanged(seen.mark) && checker.asked(undefined).length > 0;
  const { lines } = await written(state, canonicalizer, seen.mark);
  const isOften = !isOwn && (await writesByItself(state, seen, 250, 3));
  const name = isOften ? undefined : await checker.culprit(undefined, () => state.restore(seen.mark), seen.isOther);
  if (name !== undefined || isOwn) return impure(name ?? checker.checked.last, isStore ? "a store" : "the context or a client");
  const kind = isOften || (await writesByItself(state, seen, 1_000, 1)) ? "itself" : "unknown";
  const text = otherWriterText({ kind, lines }, "while seqqa checked the root state");
  return errorEvent("OTHER_WRITER", `${text}. ${OTHER_WRITER_HINT}`, "stores");
}

function hasStores(world: World<never, never>): boolean {
  return Object.values(world.systems).some((system) => system !== undefined);
}

function systemLines(world: World<never, never>): string[] {
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

async function buildWorld(definition: AgentDefinition<never, never>, parts: LaneParts): Promise<World<never, never>> {
  const { lane, createClient } = parts;
  let world: unknown;
  try {
    world = typeof definition.world === "function" ? await definition.world(lane) : (definition.world ?? new World());
  } catch (cause) {
    throw userError("WORLD_THREW", "The function `world` of the exploration threw an error", cause);
  }
  if (!(world instanceof World)) {
    throw new SeqqaError("WORLD_INVALID", "The function `world` of the exploration did not return a World.", {
      exitStatus: 2,
      hint: "Write world: (lane) => new World({ ... }).",
    });
  }
  world.complete({ api: createClient === undefined ? (undefined as never) : () => createClient() as never, systems: lane.systems });
  const create = clientsLike(world.allClients().get(""), parts);
  for (const role of Object.keys(definition.users)) world.introduce(role, () => (create?.() ?? noClient(role)) as never);
  if (create !== undefined)
    for (let index = 0; index < definition.guests; index++) world.introduce(guestRole(index), () => create() as never);
  if (parts.restart !== undefined) refuseSavedInTarget(world);
  return world as unknown as World<never, never>;
}

/**
 * Returns a function that creates clients for other users. These clients have the class, the base path and the headers of the world's client, such as an
 * `Origin` or the id of an app, but no header that identifies the sender. Returns `undefined` if no client can be created.
 */
function clientsLike(api: unknown, { lane, createClient }: LaneParts): (() => unknown) | undefined {
  const part = clientPartOf(api);
  const headers = Object.fromEntries(Object.entries(part?.headers?.() ?? {}).filter(([name]) => !TELLS_SENDER.test(name)));
  if (part?.another !== undefined) return () => part.another!(headers);
  const basePath = belowLane(api, lane);
  return createClient && (() => createClient({ ...(basePath !== undefined && { basePath }), headers }));
}

/**
 * Returns the base path of a client relative to the lane's URL. Returns `undefined` if there is no base path, or if the client does not use the
 * lane's target.
 */
function belowLane(api: unknown, { baseUrl }: Lane): string | undefined {
  const base = clientPartOf(api)?.base;
  if (base === undefined || !URL.canParse(base)) return undefined;
  const [{ pathname }, own] = [new URL(base), URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, "") : ""];
  const path = pathname.replace(/\/+$/, "");
  return path.startsWith(`${own}/`) ? path.slice(own.length) : undefined;
}

function noClient(role: string): never {
  throw new SeqqaError(
    "NO_CLIENT",
    `A rule needs a client for the role "${role}", but seqqa cannot create one, because seqqa.yaml names no target.`,
    {
      exitStatus: 2,
      hint: `Pass a client to the World: new World({ clients: { ${/^\w+$/.test(role) ? role : JSON.stringify(role)}: ... } }).`,
    },
  );
}

/**
 * Refuses stores that keep their checkpoints in the process of the target, because a restart loses these checkpoints. @throws SeqqaError
 * `RESTART_LOSES_CHECKPOINTS` (exit status 2)
 */
function refuseSavedInTarget(world: { readonly systems: Readonly<Record<string, StoreAdapter | undefined>> }): void {
  for (const [name, system] of Object.entries(world.systems)) {
    if (system?.traits.inTarget !== true) continue;
    throw new SeqqaError(
      "RESTART_LOSES_CHECKPOINTS",
      `target.rollback is restart, but the target keeps the checkpoints of store "${name}" in its process, so a restart deletes them.`,
      { exitStatus: 2, hint: "Set target.rollback: stores. The target's own checkpoints then restore its memory, too." },
    );
  }
}

/** Returns the URLs (without passwords) and files that the world uses, including those that only the user's code names. */
function usesOf(world: World<never, never>, lane: Lane): string[] {
  const clients = [...world.allClients().values()].map((client) => clientPartOf(client)?.uses);
  const stores = Object.values(world.systems).map((system) => system?.uses);
  const all = [lane.baseUrl, lane.dbUrl, ...clients, ...stores].filter((one) => one !== undefined && one !== "");
  return withoutRepeats((all as string[]).map((one) => withoutSecrets(one)));
}

/** Opens all stores. Returns the columns that other clients write to. Returns `undefined` if some external store was not watched. */
async function openSystems(
  world: World<never, never>,
  parts: LaneParts,
  { gated = false, faulty = false, allowedStores = [], knowledge, idleWatchMs = 0 }: LaneOptions,
  asks: Asks,
): Promise<readonly string[] | undefined> {
  const ignore = [...world.ignore, ...knowledge.background.map(patternOf)];
  const opening: { readonly system: StoreAdapter; readonly scope: StoreScope }[] = [];
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined) continue;
    const borrowed = parts.borrowed || !isLanes(system, parts);
    if (borrowed) refuseUnnamed(name, system, allowedStores);
    asks.isNeeded ||= borrowed;
    // Only external stores get the function that counts calls of user code. Lanes without external stores do not count calls, so their stores would
    // report the lane's own writes as writes of other clients.
    const asked = borrowed ? asks.count : undefined;
    opening.push({
      system,
      scope: { name, laneIndex: parts.lane.index, inProcess: parts.inProcess, borrowed, gated, faulty, ignore, asked },
    });
  }
  const isWatched = ({ system }: (typeof opening)[number]): boolean =>
    parts.isFirst === true && parts.borrowed && !parts.inProcess && system.traits.commits && system.schema !== undefined;
  const found = await Promise.all(opening.map(async (one) => (isWatched(one) ? writtenByOthers(one.system, one.scope, idleWatchMs) : [])));
  for (const [i, { system, scope }] of opening.entries()) await system.open({ ...scope, ignore: [...ignore, ...found[i]!.map(patternOf)] });
  return opening.length > 0 && world.probe === undefined && opening.every(isWatched) ? found.flat() : undefined;
}

/**
 * Watches a store for `ms` milliseconds in which seqqa sends no request. Returns the columns and tables that changed, which other clients must have
 * written.
 */
async function writtenByOthers(system: StoreAdapter, scope: StoreScope, ms: number): Promise<readonly string[]> {
  if (ms === 0) return [];
  await system.open({ ...scope, gated: false, faulty: false, watching: true });
  try {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await system.observe();
    return [];
  } catch (error) {
    if (error instanceof ForeignWrite) return error.fields;
    throw error;
  } finally {
    await system.close();
  }
}

/** Opens the lane's own stores again after `setup` changed their schema. Later restores go back to the content that the stores have now. */
async function reopenSystems(world: World<never, never>, parts: LaneParts, options: LaneOptions, asks: Asks): Promise<void> {
  for (const system of Object.values(world.systems)) await system?.close();
  await openSystems(world, parts, options, asks);
  await requireClockFollows(world.systems, parts.lane);
}

/**
 * Finds the tables and columns that match the `ignore` patterns of the stores and of the World.
 *
 * @param isStrict `true` if all tables exist, so that a pattern without a match is an error.
 * @throws SeqqaError `IGNORE_UNKNOWN` (exit status 2)
 */
function findIgnored(world: World<never, never>, schemas: Schemas, isStrict: boolean): Ignored {
  const patterns: IgnorePattern[] = world.ignore.map((pattern) => ({ pattern, system: undefined }));
  let isWhole = true;
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined) continue;
    const { ignore = [] } = system as { readonly ignore?: readonly string[] };
    patterns.push(...ignore.map((pattern) => ({ pattern, system: name })));
    if (!schemas.has(name)) isWhole = false;
  }
  return resolveIgnored(patterns, schemas, { isWhole, isStrict });
}

async function schemasOf({ systems }: World<never, never>): Promise<Schemas> {
  const schemas = new Map<string, Awaited<ReturnType<NonNullable<StoreAdapter["schema"]>>>>();
  for (const [name, system] of Object.entries(systems)) if (system?.schema !== undefined) schemas.set(name, await system.schema());
  return schemas;
}

function referencesIn(schemas: Schemas): NonNullable<LaneReport["references"]> {
  const of = (store: string, table: string, all: readonly DeclaredReference[]): NonNullable<LaneReport["references"]> =>
    all.map((one) => ({ store, table, ...one }));
  return [...schemas].flatMap(([store, tables]) => tables.flatMap(({ name, references = [] }) => of(store, name, references)));
}

/**
 * Returns `true` if only this lane uses a store. Returns `false` for an external store, which the user's code names or which an adapter cannot copy.
 */
function isLanes(system: StoreAdapter, { lane, external }: Pick<LaneParts, "lane" | "external">): boolean {
  const { uses } = system;
  if (external?.has(system) === true) return false;
  if (uses === undefined || uses === lane.dbPath) return true;
  if (Object.values(lane.systems).some((one) => one.uses === uses)) return true;
  return [lane.baseUrl, lane.tmpDir].some((own) => own !== "" && uses.startsWith(own));
}

function canonicalOptions(
  { state: { systems }, placeholders: ours, ignored }: Omit<Identified, "isIdentified">,
  options: LaneOptions,
): ConstructorParameters<typeof Canonicalizer>[0] {
  return {
    clockMs: options.clockMs,
    earlierClocksMs: options.earlierClocksMs,
    literals: new Set(options.literals),
    ignore: [...ignored.fields, ...(options.knowledge.nullable ?? [])],
    symmetric: systems.flatMap((system) => (system as { readonly symmetric?: readonly string[] }).symmetric ?? []),
    placeholders: ours,
    masked: [...options.knowledge.dropped.map(({ field }) => field), ...options.knowledge.background],
    ordered: options.knowledge.ordered,
  };
}

/**
 * Returns the values that are different on each lane, such as the URL, with their placeholders. Longer values come first: a whole URL is then
 * replaced before the host in it.
 */
function placeholders(lane: Lane): [string, string][] {
  const all: [string, string][] = [];
  if (lane.baseUrl !== "") {
    all.push([lane.baseUrl, "{base_url}"]);
    const { host, port } = new URL(lane.baseUrl);
    if (port !== "") all.push([host, "{host}"], [`localhost:${port}`, "{host}"]);
  }
  if (lane.dbUrl !== undefined) all.push([lane.dbUrl, "{db_url}"]);
  if (lane.dbPath !== undefined) all.push([lane.dbPath, "{db_path}"]);
  if (lane.tmpDir !== "") all.push([lane.tmpDir, "{tmp}"]);
  return all.toSorted((a, b) => b[0].length - a[0].length);
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
