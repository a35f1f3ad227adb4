import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import {
  idsOf,
  raceName,
  raceText,
  resultJson,
  violationText,
  wouldHaveFound,
  type ReportedExploration,
  type ReportedKnown,
} from "../../reports/index.ts";
import { readKnownFindings, updateKnownFindings, type KnownEntry, type KnownFindings } from "../../run-log/index.ts";
import { shownPath } from "../../reports/console/shown-path.ts";

export interface Extent {
  /** `true` if every exploration below the configuration's folder was explored completely and without a failure. */
  readonly whole: boolean;
  readonly interrupted: boolean;
}

/** The list of known findings, as one run uses it. */
export class Known {
  readonly #list: KnownFindings;
  readonly #shown: string;
  readonly #update: boolean;
  /** The ids of the findings in the list. */
  readonly ids: ReadonlySet<string>;

  private constructor(list: KnownFindings, shown: string, update: boolean) {
    this.#list = list;
    this.#shown = shown;
    this.#update = update;
    this.ids = new Set(list.entries.map(({ id }) => id));
  }

  /**
   * Reads the list of known findings; `undefined` if the configuration names none.
   * @throws SeqqaError if the list is invalid, or if `update` is set and no file is configured
   */
  static read({ knownFindings, file }: Config, update: boolean, cwd: string): Known | undefined {
    if (knownFindings === undefined) {
      if (!update) return undefined;
      throw new SeqqaError("USAGE", "--update-known cannot write the findings, because the configuration does not set known_findings.", {
        exitStatus: 2,
        hint: `Add to ${file === undefined ? "seqqa.yaml" : shownPath(file, cwd)}: known_findings: ./known.yaml`,
      });
    }
    const shown = shownPath(knownFindings, cwd);
    return new Known(readKnownFindings(knownFindings, shown, update), shown, update);
  }

  /** Sets `known` for the violations and races of a result that the list contains, or that an update will add to the list. */
  mark(result: ExplorationResult): ExplorationResult {
    const violations = result.violations.map((violation) => {
      if (!idsOf(violation).every((id) => this.ids.has(id)) && !(this.#update && violation.confirmed)) return violation;
      const known = { ...violation, known: true as const };
      return { ...known, toString: () => violationText(known) };
    });
    const races = result.races.map((race) => {
      if (!this.ids.has(race.id) && !this.#update) return race;
      const known = { ...race, known: true as const };
      return { ...known, toString: () => raceText(known) };
    });
    const marked = { ...result, violations, races };
    return { ...marked, toJSON: () => resultJson(marked) };
  }

  /** Returns which findings of the list occurred in this run and which did not. Writes the list if an update was requested. */
  conclude(explorations: readonly ReportedExploration[], extent: Extent): ReportedKnown {
    const found = explorations.flatMap(({ name, result }) => [
      ...result.violations
        .filter(({ known }) => known)
        .flatMap((one) => idsOf(one).map((id) => ({ id, exploration: name, finding: one.invariant }))),
      ...result.races.filter(({ known }) => known).map((race) => ({ id: race.id, exploration: name, finding: raceName(race) })),
    ]);
    const ids = new Set(found.map(({ id }) => id));
    // A finding of several actions has an id for each of them, and the list may contain only some of these ids. If the finding occurs, all its ids
    // count as present.
    const present = new Set([...ids, ...explorations.flatMap(({ result }) => result.violations.flatMap(idsOf))]);
    const gone = this.#list.entries.filter(({ id }) => !present.has(id));
    const sure = (entry: KnownEntry): boolean | undefined => {
      const { exploration } = entry;
      const ran = exploration === undefined ? explorations : explorations.filter(({ name }) => name === exploration);
      if (exploration !== undefined && ran.length === 0) return extent.whole ? true : undefined;
      return (exploration !== undefined || extent.whole) && ran.every(({ result }) => wouldHaveFound(result, entry));
    };
    const stale = gone.filter((entry) => sure(entry) === true).map(({ id }) => id);
    const unseen = gone.filter((entry) => sure(entry) === false).map(({ id }) => id);
    if (!this.#update || extent.interrupted) return { file: this.#shown, found: [...ids], stale, unseen };
    const updated = updateKnownFindings(this.#list.file, { found, stale });
    return { file: this.#shown, found: [...ids], stale: [], unseen, updated };
  }
}
