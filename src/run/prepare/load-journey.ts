import { bundle, load } from "../../loader/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { JourneyDefinition } from "../../model/declare/journey/journey.ts";

export interface LoadedJourney {
  /** The path of the bundled journey file, from which other threads import the journey. */
  readonly bundle: string;
  readonly journey: JourneyDefinition<never, never>;
}

/** Bundles and imports a journey file. @param directory The directory for the bundle. @throws SeqqaError `LOAD_*`, `NO_JOURNEY` */
export async function loadJourney(file: string, directory: string): Promise<LoadedJourney> {
  const bundled = await bundle(file, { outDir: directory });
  const exported = await load(bundled);
  const { journey } = exported;
  if (journey instanceof JourneyDefinition) return { bundle: bundled.file, journey: journey as JourneyDefinition<never, never> };
  const names = Object.keys(exported);
  const found =
    journey !== undefined
      ? "exports a `journey` that is not a Journey"
      : names.length === 0
        ? "exports nothing"
        : `exports ${names.join(", ")}`;
  throw new SeqqaError("NO_JOURNEY", `${file} ${found}, but a journey file must export \`journey\`.`, {
    exitStatus: 2,
    hint: 'Write: export const journey = new Journey({ name, steps }), with Journey imported from "seqqa". Move modules that only help journeys out of the folder journeys.',
  });
}
