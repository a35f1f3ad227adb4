/** A value together with the place where it was written. Values of the file, the flags, the environment and the defaults all have this form. */
export type Located = LocatedScalar | LocatedList | LocatedMap;

export interface Place {
  /** The place in messages: `seqqa.yaml:3:5`, `--max-steps`, `SEQQA_TIMEOUT`. */
  readonly where: string;
  /** The origin in `Config.sources`: `file seqqa.yaml:3:5`, `flag --max-steps`, `environment SEQQA_TIMEOUT`, `default`. */
  readonly source: string;
  readonly base: string;
}

export interface LocatedScalar extends Place {
  readonly kind: "scalar";
  readonly value: unknown;
  /**
   * The source text, for example `007` for the number 7. Messages show it instead of the value, so that values of environment variables never appear
   * in messages.
   */
  readonly written: string;
  /** `true` if the value is text only because of its origin (a flag, the environment, `${NAME}`). Then `"7"` may be used as a number. */
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

/** Returns seqqa's own plain data, such as a default, as {@link Located}. */
export function locate(value: unknown, place: Place): Located {
  if (Array.isArray(value)) return { kind: "list", ...place, items: value.map((item: unknown) => locate(item, place)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, member]) => ({ key, where: place.where, value: locate(member, place) }));
    return { kind: "map", ...place, entries };
  }
  return { kind: "scalar", ...place, value, written: String(value), fromText: false };
}
