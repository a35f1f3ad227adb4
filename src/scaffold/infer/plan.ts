import type { Resource } from "../../model/declare/resource.ts";
import type { Operation } from "../../openapi/operations/description.ts";

/** The plan of the files to write: every operation as an action, and the inferred dependencies between the actions. */
export interface ScaffoldPlan {
  readonly title: string;
  /** The value of `base_url`. `undefined` if the description names no server with an absolute URL. */
  readonly baseUrl: string | undefined;
  /**
   * The prefix of all paths, for example `/v1`. The prefix is not part of `base_url`, because a target that seqqa starts itself also serves its paths
   * below the prefix.
   */
  readonly basePath?: string | undefined;
  /** `true` if a cookie can identify the caller. Such APIs often reject writes without the header `Origin`, which browsers send. */
  readonly hasCookies?: boolean | undefined;
  /** The actions in the order of creation: producers before the actions that need their keys, deletes last. Names are unique. */
  readonly actions: readonly PlannedAction[];
  /**
   * The context keys and the types of their values, in the order in which they are produced. Keys that no action produces come last. The user has to
   * set them, and `notInferred` names them.
   */
  readonly keys: readonly PlannedKey[];
  /** The keys that the user is asked to set in `setup`, most useful first. Empty if no key makes another action callable. */
  readonly setup?: readonly GivenKey[] | undefined;
  readonly resources: readonly Resource[];
  readonly login: PlannedLogin | undefined;
  /** The operations that are not called, because they would end the exploration. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** The operations that create and use things that may be used only once, such as invitations. */
  readonly singleUse?: readonly ProposedSingleUse[] | undefined;
  /** How sessions end. `undefined` if the description does not show it, or if the API has no login. */
  readonly sessionEnds?: ProposedSessionEnds | undefined;
  /** The values that the description does not give, each with a hint where to write the value. */
  readonly notInferred: readonly NotInferred[];
  /** The number of path parameters of all operations, and the number of those that have a producer. */
  readonly pathParameters: { readonly all: number; readonly inferred: number };
  /**
   * The endpoint of a GraphQL API below `base_url`, for example `/graphql`. For such APIs `pathParameters` counts arguments that take ids, and
   * `resources` is empty.
   */
  readonly graphql?: { readonly path: string } | undefined;
  /** The calls of recorded traffic, in their recorded order. For recordings `resources` is empty. */
  readonly recording?: { readonly from: "har" | "postman"; readonly steps: readonly RecordedStep[] } | undefined;
  readonly warnings: readonly string[];
}

export interface RecordedStep {
  readonly action: PlannedAction;
  /** The status of the recorded answer, if it is 400 or above. */
  readonly failure: number | undefined;
}

export interface PlannedKey {
  /** A name such as `order_id`: letters, digits and `_`. It must not be the name of a method of the context. */
  readonly key: string;
  readonly type: "string" | "number" | "unknown";
}

/** A key whose value only the user knows. */
export interface GivenKey extends PlannedKey {
  /** The number of actions that this key, together with the keys before it, makes callable for the first time. */
  readonly unlocks: number;
  /** The number of actions that can be called with this key and the keys before it. */
  readonly reached: number;
  readonly example?: PlannedAction | undefined;
}

export interface PlannedAction {
  readonly operation: Operation;
  readonly name: string;
  /** The file of the action, without `.ts`: `[a-z0-9-]+`. Names that a file system reserves are not used. */
  readonly group: string;
  readonly kind: "create" | "list" | "read" | "update" | "delete" | "other";
  readonly resource: string | undefined;
  /**
   * The values of the parameters that are sent: all path parameters, all required parameters, and optional ones with a known key. Optional parameters
   * of `GET` and `HEAD` are left out, because a filter would hide items. `Authorization` and the API key are never included.
   */
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  readonly needs: readonly string[];
  readonly produces: readonly Production[];
  /** The keys that a 2xx answer removes: the key of the deleted item and the keys of items below it. */
  readonly frees: readonly string[];
  /** The removed keys whose ids are kept under another key, because another action can restore the items. */
  readonly keeps?: readonly Moved[] | undefined;
  /**
   * For an action that restores a deleted item: the id moves back to its original key. If nothing was deleted, the action is called for an existing
   * item.
   */
  readonly restores?: Moved | undefined;
  /**
   * The GraphQL field of the action. `operation` is the HTTP request, and the value of `body` holds the variables by name. `undefined` for other
   * APIs.
   */
  readonly graphql?: PlannedField | undefined;
}

export interface Moved {
  readonly from: string;
  readonly to: string;
}

export interface PlannedField {
  readonly kind: "query" | "mutation";
  readonly name: string;
  readonly document: string;
  /** The variables that hold ids, and the origin of each for the README, for example `id of create_order's answer`. */
  readonly reasons: readonly { readonly name: string; readonly why: string }[];
}

export interface PlannedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly value: PlannedValue;
  /** The origin of the value for the README, for example `id of create_order's answer`. */
  readonly why: string;
}

export interface PlannedBody {
  readonly as: "json" | "form" | "multipart" | "text";
  readonly mediaType: string;
  readonly value: PlannedValue;
}

/**
 * The origin of a key's value: the JSON body of the answer, the `Location` header, or a value that the client sent. For `location`, the value is the
 * last segment of the URL. A sent `value` is the same object as in the parameters or the body, so it is drawn only once. If the path leads to the
 * first item of an empty list, no key is set.
 */
export type Production =
  | { readonly key: string; readonly from: "body"; readonly path: readonly (string | number)[] }
  | { readonly key: string; readonly from: "location" }
  | { readonly key: string; readonly from: "sent"; readonly value: PlannedValue };

export type PlannedValue =
  | { readonly kind: "constant"; readonly value: Json }
  /** `context.getRequired(key)`. If `first` is given, that key is tried before `key`. */
  | { readonly kind: "context"; readonly key: string; readonly first?: string }
  /** A call of the test data factory, seeded by the path. The value differs from values sent before. */
  | { readonly kind: "drawn"; readonly call: "email" | "uuid" | "username" | "name" | "phone" | "password" | "word" }
  /** A placeholder for a secret, read from an environment variable. `otherwise` is the default. */
  | { readonly kind: "environment"; readonly name: string; readonly otherwise: string }
  | { readonly kind: "object"; readonly entries: readonly (readonly [name: string, value: PlannedValue])[] }
  | { readonly kind: "list"; readonly items: readonly PlannedValue[] };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export type PlannedLogin =
  /**
   * An operation that takes credentials and returns a token. It is not among the actions. `userField` and `passwordField` are names of fields in its
   * body.
   */
  | {
      readonly kind: "operation";
      readonly action: PlannedAction;
      readonly userField: string;
      readonly passwordField: string;
      /** The path of the token in the answer. Empty if the answer sets a cookie, which the client stores. */
      readonly token: readonly string[];
      /** The operation that registers a user who can log in. `undefined` if users must already exist. */
      readonly register?: PlannedRegistration | undefined;
    }
  | { readonly kind: "bearer"; readonly variable: string }
  | { readonly kind: "basic"; readonly userVariable: string; readonly passwordVariable: string }
  | { readonly kind: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string; readonly variable: string };

/** An operation that registers a user. `userField` and `passwordField` are names of fields in its body. */
export interface PlannedRegistration {
  readonly action: PlannedAction;
  readonly userField: string;
  readonly passwordField: string;
}

/** A thing that may be used only once, with the actions that create it and use it. */
export interface ProposedSingleUse {
  readonly what: string;
  readonly create: PlannedAction;
  readonly use: PlannedAction;
  /** `true` if the action that uses the thing takes a value from the answer of the action that creates it. */
  readonly isLinked: boolean;
}

/** The actions that end sessions, and a `check` action that answers 2xx as long as a session is valid. */
export interface ProposedSessionEnds {
  readonly check: PlannedAction;
  readonly logout: readonly PlannedAction[];
  /** Actions that end the user's other sessions. */
  readonly after: readonly PlannedAction[];
}

export interface LeftOut {
  readonly action: PlannedAction;
  readonly why: string;
}

export interface NotInferred {
  readonly action: string;
  readonly what: string;
  readonly hint: string;
}
