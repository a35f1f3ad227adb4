import { createRequire } from "node:module";
import type { Faker } from "@faker-js/faker";
import { SeqqaError } from "../model/errors.ts";
import type { Stream } from "./stream.ts";

/** The date that generated dates refer to. The date is fixed, so that the data does not depend on the date of the run. */
export const REFERENCE_DATE = "2020-01-01T00:00:00.000Z";

let faker: Faker | undefined;
let current: Stream;

/**
 * Returns the thread's only Faker, and makes it take its random numbers from `stream` until the next call. Callers must use the Faker immediately,
 * without awaiting in between. All steps share one Faker, because creating a Faker is slow. The first call loads the package synchronously (30 to 60
 * ms), because data is drawn without awaiting.
 * @throws SeqqaError `DATA_UNAVAILABLE`
 */
export function fakerOn(stream: Stream): Faker {
  current = stream;
  return (faker ??= create());
}

function create(): Faker {
  const english = load();
  const Constructor = english.constructor as new (options: object) => Faker;
  const randomizer = { next: (): number => current.next(), seed: (): void => undefined };
  const created = new Constructor({ locale: english.rawDefinitions, randomizer });
  created.setDefaultRefDate(REFERENCE_DATE);
  return created;
}

function load(): Faker {
  try {
    const loaded = createRequire(import.meta.url)("@faker-js/faker/locale/en") as { readonly faker: Faker };
    return loaded.faker;
  } catch (cause) {
    throw new SeqqaError("DATA_UNAVAILABLE", "seqqa cannot generate test data, because Node cannot load the package @faker-js/faker.", {
      hint: "Use Node 20.19, 22.13 or newer, which this package needs. If your Node is new enough, reinstall seqqa: npm install.",
      cause,
    });
  }
}
