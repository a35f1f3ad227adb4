import type { Action } from "../../model/declare/action.ts";
import { clientPartOf, TELLS_SENDER, type ApiClient, type Exchange } from "../../model/http/client.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import { isCheckResult, type CheckAnswer } from "../../model/declare/invariant.ts";
import { guestRole, type CheckedStep, type Earlier, type Restored, type Rule, type StoresView } from "../../model/declare/rule.ts";
import type { ErrorEvent, FindingEvent, InconclusiveEvent } from "../../messages/lane-messages.ts";
import type { Awaitable } from "../../model/stores/store-adapter.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { invalidAnswerFinding } from "./invalid-answer.ts";
import { storesView } from "../state/stores-view.ts";
import type { Outcome } from "./outcome.ts";
import { errorEvent, overloaded } from "./error-events.ts";
import { requireStores } from "../bring-up/store-lost.ts";
import { inconclusiveEvents } from "../report/inconclusive-events.ts";
import type { SavedWorld } from "../state/saved-world.ts";

type AnyAction = Action<never, never>;

/** A step to which rules are applied. The lane is in the state after the step. */
export interface JudgedStep {
  readonly action: AnyAction;
  readonly response: ApiResponse | undefined;
  readonly exchanges: readonly Exchange[];
  readonly changed: boolean;
}

/**
 * Headers that are not copied when a request is repeated, because they belong to one connection or message, or because the client adds them itself.
 */
const NOT_SENT_AGAIN = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "keep-alive",
  "expect",
  "te",
  "upgrade",
  "cookie",
]);

interface Explanation {
  readonly message: string;
  readonly cause: string | undefined;
  readonly fields: readonly string[] | undefined;
}

/** Applies rules to one step. Each rule begins in the state after the step, and its writes are undone afterwards. */
export class StepRules {
  readonly findings: FindingEvent[] = [];
  readonly errors: ErrorEvent[] = [];
  readonly unjudged: InconclusiveEvent[] = [];
  readonly #base: LaneBase;
  readonly #step: JudgedStep;
  readonly #settle: () => Awaitable<void>;
  readonly #later: { readonly rule: Rule; readonly earlier: Earlier["earlier"] }[] = [];

  constructor(base: LaneBase, step: JudgedStep, settle: () => Awaitable<void>) {
    this.#base = base;
    this.#step = step;
    this.#settle = settle;
  }

  get asksEarlier(): boolean {
    return this.#later.length > 0 && !this.#isUnanswered;
  }

  /** Applies the rules that need the state after the step. Afterwards the world is in this state again. */
  async judge(): Promise<void> {
    const { checker, state } = this.#base;
    const rules = checker.rulesAfter(this.#step.action);
    if (rules.length === 0) return;
    const mark = await state.mark();
    for (const rule of rules) {
      const view = this.#view(rule.name);
      const said = await this.#askAfter(rule, view, mark);
      if (isEarlier(said)) this.#later.push({ rule, earlier: said.earlier });
      else this.#take(rule, said, view.because());
      if (this.#isUnanswered) return;
      await this.#putBack(mark);
    }
  }

  /**
   * Calls a rule. As long as the rule returns `{ restored }`, restores the state after the step and calls the function `restored`. Only the requests
   * of the last call are recorded, because the effects of the earlier calls were undone, and recorded requests are repeated without a restore between
   * them.
   */
  async #askAfter(rule: Rule, view: CheckedStep, mark: SavedWorld): Promise<CheckAnswer | Earlier | undefined> {
    const { stepper, world } = this.#base;
    const recording = stepper.onCheckExchange;
    let sent: Exchange[] = [];
    if (recording !== undefined) stepper.onCheckExchange = (exchange) => sent.push(exchange);
    try {
      let said = await this.#ask(rule, () => rule.judge(world, view));
      while (isRestored(said) && !this.#isUnanswered) {
        const { restored } = said;
        await this.#putBack(mark);
        sent = [];
        said = await this.#ask(rule, restored);
      }
      return isRestored(said) ? undefined : said;
    } finally {
      stepper.onCheckExchange = recording;
      for (const exchange of sent) recording?.(exchange);
    }
  }

  /** `true` if a request of a rule got no answer. No further request is sent in this case, and a store inside the target cannot be restored. */
  get #isUnanswered(): boolean {
    return this.#base.stepper.checkFailure !== undefined;
  }

  /** Applies the rules that need the state before the step, whose checkpoint is `mark`. Afterwards the world is in the state before the step. */
  async judgeEarlier(mark: SavedWorld): Promise<void> {
    const { stepper } = this.#base;
    const recording = stepper.onCheckExchange;
    // Do not record requests that rules send in the state before the step: recorded requests are repeated later in the state after the step, where
    // they may get other answers.
    stepper.onCheckExchange = undefined;
    try {
      for (const { rule, earlier } of this.#later) {
        const view = this.#view(rule.name);
        let said = await this.#ask(rule, () => earlier(view));
        while (isEarlier(said) && !this.#isUnanswered) {
          const next = said.earlier;
          await this.#putBack(mark);
          said = await this.#ask(rule, () => next(view));
        }
        this.#take(rule, isEarlier(said) || isRestored(said) ? undefined : said, view.because());
        if (this.#isUnanswered) return;
        await this.#putBack(mark);
      }
    } finally {
      stepper.onCheckExchange = recording;
    }
  }

  /** Calls a rule. @throws LaneLost if the rule could not read a store */
  async #ask(rule: Rule, ask: () => Awaitable<CheckAnswer | Earlier | Restored>): Promise<CheckAnswer | Earlier | Restored | undefined> {
    const { checker, drawing, stepper } = this.#base;
    checker.checked.last = rule.name;
    drawing.by(rule.name);
    stepper.isCheckShed = false;
    try {
      const said: unknown = await this.#base.state.asks.during(ask);
      const isBroken = said === false || (isCheckResult(said) && !said.ok);
      if (isBroken && stepper.isCheckShed) {
        this.errors.push(overloaded());
        return undefined;
      }
      if (typeof said === "boolean" || isEarlier(said) || isRestored(said) || isCheckResult(said)) return said;
      const got = said === undefined ? "nothing" : typeof said;
      this.errors.push(
        errorEvent(
          "INVARIANT_NOT_BOOLEAN",
          `Rule "${rule.name}" returned ${got}, but must return true, false, { ok, actual, expected }, { earlier }, or { restored }.`,
          rule.name,
        ),
      );
    } catch (error) {
      requireStores(error, `Rule "${rule.name}" threw`);
      const invalid = invalidAnswerFinding(error, rule.name);
      if (invalid !== undefined || stepper.isCheckShed) {
        if (invalid === undefined) this.errors.push(overloaded());
        else this.findings.push(invalid);
        return undefined;
      }
      this.errors.push(stepper.thrown("INVARIANT_THREW", `Rule "${rule.name}" threw`, rule.name, error));
    }
    return undefined;
  }

  #take({ name, severity, message }: Rule, held: CheckAnswer | undefined, because: Explanation | undefined): void {
    const details = isCheckResult(held) ? held : undefined;
    if ((details?.ok ?? held) !== false) return;
    const { cause, fields } = because ?? {};
    this.findings.push({
      invariant: name,
      severity,
      message: because?.message ?? details?.message ?? message,
      ...(cause !== undefined && { cause }),
      ...(fields !== undefined && { fields }),
    });
    if (details !== undefined) this.#base.checker.onDetails?.(name, details);
  }

  async #putBack(mark: SavedWorld): Promise<void> {
    const { state } = this.#base;
    if (!(await state.changed(mark))) return;
    await this.#settle();
    await state.restore(mark);
  }

  #view(rule: string): CheckedStep & { because(): Explanation | undefined } {
    const { action, response, exchanges, changed } = this.#step;
    const { world, state, canonicalizer } = this.#base;
    const client: ApiClient = action.as === undefined ? world.api : world.clients[action.as]!;
    const heard = exchanges.flatMap((one) => (one.kind === "answer" ? [one.response] : []));
    let because: Explanation | undefined;
    const startMs = state.now();
    const inconclusive: CheckedStep["inconclusive"] = (why, { partly } = {}) => {
      this.unjudged.push(inconclusiveEvents(rule, why, partly));
      return true;
    };
    return {
      action: { name: action.name, tags: action.tags, as: action.as, expectedStatus: action.expectedStatus },
      response,
      answers: heard.length > 0 || response === undefined ? heard : [response],
      changed,
      canGoBack: !this.#base.home.remade && !this.#base.report.contextOnly,
      client,
      explain: (message, { cause, fields } = {}) => {
        because = { message, cause, fields };
        return false;
      },
      because: () => because,
      inconclusive,
      unjudged: inconclusive,
      get guests(): readonly ApiClient[] {
        return guestsOf(world);
      },
      again: async (answer, { by = client, body } = {}) => sendAgain(answer, by, by !== client, body),
      stores: async (without): Promise<StoresView | undefined> => {
        await this.#settle();
        if (state.systems.length === 0) return undefined;
        return storesView(await state.observeSince(startMs), canonicalizer, without, action.changesStores);
      },
    };
  }
}

export interface RuledStep {
  readonly action: AnyAction;
  readonly outcome: Outcome;
  readonly changed: boolean;
  /** The checkpoint before the step. */
  readonly mark: SavedWorld;
}

/**
 * Applies all rules to a step that was executed from the state of `mark`. Afterwards the world is in the state after the step, or in the state before
 * the step if a rule needed that state.
 */
export async function judgeStep(
  base: LaneBase,
  { action, outcome, changed, mark }: RuledStep,
  settle: () => Awaitable<void>,
): Promise<StepRules> {
  const rules = new StepRules(base, { action, response: outcome.response, exchanges: [...base.stepper.exchanges], changed }, settle);
  await rules.judge();
  if (!rules.asksEarlier) return rules;
  await base.state.restore(mark);
  await rules.judgeEarlier(mark);
  return rules;
}

function isEarlier(said: unknown): said is Earlier {
  return typeof said === "object" && said !== null && typeof (said as { earlier?: unknown }).earlier === "function";
}

function isRestored(said: unknown): said is Restored {
  return typeof said === "object" && said !== null && typeof (said as { restored?: unknown }).restored === "function";
}

function guestsOf({ clients }: LaneBase["world"]): readonly ApiClient[] {
  const guests: ApiClient[] = [];
  for (let index = 0; Object.hasOwn(clients, guestRole(index)); index++) guests.push(clients[guestRole(index)]!);
  return guests;
}

async function sendAgain(
  { request }: ApiResponse,
  client: ApiClient,
  isOther: boolean,
  body: string | undefined = request.body,
): Promise<ApiResponse | undefined> {
  const part = clientPartOf(client);
  if (part === undefined || request.method === "CALL" || !/^https?:/.test(request.url)) return undefined;
  // seqqa stores bodies as text. In a body with bytes that are not text, this character replaces these bytes, so the body cannot be sent again
  // unchanged.
  if (body?.includes("\uFFFD") === true) return undefined;
  const headers = Object.entries(request.headers).filter(
    ([name]) => !NOT_SENT_AGAIN.has(name.toLowerCase()) && !(isOther && TELLS_SENDER.test(name)),
  );
  if (headers.some(([name, value]) => name.toLowerCase() === "content-type" && value.toLowerCase().startsWith("multipart/")))
    return undefined;
  const options = { headers: Object.fromEntries(headers), ...(body === undefined ? {} : { body }) };
  return part.request === undefined
    ? client.request(request.method, request.url, options)
    : part.request(request.method, request.url, options);
}
