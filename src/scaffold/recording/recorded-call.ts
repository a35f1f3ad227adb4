import type { HttpMethod } from "../../openapi/operations/description.ts";
import type { Json } from "../infer/plan.ts";

export type RecordedBody =
  | { readonly as: "json"; readonly mediaType: string; readonly value: Json }
  | { readonly as: "form" | "multipart"; readonly mediaType: string; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly as: "text"; readonly mediaType: string; readonly text: string };

/** A recorded answer. Generated files contain no values of the answer, only the places of its ids. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body: Json | undefined;
  readonly location: string | undefined;
  readonly setsCookie: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A recorded request. Do not trust its contents: the author of the recording chose them. */
export interface RecordedCall {
  readonly method: HttpMethod;
  /** The scheme, host and port of the URL. */
  readonly origin: string;
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: RecordedBody | undefined;
  /** A description of the part of the body that the recording does not contain, or that seqqa cannot read: `file "photo"`. */
  readonly lost?: string | undefined;
  readonly answer: RecordedAnswer | undefined;
  readonly name?: string | undefined;
  /** The authentication that Postman adds to the request, if it is of a kind that seqqa can plan. */
  readonly auth?: RecordedAuth | undefined;
  /** `true` if Postman adds an authentication of any kind to the request. Default: `false`. */
  readonly hasAuth?: boolean | undefined;
  /** The Postman variables that a script sets from the answer, each with its path in the JSON body. */
  readonly sets?: ReadonlyMap<string, readonly (string | number)[]> | undefined;
  /** The Postman variables that a script sets from a header of the answer, each with the name of the header. */
  readonly setsFromHeaders?: ReadonlyMap<string, string> | undefined;
  /** The words that a script puts before the values of Postman variables, such as `Bearer`. */
  readonly schemes?: ReadonlyMap<string, string> | undefined;
}

export interface Recording {
  readonly name: string;
  readonly title: string;
  readonly from: "har" | "postman";
  readonly calls: readonly RecordedCall[];
  /** The authentication that most calls have. */
  readonly auth?: RecordedAuth | undefined;
  /** Values that the recording marks as secrets, in addition to the secrets in its calls. */
  readonly secrets?: readonly string[];
  /** The parts of the recording that were left out, one sentence each. */
  readonly notes: readonly string[];
}

export type RecordedAuth =
  /** `value` is the token, or a Postman variable such as `{{token}}`. */
  | { readonly kind: "bearer"; readonly value?: string }
  | { readonly kind: "basic" }
  | { readonly kind: "apiKey"; readonly in: "header" | "query"; readonly name: string; readonly value: string };
