import type { Origin, TimeOrigin } from "./origins.ts";

/** A generated value in the place of the text or number that was observed. */
export class Generated {
  readonly key: string;
  readonly form: string;
  /** `undefined`: a value of the root state, which keeps one name. */
  readonly origin: Origin | undefined;

  constructor(key: string, form: string, origin: Origin | undefined) {
    this.key = key;
    this.form = form;
    this.origin = origin;
  }
}

/** A time in the place of what was observed. */
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

/** A text with generated values and times in it. */
export class Mixed {
  readonly parts: readonly (string | Generated | Time)[];

  constructor(parts: readonly (string | Generated | Time)[]) {
    this.parts = parts;
  }
}

/** A text that holds JSON with generated values and times in it. */
export class JsonText {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
