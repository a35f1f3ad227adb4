/** The effect that a statement has on the transaction in which it is executed. */
export type Statement =
  /** A statement without effect on transactions. `opens`: with autocommit off, the statement begins a transaction. */
  | { readonly kind: "ordinary"; readonly opens: boolean; readonly writes: boolean }
  | { readonly kind: "begin"; readonly readOnly: boolean }
  | { readonly kind: "commit" | "rollback"; readonly chain: boolean }
  /** A statement that sets, releases or rolls back to a savepoint of the target. */
  | { readonly kind: "savepoint" | "release" | "rollback to" }
  /** A statement that sets autocommit. `rest`: a SET statement with the other settings that the same statement contained. */
  | { readonly kind: "autocommit"; readonly on: boolean; readonly rest: string | undefined }
  /** SET TRANSACTION, which applies only to the next transaction. */
  | { readonly kind: "set transaction"; readonly readOnly: boolean }
  | { readonly kind: "nothing" }
  | { readonly kind: "create temporary"; readonly name: string; readonly replaces: boolean }
  | { readonly kind: "drop temporary"; readonly names: readonly string[] }
  /** A CALL, or an EXECUTE of a prepared text. Such a statement may contain a COMMIT or DDL that its text does not show. */
  | { readonly kind: "opaque" }
  /** A statement that is not sent, because it would end the exploring transaction. */
  | { readonly kind: "refused"; readonly what: string; readonly why: string; readonly instead: string };
