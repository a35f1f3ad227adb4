/** A piece of a string. Ids, times, and values that only this lane has (URLs, ports, paths) are separate pieces. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "time" }
  /** A value that only this lane has, replaced by a placeholder. */
  | { readonly kind: "mark"; readonly name: string }
  | IdPiece;

export interface IdPiece {
  readonly kind: "id";
  /** The lookup key of the id: equal for all notations of the same id (letter case and dashes of a UUID). */
  readonly key: string;
  readonly form: string;
  /** The format of an id that contains a time, such as ULID; empty for random ids. Ids of one format can be ordered by time. */
  readonly rank: string;
  readonly order: string;
}
