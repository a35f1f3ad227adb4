import { pathToFileURL } from "node:url";
import { JourneyDefinition } from "../../model/declare/journey/journey.ts";
import { SeqqaError } from "../../model/errors.ts";
import { whileLoading } from "../../model/declare/loading.ts";
import { encodeError } from "../threads/error-codec.ts";
import { processesBehind } from "../threads/process-channel.ts";
import type { Answer } from "../threads/protocol.ts";
import { labelOutput } from "../user-output.ts";
import { JourneyLane } from "./journey-lane.ts";
import type { LaneFacts, LaneJourney } from "./journey-runner.ts";
import type { JourneyTask } from "./thread-journey-runner.ts";

labelOutput();
let lane: JourneyLane | undefined;

/** The entry point of the thread that runs journeys. Called once for each task. */
export default async function work(task: JourneyTask): Promise<Answer<LaneFacts | LaneJourney | undefined>> {
  try {
    return { kind: "done", value: await done(task) };
  } catch (error) {
    return { kind: "failed", error: encodeError(error) };
  }
}

async function done(task: JourneyTask): Promise<LaneFacts | LaneJourney | undefined> {
  switch (task.kind) {
    case "attach":
      lane = await JourneyLane.open(task.settings, task.spec, processesBehind(task.processes));
      return lane.facts;
    case "run": {
      const controller = new AbortController();
      task.cancel.on("message", () => controller.abort());
      try {
        return await lane!.run(await journeyOf(task.bundle), controller.signal, () => undefined);
      } finally {
        task.cancel.close();
      }
    }
    case "close":
      await lane?.close();
      lane = undefined;
      return undefined;
  }
}

async function journeyOf(bundle: string): Promise<JourneyDefinition<never, never>> {
  const { journey } = await whileLoading(async () => (await import(pathToFileURL(bundle).href)) as Record<string, unknown>);
  if (journey instanceof JourneyDefinition) return journey as JourneyDefinition<never, never>;
  throw new SeqqaError(
    "NO_JOURNEY",
    "When a worker thread of seqqa imported the module of the journey, the module did not export `journey`.",
    {
      exitStatus: 2,
      hint: "The export must exist in every thread. Write at the top level of the module, without a condition: export const journey = new Journey({ ... }).",
    },
  );
}
