import type { RecordedExchange } from "../../model/results/result.ts";
import type { Hole, Part } from "./shell-text.ts";
import { isIdName, isOpaque, sourcesOf, type Source } from "./sources.ts";

/** A value that the script reads from the environment. */
export interface Secret {
  readonly variable: string;
  readonly name: string;
  /** The first request that sends the value, in words. */
  readonly where: string;
}

/** A value that is taken from an answer. */
export interface Taken {
  readonly variable: string;
  readonly source: Source;
}

const SHORTEST_EMBEDDED = 16;
/** Matches values that need no escapes in URLs and in JSON. */
const EMBEDDED = /^[\w~-]{16,}$/;

/** Finds values of requests that come from earlier answers, and values that must not appear in the script. */
export class Flow {
  /** The current request, in words. */
  where = "";
  #sources: Source[] = [];
  readonly #embeddable = new Set<string>();
  readonly #taken = new Map<Source, string>();
  readonly #secrets = new Map<string, Secret>();

  /** Records an answer, so that later requests can send its values. */
  answered(number: number, exchange: RecordedExchange): void {
    const sources = sourcesOf(number, exchange);
    this.#sources.push(...sources);
    for (const { value } of sources) if (EMBEDDED.test(value) && isOpaque(value)) this.#embeddable.add(value);
  }

  /**
   * Forgets the answers after request `number`. Use this before requests that are sent at the same time, because they cannot use each other's
   * answers.
   */
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
   * Returns the variable for a value that a request sends; `undefined` if no earlier answer is its source. If several answers hold the value, the
   * best match by collection or name is used, then the earliest.
   *
   * @param name The name of the value in the request: a JSON field, a query parameter, or the collection in a path.
   * @param isSure `true` if the place shows that this is a value (a path segment, a token). Short values count only then.
   */
  find(value: string, name: string, isSure: boolean): string | undefined {
    if (!isSure && !isIdName(name) && !isOpaque(value)) return undefined;
    let best: Source | undefined;
    let most = -1;
    for (const source of this.#sources) {
      if (source.value !== value) continue;
      const score = kinship(source, name);
      if (score > most) [best, most] = [source, score];
    }
    return best === undefined ? undefined : this.#variableOf(best);
  }

  /** Replaces ids from answers inside a text, such as `urn:order:4f1c...`. Short ids are not replaced, because they may occur in a text by chance. */
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

  /** Returns a placeholder for a value that must not be shown. The script takes the value from an answer or from the environment. */
  hidden(value: string, name: string, form: Hole["form"]): Hole {
    return { variable: this.find(value, name, value.length >= 4) ?? this.#secret(value, name).variable, form };
  }

  #variableOf(source: Source): string {
    const known = this.#taken.get(source);
    if (known !== undefined) return known;
    const variable = `v${this.#taken.size + 1}`;
    this.#taken.set(source, variable);
    return variable;
  }

  #secret(value: string, name: string): Secret {
    const known = this.#secrets.get(value);
    if (known !== undefined) return known;
    const base = `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_") || "VALUE"}`;
    const taken = new Set(this.secrets.map(({ variable }) => variable));
    let variable = base;
    for (let count = 2; taken.has(variable); count++) variable = `${base}_${count}`;
    const secret = { variable, name, where: this.where };
    this.#secrets.set(value, secret);
    return secret;
  }
}

function kinship(source: Source, name: string): number {
  const one = name.replace(/s$/, "").toLowerCase();
  if (one === "") return 0;
  if (source.name.toLowerCase() === name.toLowerCase()) return 2;
  if (source.path.toLowerCase().split("/").includes(name.toLowerCase())) return 2;
  return source.name.toLowerCase().startsWith(one) ? 1 : 0;
}
