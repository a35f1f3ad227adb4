/** A piece of a string, once the run's own values (ids, times, the lane's URLs and paths) are separated from those of the state. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "time" }
  /** A placeholder for a value that only this lane has. */
  | { readonly kind: "mark"; readonly name: string }
  | IdPiece;

export interface IdPiece {
  readonly kind: "id";
  /** Equal for the same id in every notation (letter case and dashes of a UUID). */
  readonly key: string;
  /** The notation of the id. */
  readonly form: string;
  /** For ids that carry time: the kind, within which they are ordered. Empty for ids drawn at random. */
  readonly rank: string;
  /** The sort key within the kind. */
  readonly order: string;
}
