import type { HttpMethod } from "../../openapi/operations/description.ts";
import type { Json } from "../infer/plan.ts";

/** The body of a recorded request. */
export type RecordedBody =
  | { readonly as: "json"; readonly mediaType: string; readonly value: Json }
  | { readonly as: "form" | "multipart"; readonly mediaType: string; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly as: "text"; readonly mediaType: string; readonly text: string };

/** The recorded answer. Only its ids become part of what is generated. */
export interface RecordedAnswer {
  readonly status: number;
  /** The JSON body; `undefined` if there is none. */
  readonly body: Json | undefined;
  readonly location: string | undefined;
  readonly setsCookie: boolean;
}

/** A request of a recording. Everything in it is data of its author. */
export interface RecordedCall {
  readonly method: HttpMethod;
  /** Without credentials and fragment. */
  readonly origin: string;
  /** The segments of the path, decoded. */
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names are in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: RecordedBody | undefined;
  readonly answer: RecordedAnswer | undefined;
  /** The author's name for the request. */
  readonly name?: string | undefined;
  /** Keys that the author's script sets from the answer: the path into the body for each. */
  readonly sets?: ReadonlyMap<string, readonly (string | number)[]> | undefined;
}

export interface Recording {
  /** The source in messages: the name of the file. */
  readonly name: string;
  readonly title: string;
  readonly from: "har" | "postman";
  readonly calls: readonly RecordedCall[];
  /** How the collection as a whole is authenticated. */
  readonly auth?: RecordedAuth | undefined;
  /** The parts that were left out, one sentence each. */
  readonly notes: readonly string[];
}

export type RecordedAuth =
  | { readonly kind: "bearer" | "basic" }
  | { readonly kind: "apiKey"; readonly in: "header" | "query"; readonly name: string };
