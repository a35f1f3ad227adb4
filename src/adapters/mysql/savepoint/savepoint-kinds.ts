/** The meaning of a statement for the transaction that it runs in. */
export type Statement =
  /** `opens`: begins a transaction where autocommit is off. */
  | { readonly kind: "ordinary"; readonly opens: boolean; readonly writes: boolean }
  | { readonly kind: "begin"; readonly readOnly: boolean }
  | { readonly kind: "commit" | "rollback"; readonly chain: boolean }
  /** Concerns the target's own savepoints. */
  | { readonly kind: "savepoint" | "release" | "rollback to" }
  /** `rest`: the other settings of the same statement. */
  | { readonly kind: "autocommit"; readonly on: boolean; readonly rest: string | undefined }
  /** Concerns the next transaction only. */
  | { readonly kind: "set transaction"; readonly readOnly: boolean }
  | { readonly kind: "nothing" }
  | { readonly kind: "create temporary"; readonly name: string; readonly replaces: boolean }
  | { readonly kind: "drop temporary"; readonly names: readonly string[] }
  /** May hold a COMMIT or DDL that cannot be seen from here: a procedure, a prepared text. */
  | { readonly kind: "opaque" }
  /** Would end or leave the transaction that explores. */
  | { readonly kind: "refused"; readonly what: string; readonly why: string; readonly instead: string };
