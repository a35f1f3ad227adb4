import { setTimeout as sleep } from "node:timers/promises";
import { freshContext, runSteps, skippedSteps, type RanStep, type RanSteps } from "../../journeys/index.ts";
import { isAt, LaneLost, type LaneBase } from "../../lane/index.ts";
import { Action } from "../../model/declare/action.ts";
import { AgentDefinition } from "../../model/declare/agent.ts";
import type { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import type { Lane } from "../../model/declare/lane.ts";
import { World } from "../../model/declare/world.ts";
import { differences } from "../../state/index.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import { buildLane } from "../build-lane.ts";
import type { BuiltLane, ProcessHost } from "../lane-factory.ts";
import type { JourneySettings, LaneFacts, LaneJourney } from "./journey-runner.ts";
import { clientPartOf, rejectedCookiesOf } from "../../model/http/client.ts";
import { SeqqaError } from "../../model/errors.ts";

interface SharedClient {
  readonly client: unknown;
  /** Called after the journey. Restores a client that later journeys also use. Closes any other client. */
  readonly leave: () => Promise<void>;
}

/** An action that is never executed. A lane needs an agent, and an agent needs at least one action. */
const NOBODYS = new Action<never, never>({ name: "journey", run: () => Promise.resolve(null) });
/** How long to wait for the target to finish the work of a cancelled request, in milliseconds. */
const LAST_WRITES = 200;
/** How often the stores are restored until they are as before the journey. */
const RESTORES = 3;

/** A lane in this thread that runs journeys. Each journey begins in the lane's root state, and the root state is restored afterwards. */
export class JourneyLane {
  readonly facts: LaneFacts;
  readonly #built: BuiltLane;
  readonly #lane: Lane;
  readonly #settleMs: number;
  readonly #rootLines: readonly string[];
  readonly #strays: unknown[] = [];
  readonly #stray = (error: unknown): void => {
    // Cancelled user code may continue to send requests. seqqa refuses these requests, and the resulting errors do not belong to the journey.
    if ((error as { readonly code?: unknown } | null)?.code !== "REQUEST_CANCELLED") this.#strays.push(error);
  };

  private constructor(built: BuiltLane, lane: Lane, settleMs: number, rootLines: readonly string[]) {
    this.#built = built;
    this.#lane = lane;
    this.#settleMs = settleMs;
    this.#rootLines = rootLines;
    this.facts = { contextOnly: built.base.report.contextOnly };
    process.on("unhandledRejection", this.#stray);
    // Assign errors in timers and listeners of user code to the current step. An unassigned error would end the process before stores are restored.
    process.on("uncaughtException", this.#stray);
  }

  /** Builds a lane and brings it to its root state. @throws SeqqaError */
  static async open({ options, http }: JourneySettings, spec: LaneSpec, processes: Partial<ProcessHost> | undefined): Promise<JourneyLane> {
    let lane: Lane | undefined;
    const world = (given: Lane): World<never, never> => {
      lane = given;
      return new World<never, never>();
    };
    const definition = new AgentDefinition<never, never>({ world, actions: [NOBODYS], invariants: [] });
    const built = await buildLane({ definition, options, http, processes }, spec);
    return new JourneyLane(built, lane!, options.settleMs, await linesOf(built.base));
  }

  async run(journey: JourneyDefinition<never, never>, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney> {
    const late = !(await this.#atRoot());
    if (late) await this.#built.base.home.again();
    this.#strays.length = 0;
    let client: Awaited<ReturnType<typeof clientFor>>;
    try {
      client = await clientFor(journey, this.#lane);
    } catch (error) {
      return { ran: skippedSteps(journey), failure: failureOf(error), late, rejectedCookies: [], notPutBack: undefined };
    }
    let ran: RanSteps;
    let rejectedCookies: readonly string[] = [];
    try {
      const strays = (): readonly unknown[] => this.#strays.splice(0);
      const steps = { journey, client: client.client, context: freshContext(journey.context), signal, strays, onStep };
      ran = await this.#built.base.state.asks.during(() => runSteps(steps));
    } finally {
      rejectedCookies = rejectedCookiesOf([client.client]);
      await client.leave();
    }
    return { ran, failure: undefined, late, rejectedCookies, notPutBack: await this.#putBack(ran.unfinished) };
  }

  async close(): Promise<void> {
    process.off("unhandledRejection", this.#stray);
    process.off("uncaughtException", this.#stray);
    await this.#built.close();
  }

  async #putBack(unfinished: boolean): Promise<LaneJourney["notPutBack"]> {
    const { home } = this.#built.base;
    const wait = Math.max(this.#settleMs, unfinished ? LAST_WRITES : 0);
    if (wait > 0) await sleep(wait);
    try {
      // A timer of the target may write between the restore and the comparison.
      for (let left = RESTORES; left > 0; left--) {
        await home.again().catch((error: unknown) => {
          if (!(error instanceof LaneLost) || left === 1) throw error;
        });
        if (await this.#atRoot()) return undefined;
      }
      const found = differences(this.#rootLines, await linesOf(this.#built.base));
      return {
        message: "After the journey, seqqa restored the stores, but their data differ from the data before the journey",
        differences: found,
      };
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return {
        message: `seqqa could not restore the stores after the journey: ${said}`,
        differences: (error as { differences?: string[] }).differences ?? [],
      };
    }
  }

  #atRoot(): Promise<boolean> {
    const { base } = this.#built;
    return isAt(base, base.home.facts.node);
  }
}

async function linesOf({ state, canonicalizer }: LaneBase): Promise<readonly string[]> {
  return canonicalizer.describe(await state.facts());
}

function failureOf(error: unknown): LaneJourney["failure"] {
  if (!(error instanceof Error))
    return { code: "CLIENT_THREW", message: `The function \`client\` of the journey threw ${String(error)}.`, stack: undefined };
  const { code, hint, message, stack } = error as Error & { readonly code?: unknown; readonly hint?: string };
  if (error.name !== "SeqqaError")
    return { code: "CLIENT_THREW", message: `The function \`client\` of the journey threw an error: ${message}`, stack };
  return { code: String(code), message: hint === undefined ? message : `${message} ${hint}`, stack };
}

/** Returns the client that a journey uses. @throws SeqqaError `JOURNEY_*`, and errors of the user's factory function */
async function clientFor(journey: JourneyDefinition<never, never>, lane: Lane): Promise<SharedClient> {
  const own: unknown = journey.client;
  if (own === undefined) return made(await defaultClient(journey, lane));
  if (typeof own === "function") return made(await (own as (lane: Lane) => unknown)(lane));
  const part = clientPartOf(own);
  if (part?.uses !== undefined && lane.baseUrl !== "" && part.uses !== new URL(lane.baseUrl).origin) {
    throw new SeqqaError(
      "JOURNEY_CLIENT_ELSEWHERE",
      `The client of journey "${journey.name}" sends its requests to ${part.uses}, but the lane's target is at ${lane.baseUrl}.`,
      { exitStatus: 2, hint: "Write `client: (lane) => new HttpClient(lane.baseUrl)`, or remove `client` from the journey." },
    );
  }
  const saved = part?.save();
  return { client: own, leave: () => Promise.resolve(part?.restore(saved)) };
}

async function defaultClient(journey: JourneyDefinition<never, never>, { baseUrl, fetch }: Lane): Promise<unknown> {
  const { HttpClient } = await import("../../adapters/http/index.ts");
  if (fetch !== undefined) return new HttpClient(fetch);
  if (baseUrl !== "") return new HttpClient(baseUrl);
  throw new SeqqaError(
    "JOURNEY_WITHOUT_CLIENT",
    `Journey "${journey.name}" cannot send requests, because it has no \`client\` and seqqa.yaml names no target.`,
    {
      exitStatus: 2,
      hint: "Set base_url or target.command in seqqa.yaml, or give the journey a `client`.",
    },
  );
}

function made(client: unknown): SharedClient {
  return {
    client,
    leave: async () => {
      const close = (client as { close?: () => unknown } | null | undefined)?.close;
      if (clientPartOf(client) !== undefined && typeof close === "function") await close.call(client);
    },
  };
}
