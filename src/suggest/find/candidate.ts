/** A property of an API's data that may be a rule. */
export interface Candidate {
  /** The function of `seqqa/rules` that judges it. */
  readonly rule: string;
  /** The call as TypeScript: `neverNegative("stock.available")`. */
  readonly code: string;
  /** The name that the rule gets by itself. */
  readonly name: string;
  /** The columns that it is about, as `table.column`. */
  readonly columns: readonly string[];
  /** How likely it is meant, 0 to 1: the order of the list. It is an estimate, and is not printed. */
  readonly likelihood: number;
  /** Where it could have been broken, in words. */
  readonly evidence: string;
  /** Number of states, or of steps, in which it could have been broken. */
  readonly judged: number;
  /** The places where it was broken. */
  readonly broken: readonly Place[];
  /** The place that came nearest to breaking it. */
  readonly nearest: Place | undefined;
}

/** A state, or a step that leads to one, and what was seen there. */
export interface Place {
  /** The node of the state. */
  readonly state: number;
  readonly what: string;
  /** The index of the action that led to it from `state`; `undefined`: it is seen in the state itself. */
  readonly action?: number;
}

/** Writes a value of the target as a literal of TypeScript: none of its characters can end the literal. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/** Writes an object literal whose keys are words where they can be. `__proto__` is a computed key: only then is it a property. */
export function objectLiteral(entries: readonly (readonly [string, string])[]): string {
  const key = (name: string): string =>
    name === "__proto__" ? `[${literal(name)}]` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
  return `{ ${entries.map(([name, code]) => `${key(name)}: ${code}`).join(", ")} }`;
}
