import type { Resource } from "../../model/declare/resource.ts";
import type { Operation } from "../../openapi/operations/description.ts";

/** The plan of the generated files: an action for each operation, and how the actions depend on each other. */
export interface ScaffoldPlan {
  readonly title: string;
  /** The value of `base_url` in the generated configuration. `undefined` if the description has no server with an absolute URL. */
  readonly baseUrl: string | undefined;
  /**
   * The path that precedes the paths of all operations, for example `/v1`. It is not part of `base_url`, because it also applies to a target that
   * seqqa starts.
   */
  readonly basePath?: string | undefined;
  /** `true` if a cookie can authenticate requests. APIs with cookies often reject writes without the header `Origin`, which browsers send. */
  readonly hasCookies?: boolean | undefined;
  /**
   * The actions, in an order in which they can be called: an action that returns an id comes before the actions that need the id, and deletes come
   * last. Names are unique.
   */
  readonly actions: readonly PlannedAction[];
  /**
   * The context keys and the types of their values, in the order in which actions provide them. Keys that no action provides come last: the user has
   * to set them, and `notInferred` names them.
   */
  readonly keys: readonly PlannedKey[];
  /**
   * The context keys that the user is asked to set in `setup`. Keys that make many actions callable come first. Empty if no key makes further actions
   * callable.
   */
  readonly setup?: readonly GivenKey[] | undefined;
  readonly resources: readonly Resource[];
  readonly login: PlannedLogin | undefined;
  /** The API keys that all requests send in addition to `login`. Default: none. */
  readonly apiKeys?: readonly PlannedApiKey[] | undefined;
  /** The operations for which no action is generated, because they would end the exploration, for example by deleting the user. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** The operations that create and use objects that may be used only once, such as invitations. */
  readonly singleUse?: readonly ProposedSingleUse[] | undefined;
  /** The operations that end sessions. `undefined` if the description shows no such operations, or if the API has no login. */
  readonly sessionEnds?: ProposedSessionEnds | undefined;
  /** `true` if no operation describes a refusal (a 4xx status or `default`), as NestJS does by default. */
  readonly describesNoRefusals?: boolean | undefined;
  /** The actions on data that is probably public: the data can be read without authentication, although other operations need authentication. */
  readonly publicCalls?: readonly PlannedAction[] | undefined;
  /** The context keys whose values come only from public reads. The items of these keys belong to no user of the exploration. */
  readonly shared?: readonly string[] | undefined;
  /** The values that could not be inferred from the description. Each value has a hint that tells the user where to write it. */
  readonly notInferred: readonly NotInferred[];
  /** The number of path parameters of all operations, and the number of path parameters whose values could be inferred. */
  readonly pathParameters: { readonly all: number; readonly inferred: number };
  /**
   * The endpoint of a GraphQL API below `base_url`, for example `/graphql`. `undefined` for other APIs. With GraphQL, `pathParameters` counts the
   * arguments that take ids, and `resources` is empty.
   */
  readonly graphql?: { readonly path: string } | undefined;
  /** The calls of recorded traffic, in recorded order. `undefined` if the plan comes from a description. With a recording, `resources` is empty. */
  readonly recording?: { readonly from: "har" | "postman"; readonly steps: readonly RecordedStep[] } | undefined;
  readonly warnings: readonly string[];
}

export type RecordedStep =
  | {
      readonly kind: "call";
      readonly action: PlannedAction;
      /** The HTTP status of the recorded answer if it is an error (400 or above). */
      readonly failure: number | undefined;
    }
  | { readonly kind: "login"; readonly user: "alice" | "bob" };

export interface PlannedKey {
  /** The name of a value in the context, for example `order_id`: letters, digits and `_`. The name of a method of the context is not allowed. */
  readonly key: string;
  readonly type: "string" | "number" | "unknown";
}

/** A context key whose value only the user knows. `setup.ts` asks for it. */
export interface GivenKey extends PlannedKey {
  /** The number of additional actions that can be called when the user sets this key, after the keys before it in the list. */
  readonly unlocks: number;
  /** The total number of actions that can be called when the user sets this key and the keys before it in the list. */
  readonly reached: number;
  readonly example?: PlannedAction | undefined;
}

export interface PlannedAction {
  readonly operation: Operation;
  readonly name: string;
  /** The name of the file for the action, without `.ts`: `[a-z0-9-]+`. Names that a file system reserves are not used. */
  readonly group: string;
  readonly kind: "create" | "list" | "read" | "update" | "delete" | "other";
  readonly resource: string | undefined;
  /**
   * The values of the parameters that the action sends: all path parameters, all required parameters, and optional parameters with a known context
   * key. Optional parameters of `GET` and `HEAD` are left out, because a filter would hide items. `Authorization` and the API key are never included.
   */
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  readonly needs: readonly string[];
  readonly produces: readonly Production[];
  /** The context keys that the action removes after a 2xx answer, because it deleted the item and everything below the item. */
  readonly frees: readonly string[];
  /** The context keys whose ids the action moves to another key when it deletes the item, because another action can restore the item. */
  readonly keeps?: readonly Moved[] | undefined;
  /**
   * For an action that restores a deleted item: the context key from which the id moves back, and the key to which it moves. If no item was deleted,
   * the action is called for an existing item.
   */
  readonly restores?: Moved | undefined;
  /**
   * The GraphQL query or mutation of the action. `operation` is its HTTP request, and the value of `body` holds the GraphQL variables by name.
   * `undefined` for other APIs.
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
  /**
   * The GraphQL variables that hold ids. `why` tells the reader of the README where each value comes from, for example `id of create_order's answer`.
   */
  readonly reasons: readonly { readonly name: string; readonly why: string }[];
}

export interface PlannedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly value: PlannedValue;
  /** The place where the value comes from, for the README. For example `id of create_order's answer`. */
  readonly why: string;
}

export interface PlannedBody {
  readonly as: "json" | "form" | "multipart" | "text";
  readonly mediaType: string;
  readonly value: PlannedValue;
  /** The fields of a multipart body that are sent as files, with the content type that the description demands. Default: none. */
  readonly files?: readonly { readonly name: string; readonly contentType?: string }[];
}

/**
 * The place from which an action takes the value of a context key: the JSON body of the answer, the `Location` header, or a value that was sent. For
 * `location`, the value is the last segment of the URL. A sent `value` is identical to an object in the parameters or the body, so that a random
 * value is drawn only once. The key is not set if `path` leads to the first item of a list, and the list is empty.
 */
export type Production =
  | { readonly key: string; readonly from: "body"; readonly path: readonly (string | number)[] }
  | { readonly key: string; readonly from: "location" }
  | { readonly key: string; readonly from: "sent"; readonly value: PlannedValue };

export type PlannedValue =
  | { readonly kind: "constant"; readonly value: Json }
  /**
   * A value from the context: `context.getRequired(key)` in generated code. If `first` is given, this context key is tried before `key`. `as`: the
   * type to which the generated code converts the value.
   */
  | { readonly kind: "context"; readonly key: string; readonly first?: string; readonly as?: "number" | "string" }
  /** A random value from the test data factory. It differs from all values sent before on the path, and a replay draws the same value. */
  | { readonly kind: "drawn"; readonly call: "email" | "uuid" | "username" | "name" | "phone" | "password" | "word" }
  /** A secret that the generated code reads from the environment variable `name`. Without this variable, it uses the text `otherwise`. */
  | { readonly kind: "environment"; readonly name: string; readonly otherwise: string }
  | { readonly kind: "object"; readonly entries: readonly (readonly [name: string, value: PlannedValue])[] }
  | { readonly kind: "list"; readonly items: readonly PlannedValue[] };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export type PlannedLogin =
  /**
   * An operation that takes credentials and returns a token. This operation is not among the actions. `userField` and `passwordField` are names of
   * fields in its body.
   */
  | {
      readonly kind: "operation";
      readonly action: PlannedAction;
      readonly userField: string;
      readonly passwordField: string;
      /** The path of the token in the JSON answer. Empty if the answer sets a cookie, which the client stores, or returns the token in a header. */
      readonly token: readonly string[];
      /** The header of the answer that returns the token. */
      readonly answerHeader?: string | undefined;
      /** The header that carries the token, and the text before the token in it. The default is `Authorization` with `Bearer`. */
      readonly header?: TokenHeader | undefined;
      /** The operation that registers a user who can log in. `undefined` if users must already exist. */
      readonly register?: PlannedRegistration | undefined;
      /** The ids of the user in the answers of the login and of the registration, which the generated code stores in the context. */
      readonly ids?: OwnIds | undefined;
    }
  | { readonly kind: "bearer"; readonly variable: string }
  | { readonly kind: "basic"; readonly userVariable: string; readonly passwordVariable: string }
  | PlannedApiKey;

export interface OwnIds {
  readonly login: readonly BodyProduction[];
  readonly register: readonly BodyProduction[];
}

export type BodyProduction = Extract<Production, { readonly from: "body" }>;

/** An API key whose value comes from the environment variable `variable`. */
export interface PlannedApiKey {
  readonly kind: "apiKey";
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly variable: string;
  /** The text before the key in a header, for example `Token`. The default is the empty text. */
  readonly scheme?: string | undefined;
}

/**
 * A header that carries a token. `scheme` is the text before the token, for example `Token`. The `scheme` is empty if the value of the header is only
 * the token.
 */
export interface TokenHeader {
  readonly name: string;
  readonly scheme: string;
}

/** An operation that registers a user. `userField` and `passwordField` are names of fields in its body. */
export interface PlannedRegistration {
  readonly action: PlannedAction;
  readonly userField: string;
  readonly passwordField: string;
}

/** A kind of object that may be used only once, such as an invitation, with the actions that create and use it. */
export interface ProposedSingleUse {
  readonly what: string;
  readonly create: PlannedAction;
  readonly use: PlannedAction;
  /** `true` if the action that uses the object sends the code or token that the answer of the creating action contains. */
  readonly isLinked: boolean;
}

/** The actions that end sessions, and an action `check` that succeeds only while the session is valid. */
export interface ProposedSessionEnds {
  readonly check: PlannedAction;
  readonly logout: readonly PlannedAction[];
  /** Actions that end the other sessions of the user, for example a change of the password. */
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
