import type { Resource } from "../../model/declare/resource.ts";
import type { Operation } from "../../openapi/operations/description.ts";

/** What is to be written: every operation as an action, and what was inferred of how they hang together. */
export interface ScaffoldPlan {
  readonly title: string;
  /** For `base_url`; `undefined` where the description names no server that can be asked. */
  readonly baseUrl: string | undefined;
  /** What stands before all paths, e.g. `/v1`; `undefined`: nothing. Not part of `base_url` then: a target that seqqa starts has it, too. */
  readonly basePath?: string | undefined;
  /** In the order of creation: who produces comes before who needs it, deletes come last. Names are unique. */
  readonly actions: readonly PlannedAction[];
  /** Keys of the context with the type of their values, in the order in which they are produced; then those that nothing produces, which the user has to set: `notInferred` says so. */
  readonly keys: readonly PlannedKey[];
  readonly resources: readonly Resource[];
  readonly login: PlannedLogin | undefined;
  /** What nothing in the description says; the place to write it is in the text. */
  readonly notInferred: readonly NotInferred[];
  /** Path parameters of all operations, and how many of them have a producer. */
  readonly pathParameters: { readonly all: number; readonly inferred: number };
  /** Of a GraphQL API: its endpoint below `base_url`, e.g. `/graphql`. What `pathParameters` counts are then arguments that take ids; there are no `resources`. */
  readonly graphql?: { readonly path: string } | undefined;
  /** Of the description, passed on. */
  readonly warnings: readonly string[];
}

export interface PlannedKey {
  /** A name such as `order_id`: letters, digits and `_`, no method of a context. */
  readonly key: string;
  readonly type: "string" | "number" | "unknown";
}

export interface PlannedAction {
  readonly operation: Operation;
  /** snake_case: `[a-z][a-z0-9_]*`. */
  readonly name: string;
  /** The file that it goes to, without `.ts`: `[a-z0-9-]+`, no name that a file system treats in a special way. */
  readonly group: string;
  readonly kind: "create" | "list" | "read" | "update" | "delete" | "other";
  /** The name of a resource of the plan. */
  readonly resource: string | undefined;
  /**
   * Values of the parameters that are sent: all of the path, those required of the others, and optional ones for which a key is known, but for `GET` and `HEAD`: a filter hides what else
   * there is. Never of `Authorization`, nor of an API's key.
   */
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  /** Keys without which it cannot be called. */
  readonly needs: readonly string[];
  /** What a 2xx answer gives to the context. */
  readonly produces: readonly Production[];
  /** Keys that are gone after a 2xx answer: the deleted thing's, and those of what lay below it. */
  readonly frees: readonly string[];
  /** Of what it frees: keys under which ids go on to be known, since another action brings back what they name. */
  readonly keeps?: readonly Moved[] | undefined;
  /** It brings back what was deleted: the id goes back to its own key. Where nothing was deleted, it is called for what is there. */
  readonly restores?: Moved | undefined;
  /** A field of a GraphQL API: `operation` is what carries it, and the value of `body` its variables, by name. `undefined`: a call of HTTP. */
  readonly graphql?: PlannedField | undefined;
}

/** An id that is known under another key from then on. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** A field of the root types of a GraphQL API. */
export interface PlannedField {
  readonly kind: "query" | "mutation";
  readonly name: string;
  /** The operation in GraphQL's language, on several lines. */
  readonly document: string;
  /** Variables with ids in them, and where these come from, for the README: e.g. `id of create_order's answer`. */
  readonly reasons: readonly { readonly name: string; readonly why: string }[];
}

export interface PlannedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly value: PlannedValue;
  /** Why this value, for the README: e.g. `id of create_order's answer`. */
  readonly why: string;
}

export interface PlannedBody {
  readonly as: "json" | "form" | "multipart" | "text";
  readonly mediaType: string;
  readonly value: PlannedValue;
}

/** Where a key comes from: a value in the JSON body of the answer, the last segment of a header's URL, or the value that was sent (a name that the client chooses): then
 * `value` is the same object as in the parameters or the body, drawn once. A list's first item may be missing: then nothing is produced. */
export type Production =
  | { readonly key: string; readonly from: "body"; readonly path: readonly (string | number)[] }
  | { readonly key: string; readonly from: "location" }
  | { readonly key: string; readonly from: "sent"; readonly value: PlannedValue };

/** A value that the generated code sends. */
export type PlannedValue =
  /** Written into the code. */
  | { readonly kind: "constant"; readonly value: Json }
  /** `context.getRequired(key)`; `first`: the key that is asked before that one. */
  | { readonly kind: "context"; readonly key: string; readonly first?: string }
  /** A call of the data factory, seeded by the path: what has to be unlike what was sent before. */
  | { readonly kind: "drawn"; readonly call: "email" | "uuid" | "username" | "name" | "phone" | "password" | "word" }
  /** A placeholder for a secret: the environment's variable. */
  | { readonly kind: "environment"; readonly name: string; readonly otherwise: string }
  | { readonly kind: "object"; readonly entries: readonly (readonly [name: string, value: PlannedValue])[] }
  | { readonly kind: "list"; readonly items: readonly PlannedValue[] };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How requests are authenticated. */
export type PlannedLogin =
  /** An operation that takes credentials and answers a token; it is taken out of the actions. `userField` and `passwordField` are names in its body. */
  | {
      readonly kind: "operation";
      readonly action: PlannedAction;
      readonly userField: string;
      readonly passwordField: string;
      /** Where the token stands in the answer; empty: the answer sets a cookie, which the client keeps. */
      readonly token: readonly string[];
    }
  | { readonly kind: "bearer"; readonly variable: string }
  | { readonly kind: "basic"; readonly userVariable: string; readonly passwordVariable: string }
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string; readonly variable: string };

export interface NotInferred {
  /** The name of the action. */
  readonly action: string;
  /** E.g. `path parameter petId`, `body field owner.id`. */
  readonly what: string;
  /** What to write there, a sentence. */
  readonly hint: string;
}
