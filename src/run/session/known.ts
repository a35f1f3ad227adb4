import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult, Race, Violation } from "../../model/results/result.ts";
import {
  absenceOf,
  GraphReader,
  idsOf,
  raceName,
  raceText,
  resultJson,
  violationText,
  type Absence,
  type ReportedExploration,
  type ReportedKnown,
} from "../../reports/index.ts";
import { readKnownFindings, updateKnownFindings, type KnownEntry, type KnownFindings } from "../../run-log/index.ts";
import { shownPath } from "../../reports/console/text/shown-path.ts";

export interface Extent {
  /** `true` if every exploration below the configuration's folder was explored completely and without a failure. */
  readonly whole: boolean;
  readonly interrupted: boolean;
}

/** The list of known findings (`known_findings`) that a run reads and may update. */
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
   * Reads the list of known findings; `undefined` if the configuration names no list.
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

  /** Returns `true` if the list contains a violation, or if an update will add it. */
  isKnown(violation: Violation): boolean {
    return idsOf(violation).every((id) => this.ids.has(id)) || (this.#update && violation.confirmed);
  }

  /** Returns `true` if the list contains a race, or if an update will add it. */
  isKnownRace({ id }: Race): boolean {
    return this.ids.has(id) || this.#update;
  }

  /** Returns which findings of the list occurred in this run and which did not. Writes the list if an update was requested. */
  conclude(explorations: readonly ReportedExploration[], extent: Extent): ReportedKnown {
    const found = explorations.flatMap(({ name, result }) => [
      ...result.violations
        .filter(({ known }) => known)
        .flatMap((one) => idsOf(one).map((id) => ({ id, exploration: name, finding: one.invariant, path: one.reproductionPath }))),
      ...result.races
        .filter(({ known }) => known)
        .map((race) => ({ id: race.id, exploration: name, finding: raceName(race), path: race.prefix })),
    ]);
    const ids = new Set(found.map(({ id }) => id));
    // A finding of several actions has an id for each action, and the list may contain only some of these ids. If the finding occurs, all its ids
    // count as present.
    const present = new Set([...ids, ...explorations.flatMap(({ result }) => result.violations.flatMap(idsOf))]);
    const gone = this.#list.entries.filter(({ id }) => !present.has(id));
    const graphs = new Map<ExplorationResult, GraphReader>();
    const absence = (result: ExplorationResult, entry: KnownEntry): Absence =>
      absenceOf(result, entry, (path) => {
        const graph = graphs.get(result) ?? new GraphReader(result);
        graphs.set(result, graph);
        return graph.hasPath(path);
      });
    const absences = new Map(gone.map((entry) => [entry, absenceIn(explorations, extent, entry, absence)]));
    const those = (wanted: Absence): readonly string[] => gone.filter((one) => absences.get(one) === wanted).map(({ id }) => id);
    const [stale, unseen, unchecked] = [those("gone"), those("unseen"), those("unchecked")];
    const told = { file: this.#shown, found: [...ids], stale, unseen, ...(unchecked.length > 0 && { unchecked }) };
    if (!this.#update || extent.interrupted) return told;
    const updated = updateKnownFindings(this.#list.file, { found, stale });
    return { ...told, stale: [], updated };
  }
}

/** Returns the reason why a listed finding did not occur in the run; `undefined` if the finding's exploration was not run. */
function absenceIn(
  explorations: readonly ReportedExploration[],
  { whole }: Extent,
  entry: KnownEntry,
  absence: (result: ExplorationResult, entry: KnownEntry) => Absence,
): Absence | undefined {
  const { exploration } = entry;
  const ran = exploration === undefined ? explorations : explorations.filter(({ name }) => name === exploration);
  if (exploration !== undefined && ran.length === 0) return whole ? "gone" : undefined;
  const absences = ran.map(({ result }) => absence(result, entry));
  if (absences.includes("unseen") || (exploration === undefined && !whole)) return "unseen";
  // An entry that names no exploration can refer to any of them. It is unchecked only if the rule or a call of the finding exists in none of them.
  return absences.length === 0 || absences.includes("gone") ? "gone" : "unchecked";
}

/**
 * Sets `known` for the violations and races of a result that the list contains, or that an update will add to the list. Removes `known` from all
 * other findings, because a stored result may contain the marks of an earlier list.
 */
export function marked(result: ExplorationResult, known: Known | undefined): ExplorationResult {
  const violations = result.violations.map((violation) => {
    const isKnown = known?.isKnown(violation) === true;
    if (isKnown === (violation.known === true)) return violation;
    const own = { ...violation, known: isKnown ? (true as const) : undefined };
    return { ...own, toString: () => violationText(own) };
  });
  const races = result.races.map((race) => {
    const isKnown = known?.isKnownRace(race) === true;
    if (isKnown === (race.known === true)) return race;
    const own = { ...race, known: isKnown ? (true as const) : undefined };
    return { ...own, toString: () => raceText(own) };
  });
  const isUnchanged =
    violations.every((one, index) => one === result.violations[index]) && races.every((one, index) => one === result.races[index]);
  if (isUnchanged) return result;
  const all = { ...result, violations, races };
  return { ...all, toJSON: () => resultJson(all) };
}
