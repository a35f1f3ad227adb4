import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { FaultAnswer, FaultHit, FaultRequest } from "../../messages/fault-messages.ts";
import { isAt, LaneLost, lossOf, startOnStores, type LaneWork, type RaceGround } from "../../lane/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ApiRequest } from "../../model/http/response.ts";
import type { FaultPoint } from "../../model/results/result.ts";
import type { HeldWrite, WriteFault, WriteFaults } from "../../model/stores/store-adapter.ts";
import { answerText, Calls, isSameAnswer, Oracle, stopFollowing, type Answer, type CallEnd, type Execution } from "../../races/index.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { markedDifferences, sameNames } from "../../state/index.ts";
import { judgeFault, notRecovered, type FaultJudgement } from "../oracle/judge-fault.ts";
import { rowChanges } from "../oracle/row-changes.ts";
import { storesOnly } from "../oracle/stores-only.ts";
import { faultPoints, faultyStores, type FaultyStores } from "./fault-points.ts";

/**
 * The number of times that a fault is repeated to find leaked connections. If each repetition leaks a connection, a pool of 10 connections, the
 * default of database drivers, is then empty.
 */
const LEAK_ROUNDS = 11;
const CHANGES = 40;
/**
 * The pauses, in milliseconds, before the repetitions of a call that was refused with 429 or 503 after a fault. A circuit breaker or rate limiter
 * accepts calls again after some time. A pool without connections does not.
 */
const PAUSES_MS: readonly number[] = [250, 500, 1_000, 2_000, 3_000, 3_000];
/** HTTP methods that a client may safely repeat after a lost answer, because they are idempotent (RFC 9110, section 9.2.2). */
const REPEATABLE: ReadonlySet<string> = new Set(["PUT", "DELETE"]);
const IDEMPOTENCY_KEY = /^(?:x-)?idempotency-key$/i;

/** One execution of a call with a fault. `again` is the same call, repeated afterwards without a fault. */
interface Trial {
  readonly point: FaultPoint;
  readonly execution: Execution;
  readonly again: Execution | undefined;
  readonly by: "state" | "rules";
}

/** Thrown if the target protects itself from further calls after a fault, so that its recovery cannot be judged. */
class Protected extends Error {}

/** Thrown if the target does not answer after a fault, or keeps a transaction open. */
class NotRecovered extends Error {
  override readonly cause: unknown;

  constructor(why: string, cause: unknown) {
    super(why);
    this.cause = cause;
  }
}

export function tryFaults(work: LaneWork, request: FaultRequest): Promise<FaultAnswer> {
  return work.lend((ground) => new FaultProber(ground, request).run());
}

/** Executes a call in one state, first without a fault and then with each fault, and judges the results. */
class FaultProber {
  readonly #ground: RaceGround;
  readonly #request: FaultRequest;
  readonly #calls: Calls;
  #faulty: FaultyStores;
  readonly #only: WeakMap<Facts, Facts> = new WeakMap();
  readonly #hits: FaultHit[] = [];
  readonly #skipped: Record<string, number> = {};
  #points: readonly FaultPoint[] = [];
  #killable = 0;
  /**
   * The executions with which a call is compared if the target was restarted. `null` if even a restart without any fault changes the answer to the
   * call, so that no comparison is possible. `undefined` if this is not known yet.
   */
  #restarted: Compared | null | undefined;
  #at: number;
  #tried = 0;
  /** `true` if a call was still refused with 429 or 503 after all pauses. Further refused calls are then not repeated. */
  #isRefusing = false;
  #dismissed: FaultAnswer["dismissed"];

  constructor(ground: RaceGround, request: FaultRequest) {
    this.#ground = ground;
    this.#request = request;
    this.#at = request.from;
    this.#calls = new Calls({ ground, path: request.path, draws: request.draws, sides: [request.action] });
    this.#faulty = faultyStores(ground.base, request.kinds);
  }

  async run(): Promise<FaultAnswer> {
    let failure: FaultAnswer["failure"];
    try {
      await this.#calls.listening(() => this.#probe());
    } catch (error) {
      const lost = error instanceof NotRecovered ? error.cause : error;
      failure = { kind: lossOf(lost), message: lost instanceof Error ? lost.message : String(lost) };
    } finally {
      for (const faults of this.#faulty.stores.values()) await faults.disarm();
      stopFollowing();
      const { stepper } = this.#ground.base;
      // Discard errors that the user's code threw while faults were tried, because they belong to no step of the exploration.
      stepper.strays.length = 0;
      stepper.uncaught.length = 0;
      this.#ground.leave();
    }
    return {
      points: this.#points.length,
      killable: this.#killable,
      next: this.#at < this.#points.length ? this.#at : undefined,
      tried: this.#tried,
      skipped: this.#skipped,
      missing: this.#faulty.missing,
      hits: this.#hits,
      dismissed: this.#dismissed,
      failure,
    };
  }

  async #probe(): Promise<void> {
    const { kinds, restarts, only } = this.#request;
    const before = await this.#calls.arrive();
    if (!(await isAt(this.#ground.base, this.#request.at))) return void (this.#dismissed = "not_there");
    const writes = new Map<string, number>();
    const plain = await this.#counted(writes);
    const [call] = plain.calls;
    if (call!.kind === "skipped") return void (this.#dismissed = "skipped");
    if (call!.kind !== "executed") return void (this.#dismissed = "call_fails");
    const order = { ...plain, order: [0], after: [plain.states[0]!.facts] };
    const after = plain.states[0]!.facts;
    const oracle = new Oracle(this.#ground.base, this.#calls, before, [order]);
    const compared = { before, after, again: { answer: call!, facts: after }, restarted: [], plain, oracle };
    this.#killable = faultPoints(["kill"], this.#faulty, writes).length;
    this.#points = faultPoints(kinds, this.#faulty, writes).filter(
      (point) => (only === undefined || isSame(point, only)) && (restarts === undefined || restarts === (point.kind === "kill")),
    );
    while (this.#at < this.#points.length && !this.#ground.isCancelled() && this.#dismissed === undefined) {
      const point = this.#points[this.#at++]!;
      this.#ground.touch();
      if (point.kind === "lost_answer") await this.#loseAnswer(point, compared);
      else if (point.kind === "kill") await this.#kill(point, compared);
      else await this.#fail(point, compared);
    }
    // Give up the lane if there are no fault points, or if some were skipped: the killed target has probably lost data in memory that later calls
    // need.
    const forgot = this.#points.length === 0 || Object.keys(this.#skipped).length > 0;
    if (restarts === true && forgot) throw new LaneLost("dirty", "seqqa killed the target of the lane and started the target again");
  }

  /** Executes the call without a fault, and counts its writes in each store. */
  async #counted(writes: Map<string, number>): Promise<Execution> {
    const { stores } = this.#faulty;
    return (await this.#calls.together(async (call) => {
      for (const faults of stores.values()) await faults.watch();
      const done = call(0);
      const counting = [...stores].map(async ([name, faults]) => void writes.set(name, await faults.watched(done)));
      await done;
      await Promise.all(counting);
      return true;
    }))!;
  }

  async #fail(point: FaultPoint, compared: Compared): Promise<void> {
    const faults = this.#faulty.stores.get(point.store!)!;
    const action = compared.plain.calls[0]!.action;
    let known = point;
    try {
      let failed: HeldWrite | undefined;
      const run = async (call: (side: number) => Promise<void>): Promise<boolean> => {
        failed = await struck(faults, point, () => call(0));
        return failed !== undefined;
      };
      const execution = await this.#afterFault(() => this.#calls.together(run));
      if (execution === undefined) {
        this.#skip("not_failed");
        return;
      }
      known = { ...point, statement: failed?.statement };
      this.#tried++;
      const [end] = execution.calls;
      if (end!.kind === "lost") throw new NotRecovered(`${action} got no answer`, new LaneLost(end!.lost!, `${action} got no answer`));
      await this.#afterFault(() => atRest(faults));
      const again = this.#agree(compared, execution, "before") ? await this.#again(compared) : undefined;
      const trial: Trial = { point: known, execution, again, by: "state" };
      if (this.#judgement(trial, compared) !== undefined) await this.#learnIds(point, faults, compared);
      await this.#judge(trial, compared);
      await this.#wearOut(known, faults, compared);
    } catch (error) {
      if (error instanceof Protected) {
        this.#tried--;
        this.#giveUp(error);
      }
      if (error instanceof NotRecovered) this.#hits.push(hitOf(known, notRecovered(action, known, error.message)));
      throw error;
    }
  }

  /**
   * Learns which numbers are ids. For this, makes the call fail twice before the call is repeated. If each failed attempt uses up an id, the rows of
   * the repeated call then have other ids than after one failed attempt. A number that counts effects of the call stays the same.
   */
  async #learnIds(point: FaultPoint, faults: WriteFaults, compared: Compared): Promise<void> {
    await this.#afterFault(async () => {
      await this.#calls.arrive();
      for (let tries = 0; tries < 2; tries++) await struck(faults, point, () => this.#calls.call(0));
    });
    await this.#afterFault(() => atRest(faults));
    const again = await this.#again(compared);
    if (again !== undefined) compared.oracle.learnIds(again);
  }

  /**
   * Executes a call after a fault. If the answer is 429 or 503, but was not without the fault, executes the call again after pauses.
   * @throws Protected if the call is still refused with 429, or with an answer that has a `Retry-After` header
   */
  async #patiently(run: () => Promise<Execution>, usual: Answer): Promise<Execution> {
    const isRefused = ({ status, refused }: CallEnd): boolean =>
      (status === 429 || status === 503) && !isSameAnswer({ status, refused }, usual);
    let execution = await run();
    for (const pause of PAUSES_MS) {
      if (!isRefused(callOf(execution)) || this.#isRefusing || this.#ground.isCancelled()) break;
      await sleep(pause);
      this.#ground.touch();
      execution = await run();
    }
    const call = callOf(execution);
    if (!isRefused(call)) return execution;
    this.#isRefusing = true;
    const later = call.exchanges.at(-1)?.response?.headers["retry-after"];
    if (call.status === 429 || later !== undefined) throw new Protected(`${call.action} was answered ${call.status} after a fault`);
    return execution;
  }

  /** Counts a fault point as not judged, and gives up the lane, because its target still refuses calls. */
  #giveUp({ message }: Protected): never {
    this.#skip("refused");
    throw new LaneLost("dirty", message);
  }

  /**
   * Repeats a call without a fault, after a fault that left the stores unchanged.
   * @returns `undefined` if the repeated call was skipped, e.g. because the queue job that it executes has failed permanently
   */
  async #again({ again: { answer }, plain }: Compared): Promise<Execution | undefined> {
    const { action } = callOf(plain);
    const again = await this.#patiently(async () => {
      const execution = await this.#afterFault(() => this.#calls.again());
      const { lost } = callOf(execution);
      if (lost === undefined) return execution;
      throw new NotRecovered(`the repeated call of ${action} got no answer`, new LaneLost(lost, `${action} got no answer`));
    }, answer);
    return callOf(again).kind === "skipped" ? undefined : again;
  }

  /**
   * Tests if a fault leaks connections or locks. Repeats the fault until a connection pool would be empty if each fault leaked a connection, and then
   * executes the call without a fault. For stores without connections, only restores the state once, which fails if the target kept a lock.
   */
  async #wearOut(point: FaultPoint, faults: WriteFaults, { plain }: Compared): Promise<void> {
    const action = plain.calls[0]!.action;
    if (point.kind !== "cut" && !faults.kinds.includes("cut")) return void (await this.#afterFault(() => this.#calls.arrive()));
    for (let round = 0; round < LEAK_ROUNDS && !this.#ground.isCancelled(); round++) {
      await this.#afterFault(async () => {
        await this.#calls.arrive();
        await struck(faults, point, () => this.#calls.call(0));
        const lost = this.#calls.endOf(0)?.lost;
        if (lost !== undefined) throw new LaneLost(lost, `${action} got no answer`);
      });
    }
    const usual = callOf(plain);
    const end = callOf(await this.#patiently(() => this.#afterFault(() => this.#calls.inOrder([0])), usual));
    if (isSameAnswer(end, usual)) return;
    const why = `${action} was answered ${answerText(end)} instead of ${answerText(usual)}, after the same fault had happened ${LEAK_ROUNDS + 1} times`;
    this.#hits.push(hitOf(point, notRecovered(action, point, why)));
    // Give up the lane, because the target does not get the leaked connections back.
    throw new LaneLost("dirty", why);
  }

  async #kill(point: FaultPoint, plainly: Compared): Promise<void> {
    const faults = this.#faulty.stores.get(point.store!)!;
    const { action } = plainly.plain.calls[0]!;
    let known = point;
    try {
      const run = async (call: (side: number) => Promise<void>): Promise<boolean> => {
        const failed = await struck(
          faults,
          point,
          () => call(0),
          () => this.#ground.base.process!.halt(),
        );
        if (failed === undefined) return false;
        known = { ...point, statement: failed.statement };
        await this.#start();
        return true;
      };
      const killed = await this.#afterFault(() => this.#calls.together(run));
      if (killed === undefined) return this.#skip("not_failed");
      const execution = { ...killed, broken: await this.#afterFault(() => this.#calls.check()) };
      const again = this.#agree(plainly, execution, "before") ? await this.#again(plainly) : undefined;
      let compared: Compared | null = plainly;
      if (this.#judgement({ point: known, execution, again, by: "state" }, plainly) !== undefined) {
        if (this.#restarted === undefined) this.#restarted = await this.#aroundRestart(plainly).catch(lostOnly);
        compared = this.#restarted;
        if (compared === null) return this.#skip("target_memory");
      }
      this.#tried++;
      if (again !== undefined) compared.oracle.learnIds(again);
      await this.#judge({ point: known, execution, again, by: "state" }, compared);
    } catch (error) {
      if (error instanceof Protected) this.#giveUp(error);
      if (error instanceof NotRecovered) this.#hits.push(hitOf(known, notRecovered(action, known, error.message)));
      throw error;
    }
  }

  /**
   * Executes the call once after a restart of the target, and once before a restart. The two executions show the effects of a restart without any
   * fault: a target may write when it starts, or lose data in memory.
   * @returns `null` if the restart changes the answer to the call
   */
  async #aroundRestart(plainly: Compared): Promise<Compared | null> {
    const { process } = this.#ground.base;
    const restart = async (): Promise<void> => {
      await process!.halt();
      await this.#start();
    };
    const idle = await this.#calls.together(async () => {
      await restart();
      return true;
    });
    const again = await this.#calls.again();
    const done = await this.#calls.together(async (call) => {
      await call(0);
      await restart();
      return true;
    });
    const [before, after] = [idle!.states[0]!.facts, done!.states[0]!.facts];
    const { answer } = plainly.again;
    const isSame = [again, done!].every((one) => isSameAnswer(callOf(one), answer));
    const broken = [idle!, again, done!].flatMap((one) => one.broken);
    return isSame ? { ...plainly, before, after, restarted: broken, again: { answer, facts: again.states[0]!.facts } } : null;
  }

  /** Waits until the transactions of the killed target have ended, and starts the target again. */
  async #start(): Promise<void> {
    const { process, state } = this.#ground.base;
    for (const faults of this.#faulty.stores.values()) await atRest(faults);
    try {
      await startOnStores(process!, state);
      // Replace the objects that make writes fail, because stores may have been reopened during the restart.
      this.#faulty = faultyStores(this.#ground.base, this.#request.kinds);
    } catch (error) {
      const isTarget = error instanceof SeqqaError && error.code.startsWith("TARGET_") && error.code !== "TARGETS_CLOSED";
      if (!isTarget || this.#ground.isCancelled()) throw error;
      throw new NotRecovered(`the target did not start: ${error.message}`, new LaneLost("unreachable", error.message));
    }
  }

  /** Executes the call twice, like a client that retries because it got no answer. */
  async #loseAnswer(point: FaultPoint, compared: Compared): Promise<void> {
    const first = (await this.#calls.together(async (call) => {
      await call(0);
      return true;
    }))!;
    const execution = await this.#calls.again();
    const { action, lost } = callOf(execution);
    if (lost !== undefined) throw new LaneLost(lost, `${action} got no answer when its request was sent a second time`);
    this.#tried++;
    await this.#judge(
      { point, execution, again: undefined, by: isRepetition(callOf(first), callOf(execution)) ? "state" : "rules" },
      compared,
    );
  }

  /**
   * Judges a call with a fault. Before a problem is recorded, finds values that differ between executions without a fault, and ignores these values.
   */
  async #judge(trial: Trial, compared: Compared): Promise<void> {
    if (this.#judgement(trial, compared) === undefined) return;
    if (await compared.oracle.learnNoise()) {
      if (compared.oracle.isUnsteady) return void (this.#dismissed = "unsteady");
    }
    const judgement = this.#judgement(trial, compared);
    if (judgement === undefined) return;
    const { base } = this.#ground;
    const end = trial.execution.calls[0]!;
    const before = base.lookalikes.marked(compared.before);
    const changes = markedDifferences(before, sameNames(before, base.lookalikes.marked(trial.execution.states[0]!.facts)), CHANGES);
    this.#hits.push({ ...hitOf(trial.point, judgement), status: end.status, exchanges: end.exchanges, changes });
  }

  #judgement({ point, execution, again, by }: Trial, compared: Compared): FaultJudgement | undefined {
    const [plain] = compared.plain.calls;
    const held = new Set([...compared.plain.broken, ...compared.restarted].map(({ invariant }) => invariant));
    const isAfter = this.#agree(compared, execution, "after");
    const facts = this.#stores(execution.states[0]!.facts);
    return judgeFault({
      action: plain!.action,
      point,
      answer: callOf(execution),
      plain: plain!,
      // After a lost answer, a repeated idempotent call must lead to the same state as a single call. The state before the call is then not accepted.
      isBefore: by === "rules" || (point.kind !== "lost_answer" && this.#agree(compared, execution, "before")),
      isAfter: by === "rules" || isAfter,
      broken: execution.broken.filter(({ invariant }) => !held.has(invariant)),
      differences: rowChanges(this.#stores(compared.before), facts),
      again: again === undefined ? undefined : { ...callOf(again), isAfter: this.#agree(compared, again, "again") },
    });
  }

  #agree({ before, after, again, oracle }: Compared, { states }: Execution, to: "before" | "after" | "again"): boolean {
    const other = { before, after, again: again.facts }[to];
    return oracle.measure.states.agree(this.#stores(states[0]!.facts), this.#stores(other));
  }

  #stores(facts: Facts): Facts {
    let only = this.#only.get(facts);
    if (only === undefined) {
      const { changesStores } = this.#ground.base.actions[this.#request.action]!;
      this.#only.set(facts, (only = storesOnly(facts, this.#request.bestEffort, changesStores)));
    }
    return only;
  }

  /** Calls `work` right after a fault. @throws NotRecovered if the target does not answer or keeps a transaction open */
  async #afterFault<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LaneLost && (error.kind === "timeout" || error.kind === "unreachable")) {
        throw new NotRecovered(error.kind === "timeout" ? "the target no longer answers" : "the target cannot be reached", error);
      }
      if (error instanceof SeqqaError && error.code === "STORE_BUSY") throw new NotRecovered("the target keeps a transaction open", error);
      throw error;
    }
  }

  #skip(reason: string): void {
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + 1;
  }
}

/** The executions with which a call with a fault is compared. */
interface Compared {
  readonly before: Facts;
  readonly after: Facts;
  /** The expected result if the call is repeated after a fault that left the stores unchanged. */
  readonly again: { readonly answer: Answer; readonly facts: Facts };
  /** The rules that are broken after a restart without any fault. */
  readonly restarted: Execution["broken"];
  /** The execution of the call without a fault. */
  readonly plain: Execution;
  readonly oracle: Oracle;
}

/** Throws the cause of a failed restart instead of {@link NotRecovered}, which would blame a fault although there was none. */
function lostOnly(error: unknown): never {
  throw error instanceof NotRecovered ? error.cause : error;
}

/** Executes a call while one of its writes fails. @returns the failed write; `undefined` if the call did not make that write */
async function struck(
  faults: WriteFaults,
  point: FaultPoint,
  call: () => Promise<void>,
  kill?: () => Promise<void>,
): Promise<HeldWrite | undefined> {
  await faults.arm(point.write!, point.kind as WriteFault);
  try {
    const done = call();
    const failed = await faults.failed(
      done.catch(() => undefined),
      kill,
    );
    await done;
    return failed;
  } finally {
    await faults.disarm();
  }
}

/** Waits until the target has no open write transaction. @throws SeqqaError `STORE_BUSY` */
async function atRest(faults: WriteFaults): Promise<void> {
  await faults.watch();
  await faults.disarm();
}

function hitOf(point: FaultPoint, judgement: FaultJudgement): FaultHit {
  return { point, ...judgement, status: 0, exchanges: [], changes: [] };
}

function isSame(a: FaultPoint, b: FaultPoint): boolean {
  return a.kind === b.kind && a.store === b.store && a.write === b.write;
}

/**
 * Returns `true` if a repeated call sent the same requests as the first call, and each of them is a request that a client may send again. An action
 * that draws a new key or URL each time sends different requests, each of which may have its own effect.
 */
function isRepetition(first: CallEnd, second: CallEnd): boolean {
  const [one, other] = [first, second].map(({ exchanges }) => exchanges.map(({ request }) => repeatableRequest(request)));
  return one!.length > 0 && !one!.includes(undefined) && isDeepStrictEqual(one, other);
}

/** Returns method, URL and idempotency key of a request that a client may send again; `undefined` for other requests. */
function repeatableRequest({ method, url, headers }: ApiRequest): readonly (string | undefined)[] | undefined {
  const key = Object.entries(headers).find(([name]) => IDEMPOTENCY_KEY.test(name))?.[1];
  return key !== undefined || REPEATABLE.has(method.toUpperCase()) ? [method, url, key] : undefined;
}

const callOf = ({ calls }: Execution): CallEnd => calls[0]!;
