import type { HttpMethod } from "../../openapi/operations/description.ts";
import type { Json } from "../infer/plan.ts";

export type RecordedBody =
  | { readonly as: "json"; readonly mediaType: string; readonly value: Json }
  | { readonly as: "form" | "multipart"; readonly mediaType: string; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly as: "text"; readonly mediaType: string; readonly text: string };

/** The recorded answer. Only ids from it are used in generated files. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body: Json | undefined;
  readonly location: string | undefined;
  readonly setsCookie: boolean;
}

/** A request of a recording. Its contents were written by the author of the recording and are not trusted. */
export interface RecordedCall {
  readonly method: HttpMethod;
  /** The origin, without credentials and fragment. */
  readonly origin: string;
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: RecordedBody | undefined;
  readonly answer: RecordedAnswer | undefined;
  readonly name?: string | undefined;
  /** The variables that the author's script sets from the answer, each with its path into the body. */
  readonly sets?: ReadonlyMap<string, readonly (string | number)[]> | undefined;
}

export interface Recording {
  readonly name: string;
  readonly title: string;
  readonly from: "har" | "postman";
  readonly calls: readonly RecordedCall[];
  readonly auth?: RecordedAuth | undefined;
  /** The parts that were left out, one sentence each. */
  readonly notes: readonly string[];
}

export type RecordedAuth =
  | { readonly kind: "bearer" | "basic" }
  | { readonly kind: "apiKey"; readonly in: "header" | "query"; readonly name: string };
