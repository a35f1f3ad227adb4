/** A configuration value together with the place where the user wrote it: the file, a flag or an environment variable. */
export type Located = LocatedScalar | LocatedList | LocatedMap;

export interface Place {
  /** The place of the value in messages: `seqqa.yaml:3:5`, `--max-steps` or `SEQQA_TIMEOUT`. */
  readonly where: string;
  /** The origin of the value: `file seqqa.yaml:3:5`, `flag --max-steps`, `environment SEQQA_TIMEOUT` or `default`. */
  readonly source: string;
  readonly base: string;
}

export interface LocatedScalar extends Place {
  readonly kind: "scalar";
  readonly value: unknown;
  /**
   * The text that the user wrote, for example `007` for the number 7, or `${NAME}`. Messages show this text, so they never show values of environment
   * variables.
   */
  readonly written: string;
  /**
   * `true` if the value comes from a flag, an environment variable or a reference `${NAME}`, where every value is a text. Such a text may stand for a
   * number, for example `"7"`.
   */
  readonly fromText: boolean;
}

export interface LocatedList extends Place {
  readonly kind: "list";
  readonly items: readonly Located[];
}

export interface LocatedMap extends Place {
  readonly kind: "map";
  readonly entries: readonly LocatedEntry[];
}

export interface LocatedEntry {
  readonly key: string;
  readonly where: string;
  readonly value: Located;
}

/** Converts plain data, such as a default, to a value with a place for messages. */
export function locate(value: unknown, place: Place): Located {
  if (Array.isArray(value)) return { kind: "list", ...place, items: value.map((item: unknown) => locate(item, place)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, member]) => ({ key, where: place.where, value: locate(member, place) }));
    return { kind: "map", ...place, entries };
  }
  return { kind: "scalar", ...place, value, written: String(value), fromText: false };
}
