import type { RecordedExchange } from "../../model/results/result.ts";
import type { Hole, Part } from "./shell-text.ts";
import { isIdName, isOpaque, sourcesOf, thingOf, type Source } from "./sources.ts";

/** A secret that the script reads from an environment variable. */
export interface Secret {
  readonly variable: string;
  readonly name: string;
  /** The scheme that the script writes in front of the secret, such as `Bearer`. Empty for none. */
  readonly scheme: string;
  /** A phrase that names the first request with this secret, for a comment in the script. */
  readonly where: string;
}

/** A value that the script takes from an answer and stores in a variable. */
export interface Taken {
  readonly variable: string;
  readonly source: Source;
}

const SHORTEST_EMBEDDED = 16;
/** Matches long values that are the same in URLs and in JSON, because no character needs an escape. */
const EMBEDDED = /^[\w~-]{16,}$/;

/** Finds out where the values of requests come from: from earlier answers, or, for secrets, from the environment. */
export class Flow {
  /** A phrase that names the current request. */
  where = "";
  #sources: Source[] = [];
  readonly #embeddable = new Set<string>();
  /**
   * Values that a request sent before any answer contained them. Such values do not come from an answer. Each entry consists of the value, and the
   * thing or else the name that the value belongs to.
   */
  readonly #given = new Set<string>();
  readonly #taken = new Map<Source, string>();
  readonly #secrets = new Map<string, Secret>();

  /** Records an answer as a source of values for later requests. */
  answered(number: number, exchange: RecordedExchange): void {
    const sources = sourcesOf(number, exchange);
    this.#sources.push(...sources);
    for (const { value } of sources) if (EMBEDDED.test(value) && isOpaque(value)) this.#embeddable.add(value);
  }

  /** Ignores the answers after request `number`, because requests that are sent at the same time cannot use each other's answers. */
  forgetAfter(number: number): void {
    this.#sources = this.#sources.filter((source) => source.number <= number);
  }

  get secrets(): readonly Secret[] {
    return [...this.#secrets.values()];
  }

  get taken(): readonly Taken[] {
    return [...this.#taken].map(([source, variable]) => ({ source, variable })).toSorted((a, b) => a.source.number - b.source.number);
  }

  /**
   * Returns the shell variable for a value that a request sends; `undefined` if no earlier answer contains the value. If several answers contain the
   * value, the answer with the best matching name is used, else the earliest. For short values, answers about another kind of thing are ignored,
   * because things of different kinds may have the same number as id.
   *
   * @param name The name of the value in the request: a JSON field, a query parameter, or the collection in a path.
   * @param isSure `true` if the position shows that this is a separate value (a path segment, a token). Other short values are not searched for.
   */
  find(value: string, name: string, isSure: boolean): string | undefined {
    if (!isSure && !isIdName(name) && !isOpaque(value)) return undefined;
    const thing = thingOf(name);
    const given = `${thing || name.toLowerCase()} ${value}`;
    if (this.#given.has(given)) return undefined;
    const isShort = !isOpaque(value);
    let best: Source | undefined;
    let most = -1;
    for (const source of this.#sources) {
      if (source.value !== value || (isShort && differ(thing, source.thing))) continue;
      const score = kinship(source, name);
      if (score > most) [best, most] = [source, score];
    }
    if (best !== undefined) return this.#variableOf(best);
    if (name !== "") this.#given.add(given);
    return undefined;
  }

  /**
   * Splits a text at the ids that earlier answers contain, such as the id in `urn:order:4f1c...`. Short ids are left unchanged, because a short id
   * may occur in a text by chance.
   */
  embedded(text: string): readonly Part[] {
    let parts: readonly Part[] = [text];
    if (text.length <= SHORTEST_EMBEDDED) return parts;
    for (const value of this.#embeddable) {
      const variable = text.includes(value) ? this.find(value, "", true) : undefined;
      if (variable === undefined) continue;
      const hole: Hole = { variable, form: "plain" };
      parts = parts.flatMap((part) =>
        typeof part === "string" ? part.split(value).flatMap((piece, at) => (at === 0 ? [piece] : [hole, piece])) : [part],
      );
    }
    return parts;
  }

  /** Returns a placeholder for a secret. The script takes the value from an answer or from the environment. */
  hidden(value: string, name: string, form: Hole["form"], scheme = ""): Hole {
    return { variable: this.find(value, name, value.length >= 4) ?? this.#secret(value, name, scheme).variable, form };
  }

  #variableOf(source: Source): string {
    const known = this.#taken.get(source);
    if (known !== undefined) return known;
    const variable = `v${this.#taken.size + 1}`;
    this.#taken.set(source, variable);
    return variable;
  }

  #secret(value: string, name: string, scheme: string): Secret {
    const known = this.#secrets.get(value);
    if (known !== undefined) return known;
    const base = `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_") || "VALUE"}`;
    const taken = new Set(this.secrets.map(({ variable }) => variable));
    let variable = base;
    for (let count = 2; taken.has(variable); count++) variable = `${base}_${count}`;
    const secret = { variable, name, scheme, where: this.where };
    this.#secrets.set(value, secret);
    return secret;
  }
}

/** Returns `true` if two kinds of things are known and different. A kind whose name begins with the name of the other kind counts as equal. */
const differ = (one: string, other: string): boolean => one !== "" && other !== "" && !one.startsWith(other) && !other.startsWith(one);

function kinship(source: Source, name: string): number {
  const one = name.replace(/s$/, "").toLowerCase();
  if (one === "") return 0;
  if (source.name.toLowerCase() === name.toLowerCase()) return 2;
  if (source.path.toLowerCase().split("/").includes(name.toLowerCase())) return 2;
  return source.name.toLowerCase().startsWith(one) || (source.thing !== "" && source.thing === thingOf(name)) ? 1 : 0;
}
