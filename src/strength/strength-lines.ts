import type { SpoiltPlace, Strength } from "./measure.ts";

/** Returns lines for a terminal that show how often rules noticed wrong data. The data that no rule noticed comes first. */
export function strengthLines(name: string, strength: Strength): readonly string[] {
  const { places } = strength;
  const missed = places.filter((place) => place.noticed < place.tried).toSorted((a, b) => a.noticed / a.tried - b.noticed / b.tried);
  const kept = places.filter((place) => place.noticed === place.tried);
  return [
    ...strengthSummary(name, strength),
    ...(missed.length === 0 ? [] : ["", "Not noticed", ...missed.flatMap(missedLines)]),
    ...(kept.length === 0
      ? []
      : ["", "Noticed each time", ...kept.map((place) => `  ${placeOf(place)}  by ${place.by.join(", ") || "an error of a rule"}`)]),
  ];
}

/**
 * Returns lines for a terminal with the share of wrong data that rules noticed, and with the numbers of states and wrong data that were not tried.
 */
export function strengthSummary(
  name: string,
  { tried, noticed, refused, failed, leftOut, unread, isCut }: Omit<Strength, "places">,
): readonly string[] {
  const percent =
    tried === 0
      ? isCut
        ? "seqqa wrote no wrong data"
        : "seqqa found no data that it could make wrong"
      : `rules noticed ${share(noticed, tried)} of ${tried} cases of wrong data`;
  return [
    `${name}: ${percent}${refused === 0 ? "" : `; the database refused ${refused} more ${refused === 1 ? "case" : "cases"}`}${isCut ? "; the time was up before seqqa had tried all cases" : ""}`,
    ...(failed.first === undefined
      ? []
      : [`seqqa could not write ${failed.count} ${failed.count === 1 ? "case" : "cases"} of wrong data, such as ${failed.first}`]),
    ...leftOutLines(leftOut),
    ...(unread === 0
      ? []
      : [`seqqa did not use some rows of ${unread} ${unread === 1 ? "state" : "states"}, because the run did not store them`]),
  ];
}

function leftOutLines({ states, rules }: Strength["leftOut"]): readonly string[] {
  if (states === 0) return [];
  const why =
    rules.length === 0 ? "their last action was not executed again" : `rules already break there without wrong data: ${rules.join(", ")}`;
  return [`seqqa left out ${states} ${states === 1 ? "state" : "states"}, because ${why}`];
}

function missedLines(place: SpoiltPlace): readonly string[] {
  const by = place.by.length === 0 ? "" : `, by ${place.by.join(", ")}`;
  const { missed } = place;
  return [
    `  ${placeOf(place)}  noticed ${place.noticed} of ${place.tried} times${by}`,
    ...(missed === undefined ? [] : [`      ${missed.what} after ${missed.path.join(" -> ")}`]),
  ];
}

const placeOf = ({ table, column, kind }: SpoiltPlace): string => `${column === null ? table : `${table}.${column}`}: ${kind}`;

/** Returns a share as a rounded percentage. Shares below 100 % are never rounded up to `100 %`. */
const share = (part: number, whole: number): string => `${part === whole ? 100 : Math.min(99, Math.round((100 * part) / whole))} %`;
