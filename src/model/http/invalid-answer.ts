import { SeqqaError } from "../errors.ts";

/** Thrown for an answer that is not valid HTTP. The target itself is still reachable. */
export class InvalidAnswer extends SeqqaError {
  /** Method and path of the request, without the query: `GET /orders`. */
  readonly request: string;
  /** The rule that the answer breaks, as a clause: `its header block is above 64 KB`. */
  readonly why: string;

  constructor(request: string, shown: string, why: string, options: { readonly hint: string; readonly cause?: unknown }) {
    super("ANSWER_INVALID", `The answer to ${shown} is not valid HTTP: ${why}.`, options);
    this.request = request;
    this.why = why;
  }
}
