import { join } from "node:path";
import type { Config } from "../../config/index.ts";
import { filesBelow } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { FoundJourney, FoundJourneys, JourneyFile } from "./journey-run.ts";
import { loadJourney } from "../prepare/load-journey.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

const JOURNEY = /\.(?:ts|mts|js|mjs)$/;
const NOT_ONE = /\.d\.m?ts$|\.explore\.\w+$/;

/**
 * Finds the journeys in the folder `journeys`, which is beside the configuration file, or in the current folder if there is no configuration file.
 * @throws SeqqaError `JOURNEY_NAME_TWICE` if two files contain journeys of the same name
 */
export async function findJourneys(config: Config): Promise<FoundJourneys> {
  const files = await journeyFiles(join(config.folder, "journeys"));
  if (files.length === 0) return { journeys: [], unusable: [] };
  const journeys: FoundJourney[] = [];
  const unusable: { readonly file: string; readonly error: SeqqaError }[] = [];
  await withRunDirectory(async (directory) => {
    for (const file of files) {
      try {
        const { journey } = await loadJourney(file, directory);
        journeys.push({ file, name: journey.name, steps: journey.steps.length });
      } catch (error) {
        if (!(error instanceof SeqqaError)) throw error;
        unusable.push({ file, error });
      }
    }
  });
  refuseTwice(journeys);
  return { journeys, unusable };
}

async function journeyFiles(folder: string): Promise<readonly string[]> {
  try {
    return await filesBelow(folder, (name) => JOURNEY.test(name) && !NOT_ONE.test(name));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw new SeqqaError("JOURNEYS_UNREADABLE", `seqqa cannot read the folder of journeys ${folder}: ${message}.`, {
      exitStatus: 2,
      hint: "Allow the current user to read the folder.",
      cause,
    });
  }
}

function refuseTwice(journeys: readonly JourneyFile[]): void {
  const files = new Map<string, string>();
  for (const { name, file } of journeys) {
    const other = files.get(name);
    if (other !== undefined) {
      throw new SeqqaError("JOURNEY_NAME_TWICE", `${other} and ${file} both define a journey named "${name}".`, {
        exitStatus: 2,
        hint: "Give one of the journeys another name.",
      });
    }
    files.set(name, file);
  }
}
