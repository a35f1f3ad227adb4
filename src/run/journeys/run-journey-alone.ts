import { loadConfig } from "../../config/index.ts";
import { freshContext, runSteps, shownResult, shownStep } from "../../journeys/index.ts";
import { whereOf } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { clientPartOf } from "../../model/http/client.ts";
import type { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import { isLoading } from "../../model/declare/loading.ts";

/** Implements `journey.run()`: runs the steps against a target that is already running, without a lane. */
export async function runAlone(journey: JourneyDefinition<never, never>, given: unknown): Promise<JourneyResult> {
  if (isLoading()) {
    throw new SeqqaError(
      "JOURNEY_WHILE_LOADING",
      "A module calls run() of a journey at its top level, and seqqa is loading this module for a run.",
      {
        exitStatus: 2,
        hint: "Remove the call, or move it to a function or another file. seqqa run executes the journey itself.",
      },
    );
  }
  const { client, close } = await clientOf(journey, given);
  try {
    const ran = await runSteps({ journey, client, context: freshContext(journey.context) });
    const where = (stack: string): string | undefined => whereOf(Object.assign(new Error(), { stack }));
    return shownResult(
      journey.name,
      ran,
      ran.steps.map((step) => shownStep(step, where)),
    );
  } finally {
    await close();
  }
}

interface Client {
  readonly client: unknown;
  readonly close: () => unknown;
}

/** Returns the client that the caller gave, else the client of the journey, else a new client. */
async function clientOf(journey: JourneyDefinition<never, never>, given: unknown): Promise<Client> {
  const open = (client: unknown): Client => ({ client, close: () => undefined });
  if (given !== undefined) return open(given);
  if (journey.client !== undefined && typeof journey.client !== "function") return open(journey.client);
  const { baseUrl, timeout, retry, tls, proxy } = loadConfig({ directory: ".", allowedStores: "unopened" });
  if (typeof journey.client === "function") {
    const create = journey.client as (lane: object) => unknown;
    const client = await create({ index: 0, baseUrl: baseUrl ?? "", dbUrl: undefined, dbPath: undefined, systems: {}, tmpDir: "" });
    const close = (client as { close?: () => unknown } | null | undefined)?.close;
    return clientPartOf(client) === undefined || close === undefined ? open(client) : { client, close: () => close.call(client) };
  }
  if (baseUrl === undefined) {
    throw new SeqqaError("JOURNEY_WITHOUT_CLIENT", `Journey "${journey.name}" has no client.`, {
      exitStatus: 2,
      hint: "Pass a client to run(), set `client` in the Journey, or set base_url in seqqa.yaml or SEQQA_BASE_URL.",
    });
  }
  const { HttpClient } = await import("../../adapters/http/index.ts");
  const client = new HttpClient(baseUrl, { timeout, retry: retry ?? false, ca: tls.ca, proxy });
  return { client, close: () => client.close() };
}
