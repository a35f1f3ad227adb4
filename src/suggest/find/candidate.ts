/** A rule that may be suggested to the user. */
export interface Candidate {
  /** The name of the function in `seqqa/rules` that creates the rule, such as `neverNegative`. */
  readonly rule: string;
  /** The call that creates the rule, as TypeScript code: `neverNegative("stock.available")`. */
  readonly code: string;
  /** The default name of the rule. */
  readonly name: string;
  /** The columns that the rule checks, as `table.column`. */
  readonly columns: readonly string[];
  /** The estimated probability, from 0 to 1, that the user wants this rule. Suggestions are sorted by this number. The number is not printed. */
  readonly likelihood: number;
  /** A phrase that tells the user which states or steps could have broken the rule. */
  readonly evidence: string;
  /** A sentence that says what the user must change in `code`. `undefined` if the code is complete. */
  readonly change?: string;
  /** The number of states or steps that could have broken the rule. */
  readonly judged: number;
  readonly broken: readonly Place[];
  /** The state or step that came nearest to breaking the rule. */
  readonly nearest: Place | undefined;
  /**
   * The number of steps that cannot be judged, because they changed several rows whose generated keys do not show which row became which. Such steps
   * may have broken the rule. Default: 0.
   */
  readonly unclear?: number;
  /** Parts of the rule that the user must check, such as a transition, because a common kind of defect has the same effect. Default: none. */
  readonly doubts?: readonly string[];
}

/** A state or step that breaks a rule or nearly breaks it. `what` describes the values in this state or step. */
export interface Place {
  /** The index of the state; for a step, the index of the state before it. */
  readonly state: number;
  readonly what: string;
  /** The index of the step's action; `undefined` if this is a state and not a step. */
  readonly action?: number;
}

/** Returns a value as a TypeScript literal. Values come from the target, so characters that could end the literal are escaped. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/**
 * Returns an object literal. Keys are unquoted where possible. The key `__proto__` is written as a computed key, because a plain `__proto__` would
 * set the prototype of the object.
 */
export function objectLiteral(entries: readonly (readonly [string, string])[]): string {
  const key = (name: string): string =>
    name === "__proto__" ? `[${literal(name)}]` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
  return `{ ${entries.map(([name, code]) => `${key(name)}: ${code}`).join(", ")} }`;
}
