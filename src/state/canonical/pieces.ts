/**
 * What a string is made of, once what is the run's own (ids, times, the lane's URLs and paths) is told apart from what is
 * the state's.
 */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "time" }
  /** A placeholder for something of the lane. */
  | { readonly kind: "mark"; readonly name: string }
  | IdPiece;

export interface IdPiece {
  readonly kind: "id";
  /** Equal for the same id, however it is written (letter case and dashes of a UUID). */
  readonly key: string;
  /** How it is written. */
  readonly form: string;
  /** Ids that carry time: the kind, within which they are ordered. Empty for ids drawn at random. */
  readonly rank: string;
  /** What they are ordered by. */
  readonly order: string;
}
