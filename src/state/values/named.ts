import type { Origin, TimeOrigin } from "./origins.ts";

/** A generated value that replaces the observed text or number. */
export class Generated {
  readonly key: string;
  readonly form: string;
  /** `undefined` for a value of the root state, which keeps one name. */
  readonly origin: Origin | undefined;

  constructor(key: string, form: string, origin: Origin | undefined) {
    this.key = key;
    this.form = form;
    this.origin = origin;
  }
}

/** A time that replaces the observed value. */
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

/** A text that contains generated values and times. */
export class Mixed {
  readonly parts: readonly (string | Generated | Time)[];

  constructor(parts: readonly (string | Generated | Time)[]) {
    this.parts = parts;
  }
}

/** A text that is JSON and contains generated values and times. */
export class JsonText {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
