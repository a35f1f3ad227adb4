import { clientPartOf } from "../../model/http/client.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { JourneyDefinition } from "../../model/declare/journey.ts";
import type { Lane } from "../../model/declare/lane.ts";

export interface SharedClient {
  readonly client: unknown;
  /** Restores a client that the next journey also uses, and closes one that was made for this journey. */
  readonly leave: () => Promise<void>;
}

/** Returns the client of one run of a journey. @throws SeqqaError `JOURNEY_*`, and errors of the user's factory */
export async function clientFor(journey: JourneyDefinition<never, never>, lane: Lane): Promise<SharedClient> {
  const own: unknown = journey.client;
  if (own === undefined) return made(await defaultClient(journey, lane));
  if (typeof own === "function") return made(await (own as (lane: Lane) => unknown)(lane));
  const part = clientPartOf(own);
  if (part?.uses !== undefined && lane.baseUrl !== "" && part.uses !== new URL(lane.baseUrl).origin) {
    throw new SeqqaError(
      "JOURNEY_CLIENT_ELSEWHERE",
      `The client of journey "${journey.name}" goes to ${part.uses}, and the lane's target is at ${lane.baseUrl}.`,
      { exitStatus: 2, hint: "Write client: (lane) => new HttpClient(lane.baseUrl), or leave it out." },
    );
  }
  const saved = part?.save();
  return { client: own, leave: () => Promise.resolve(part?.restore(saved)) };
}

async function defaultClient(journey: JourneyDefinition<never, never>, { baseUrl, fetch }: Lane): Promise<unknown> {
  const { HttpClient } = await import("../../adapters/http/index.ts");
  if (fetch !== undefined) return new HttpClient(fetch);
  if (baseUrl !== "") return new HttpClient(baseUrl);
  throw new SeqqaError("JOURNEY_WITHOUT_CLIENT", `Journey "${journey.name}" has no client, and there is no target.`, {
    exitStatus: 2,
    hint: "Set base_url or target in seqqa.yaml, or give the journey a `client`.",
  });
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
