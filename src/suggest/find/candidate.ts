/** A property of an API's data that may be suggested as a rule. */
export interface Candidate {
  /** The function of `seqqa/rules` that checks the property. */
  readonly rule: string;
  /** The call as TypeScript code: `neverNegative("stock.available")`. */
  readonly code: string;
  /** The default name of the rule. */
  readonly name: string;
  /** The columns that the rule checks, as `table.column`. */
  readonly columns: readonly string[];
  /** The estimated probability, from 0 to 1, that the property is intended. It decides the order of the list and is not printed. */
  readonly likelihood: number;
  /** A description of the steps or states that could have broken the property. */
  readonly evidence: string;
  /** The number of states or steps that could have broken the property. */
  readonly judged: number;
  readonly broken: readonly Place[];
  /** The place that came nearest to breaking the property. */
  readonly nearest: Place | undefined;
}

/** A state or a step, with a description of the values that were seen there. */
export interface Place {
  /** The number of the state; for a step, of the state before it. */
  readonly state: number;
  readonly what: string;
  /** The index of the step's action; `undefined` if the place is the state itself. */
  readonly action?: number;
}

/** Returns a value as a TypeScript literal. No character in it can end the literal, because values come from the target. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/**
 * Returns an object literal with unquoted keys where possible. `__proto__` is written as a computed key, because otherwise it would set the
 * prototype.
 */
export function objectLiteral(entries: readonly (readonly [string, string])[]): string {
  const key = (name: string): string =>
    name === "__proto__" ? `[${literal(name)}]` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
  return `{ ${entries.map(([name, code]) => `${key(name)}: ${code}`).join(", ")} }`;
}
