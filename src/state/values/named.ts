import type { Origin, TimeOrigin } from "./origins.ts";

/**
 * The prefix of the key of a generated value that is written without its origin. The prefix shows that experiments recognized the value as generated.
 */
export const KNOWN: string = "g:";

/** Replaces a generated value (a text or number) in the observed state, so that equal states have equal values. */
export class Generated {
  readonly key: string;
  readonly form: string;
  /** The origin of the value. It is `undefined` for a value of the root state, whose name is the same in all states. */
  readonly origin: Origin | undefined;

  constructor(key: string, form: string, origin: Origin | undefined) {
    this.key = key;
    this.form = form;
    this.origin = origin;
  }
}

/** Replaces a time in the observed state by its distance from the step that wrote it. */
export class Time {
  readonly ms: number;
  readonly form: string;
  readonly origin: TimeOrigin;

  constructor(ms: number, form: string, origin: TimeOrigin) {
    this.ms = ms;
    this.form = form;
    this.origin = origin;
  }
}

/** Replaces an observed text that contains generated values or times. */
export class Mixed {
  readonly parts: readonly (string | Generated | Time)[];

  constructor(parts: readonly (string | Generated | Time)[]) {
    this.parts = parts;
  }
}

/** Replaces an observed text that is JSON with generated values or times. */
export class JsonText {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
