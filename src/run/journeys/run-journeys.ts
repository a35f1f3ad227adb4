import { InlineJourneyRunner } from "../../lane-pools/journeys/inline-journey-runner.ts";
import type { JourneyRunner, JourneySettings } from "../../lane-pools/journeys/journey-runner.ts";
import type { Config } from "../../config/index.ts";
import { laneOptions, openHost } from "../lanes/open-lanes.ts";
import { httpSettings } from "../prepare/http-settings.ts";
import { JourneyLanes } from "./journey-lanes.ts";
import type { JourneyRun, RunJourneysInput } from "./journey-run.ts";
import { loadJourney, type LoadedJourney } from "../prepare/load-journey.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

/**
 * Runs journeys on lanes, each from the root state and with its own context and client. Stores are restored after each journey. Results are in the
 * order of the journeys and do not depend on the number of lanes. Journeys that were never started (`bail`, an interruption) are left out.
 *
 * @throws SeqqaError if a lane does not start, or a file cannot be loaded
 */
export async function runJourneys(input: RunJourneysInput): Promise<readonly JourneyRun[]> {
  const { journeys, config, signal } = input;
  if (journeys.length === 0 || signal.aborted) return [];
  return withRunDirectory(async (directory) => {
    const loaded: LoadedJourney[] = [];
    for (const { file } of journeys) loaded.push(await loadJourney(file, directory));
    const lanes = Math.min(config.parallel, journeys.length);
    const host = await openHost(config, { directory, lanes, coverage: input.coverageFolder });
    try {
      const settings = settingsOf(config);
      // The packages of a `target.module` keep data in the memory of their thread. The module therefore runs in a thread that ends with its lane.
      const isInline = lanes === 1 && config.target?.module === undefined;
      const Runner = isInline
        ? InlineJourneyRunner
        : (await import("../../lane-pools/journeys/thread-journey-runner.ts")).ThreadJourneyRunner;
      const runners = Array.from({ length: lanes }, (): JourneyRunner => new Runner(settings, host));
      return await new JourneyLanes(input, loaded, host, runners).run();
    } finally {
      await host.close();
    }
  });
}

function settingsOf(config: Config): JourneySettings {
  return { options: { ...laneOptions(config, { shapes: false, hideBodies: false }), serverErrors: "ignore" }, http: httpSettings(config) };
}
