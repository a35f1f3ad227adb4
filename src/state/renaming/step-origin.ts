import type { StepWindow } from "../values/times.ts";

/** A step that led to a state, with the requests from which the values that it generated get their names. */
export interface StepOrigin extends StepWindow {
  readonly action: string;
  readonly exchanges: readonly SentRequest[];
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The credentials of the request: the values of `authorization` and `cookie`. */
  readonly acting: string;
  readonly answer: string;
  /** The values of the answer's headers. Absent if there are none. */
  readonly answerHeaders?: string | undefined;
}
