/** A piece of a string. Values of the run (ids, times, the lane's URLs and paths) are separate pieces. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "time" }
  /** A placeholder for a value that only this lane has. */
  | { readonly kind: "mark"; readonly name: string }
  | IdPiece;

export interface IdPiece {
  readonly kind: "id";
  /** A text that is equal for one id in every notation (letter case and dashes of a UUID). */
  readonly key: string;
  readonly form: string;
  /** The kind of an id that contains a time. Ids of one kind are ordered. Empty for random ids. */
  readonly rank: string;
  readonly order: string;
}
