/** The effect of a statement on the transaction in which it is executed. */
export type Statement =
  /** `opens`: the statement begins a transaction if autocommit is off. */
  | { readonly kind: "ordinary"; readonly opens: boolean; readonly writes: boolean }
  | { readonly kind: "begin"; readonly readOnly: boolean }
  | { readonly kind: "commit" | "rollback"; readonly chain: boolean }
  /** A statement about the target's own savepoints. */
  | { readonly kind: "savepoint" | "release" | "rollback to" }
  /** `rest`: a SET statement with the other settings of the original one. */
  | { readonly kind: "autocommit"; readonly on: boolean; readonly rest: string | undefined }
  /** SET TRANSACTION, which applies to the next transaction only. */
  | { readonly kind: "set transaction"; readonly readOnly: boolean }
  | { readonly kind: "nothing" }
  | { readonly kind: "create temporary"; readonly name: string; readonly replaces: boolean }
  | { readonly kind: "drop temporary"; readonly names: readonly string[] }
  /** A call of a procedure or a prepared text, which may contain a COMMIT or DDL that cannot be seen here. */
  | { readonly kind: "opaque" }
  /** A statement that would end the exploring transaction. */
  | { readonly kind: "refused"; readonly what: string; readonly why: string; readonly instead: string };
