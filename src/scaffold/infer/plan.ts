import type { Resource } from "../../model/declare/resource.ts";
import type { Operation } from "../../openapi/operations/description.ts";

/** The plan of the files to write: every operation as an action, and the inferred dependencies between them. */
export interface ScaffoldPlan {
  readonly title: string;
  /** The value of `base_url`; `undefined` if the description names no server with an absolute URL. */
  readonly baseUrl: string | undefined;
  /** The prefix of all paths, e.g. `/v1`; `undefined`: none. It is not part of `base_url` then, because a target that seqqa starts has it, too. */
  readonly basePath?: string | undefined;
  /** `true`: a cookie can identify the caller. Such APIs often refuse writes without the header `Origin`, which browsers send. */
  readonly hasCookies?: boolean | undefined;
  /** The actions in the order of creation: producers before the actions that need their keys, deletes last. Names are unique. */
  readonly actions: readonly PlannedAction[];
  /**
   * The keys of the context with the types of their values, in the order in which they are produced. Keys that nothing produces come last: the user
   * has to set them, as `notInferred` says.
   */
  readonly keys: readonly PlannedKey[];
  /** The keys that the user is asked to give values in `setup`, the most useful one first; empty if none unlocks an action. */
  readonly setup?: readonly GivenKey[] | undefined;
  readonly resources: readonly Resource[];
  readonly login: PlannedLogin | undefined;
  /** The operations that are not called, since they would end the exploration. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** The operations that create and spend things which may be used once. */
  readonly singleUse?: readonly ProposedSingleUse[] | undefined;
  /** How sessions end; `undefined`: nothing in the description says so, or nobody logs in. */
  readonly sessionEnds?: ProposedSessionEnds | undefined;
  /** The values that nothing in the description gives, with the place to write each. */
  readonly notInferred: readonly NotInferred[];
  /** The number of path parameters of all operations, and of those that have a producer. */
  readonly pathParameters: { readonly all: number; readonly inferred: number };
  /**
   * For a GraphQL API: its endpoint below `base_url`, e.g. `/graphql`. Then `pathParameters` counts arguments that take ids, and there are no
   * `resources`.
   */
  readonly graphql?: { readonly path: string } | undefined;
  /** For recorded traffic: its calls in their order. Then there are no `resources`. */
  readonly recording?: { readonly from: "har" | "postman"; readonly steps: readonly RecordedStep[] } | undefined;
  /** The warnings of the description. */
  readonly warnings: readonly string[];
}

/** A call of a recording. */
export interface RecordedStep {
  /** One of the plan's actions. */
  readonly action: PlannedAction;
  /** The status of the recorded answer, if it is 400 or above. */
  readonly failure: number | undefined;
}

export interface PlannedKey {
  /** A name such as `order_id`: letters, digits and `_`, but not the name of a context's method. */
  readonly key: string;
  readonly type: "string" | "number" | "unknown";
}

/** A key whose value only the user knows. */
export interface GivenKey extends PlannedKey {
  /** The number of actions that can be called with this key and those before it, and could not be without it. */
  readonly unlocks: number;
  /** The number of actions that can be called with this key and those before it. */
  readonly reached: number;
  /** The first action that needs the key. */
  readonly example?: PlannedAction | undefined;
}

export interface PlannedAction {
  readonly operation: Operation;
  /** The name in snake_case: `[a-z][a-z0-9_]*`. */
  readonly name: string;
  /** The file of the action, without `.ts`: `[a-z0-9-]+`, without a special meaning for a file system. */
  readonly group: string;
  readonly kind: "create" | "list" | "read" | "update" | "delete" | "other";
  /** The name of a resource in the plan. */
  readonly resource: string | undefined;
  /**
   * The values of the parameters that are sent: all of the path, the required ones elsewhere, and optional ones with a known key. Optional ones of
   * `GET` and `HEAD` are left out, since a filter hides other items. `Authorization` and the API's key are never included.
   */
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  /** The keys without which the action cannot be called. */
  readonly needs: readonly string[];
  /** The keys that a 2xx answer sets in the context. */
  readonly produces: readonly Production[];
  /** The keys that a 2xx answer removes: that of the deleted item, and those of items below it. */
  readonly frees: readonly string[];
  /** The removed keys whose ids are kept under another key, since another action restores the items. */
  readonly keeps?: readonly Moved[] | undefined;
  /**
   * For an action that restores a deleted item: the id moves back to its own key. If nothing was deleted, the action is called for an existing item.
   */
  readonly restores?: Moved | undefined;
  /**
   * The field of a GraphQL API: `operation` is the request that carries it, and the value of `body` holds its variables by name. `undefined`: an HTTP
   * call.
   */
  readonly graphql?: PlannedField | undefined;
}

/** An id that moves from one key to another. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** A field of the root types of a GraphQL API. */
export interface PlannedField {
  readonly kind: "query" | "mutation";
  readonly name: string;
  /** The operation in GraphQL's syntax, on several lines. */
  readonly document: string;
  /** The variables that hold ids, and the origin of each, for the README: e.g. `id of create_order's answer`. */
  readonly reasons: readonly { readonly name: string; readonly why: string }[];
}

export interface PlannedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly value: PlannedValue;
  /** The origin of the value, for the README: e.g. `id of create_order's answer`. */
  readonly why: string;
}

export interface PlannedBody {
  readonly as: "json" | "form" | "multipart" | "text";
  readonly mediaType: string;
  readonly value: PlannedValue;
}

/**
 * The origin of a key: a value in the JSON body of the answer, the last segment of a header's URL, or a value that was sent (a name that the client
 * chooses). A `value` that was sent is the same object as in the parameters or the body, and is drawn once. If the first item of a list is missing,
 * nothing is produced.
 */
export type Production =
  | { readonly key: string; readonly from: "body"; readonly path: readonly (string | number)[] }
  | { readonly key: string; readonly from: "location" }
  | { readonly key: string; readonly from: "sent"; readonly value: PlannedValue };

/** A value that the generated code sends. */
export type PlannedValue =
  /** A value that is written into the code. */
  | { readonly kind: "constant"; readonly value: Json }
  /** `context.getRequired(key)`; `first`: the key that is tried before that one. */
  | { readonly kind: "context"; readonly key: string; readonly first?: string }
  /** A call of the data factory, seeded by the path: a value that must differ from those sent before. */
  | { readonly kind: "drawn"; readonly call: "email" | "uuid" | "username" | "name" | "phone" | "password" | "word" }
  /** A placeholder for a secret: an environment variable. */
  | { readonly kind: "environment"; readonly name: string; readonly otherwise: string }
  | { readonly kind: "object"; readonly entries: readonly (readonly [name: string, value: PlannedValue])[] }
  | { readonly kind: "list"; readonly items: readonly PlannedValue[] };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How requests are authenticated. */
export type PlannedLogin =
  /** An operation that takes credentials and answers a token. It is not among the actions. `userField` and `passwordField` are names in its body. */
  | {
      readonly kind: "operation";
      readonly action: PlannedAction;
      readonly userField: string;
      readonly passwordField: string;
      /** The path of the token in the answer; empty: the answer sets a cookie, which the client keeps. */
      readonly token: readonly string[];
      /** The operation that makes a user who can log in; `undefined`: users have to exist. */
      readonly register?: PlannedRegistration | undefined;
    }
  | { readonly kind: "bearer"; readonly variable: string }
  | { readonly kind: "basic"; readonly userVariable: string; readonly passwordVariable: string }
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string; readonly variable: string };

/** An operation that registers a user. `userField` and `passwordField` are names in its body. */
export interface PlannedRegistration {
  readonly action: PlannedAction;
  readonly userField: string;
  readonly passwordField: string;
}

/** Something that may be used once, and the actions that create it and spend it. */
export interface ProposedSingleUse {
  /** E.g. `invitation`. */
  readonly what: string;
  readonly create: PlannedAction;
  readonly use: PlannedAction;
  /** `true`: the action that spends it gets it from the answer of the one that creates it. */
  readonly isLinked: boolean;
}

/** The actions that end sessions, and one that is answered 2xx as long as a session works. */
export interface ProposedSessionEnds {
  readonly check: PlannedAction;
  /** Actions that end the session that they are sent with. */
  readonly logout: readonly PlannedAction[];
  /** Actions that end the user's other sessions. */
  readonly after: readonly PlannedAction[];
}

/** An operation of the description that is no action, and the reason. */
export interface LeftOut {
  readonly action: PlannedAction;
  readonly why: string;
}

export interface NotInferred {
  /** The name of the action. */
  readonly action: string;
  /** The missing value, e.g. `path parameter petId`, `body field owner.id`. */
  readonly what: string;
  /** A sentence that says what to write there. */
  readonly hint: string;
}
