import type { Knowledge } from "../compare/knowledge.ts";
import { hashText32 } from "../hash/hasher.ts";
import type { Origin } from "../values/origins.ts";
import { replaceJwts, replaceSigned, singular, tableOf } from "../values/places.ts";
import { isFixed, momentOf, offsetFromStep, type Moment } from "../values/times.ts";
import { SHORTEST_WORD, splitAtWords, wordOf } from "../values/words.ts";
import type { StepOrigin } from "./step-origin.ts";
import type { TimeNames } from "./time-names.ts";

const ISO_TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const ENCODED_COLON = /%3a/gi;
/** The claims of a JWT that are times (RFC 7519, 4.1; OpenID Connect Core, 2). */
const TIME_CLAIMS: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "auth_time", "updated_at"]);
/** Matches a value in headers, URLs or JSON that contains punctuation which tokens contain, too (`.`, `%`, `~`, `|`). */
const SEVERAL_WORDS = /(?<![^\s;,"'/?&=:{}()[\]<>.%~|])[^\s;,"'/?&=:{}()[\]<>.%~|]+(?:[.%~|][^\s;,"'/?&=:{}()[\]<>.%~|]*)+={0,2}/g;
/** Matches the value of a cookie, which may be base64 with `+`, `/` and `=`. */
const COOKIE_VALUE = /(?<==)[^;\s]+/g;
export const INTEGER: RegExp = /^-?\d+$/;

/** The generated values that requests of a step may contain. */
export interface RequestValues {
  readonly step: StepOrigin;
  /** The names of the values of the root state, by their keys. */
  readonly constants: ReadonlyMap<string, string>;
  /** The values of earlier steps, by their keys. */
  readonly ids: ReadonlyMap<string, Origin>;
  /** The values that the step generated: texts, and the keys of integers. */
  readonly fresh: ReadonlySet<string>;
}

/**
 * Names new values by the request that generated them. The name is a hash of the request (its shape), in which generated values and times are
 * replaced by their names, so that equal steps in equal states give equal names.
 */
export class RequestShapes {
  readonly #counters: readonly Counter[];
  readonly #noisy: ReadonlySet<string>;
  readonly #times: TimeNames;

  constructor(knowledge: Knowledge, times: TimeNames) {
    this.#counters = countersOf(knowledge);
    this.#noisy = new Set(knowledge.noisyActions);
    this.#times = times;
  }

  /**
   * Returns the name of a new value, made from the first request whose answer contains the value. If no answer contains the value, the name is made
   * from all requests of the step.
   */
  nameOf(text: string, values: RequestValues): Pick<Origin, "label" | "shape" | "ancestry"> {
    const { step } = values;
    const texts = new RequestTexts(values, this.#counters, this.#times);
    let sent = step.action;
    if (!this.#noisy.has(step.action)) {
      const requests = text.length < SHORTEST_WORD ? [] : step.exchanges.filter(({ answer }) => answer.includes(text)).slice(0, 1);
      for (const { method, path, body, acting } of requests.length > 0 ? requests : step.exchanges) {
        const [place = "", query] = path.replace(ENCODED_COLON, ":").split(/(?=\?)/);
        sent += `\n${texts.shapeOf(acting)}\n${texts.shapeOf(place, true)}${query === undefined ? "" : texts.shapeOf(query)}\n${texts.shapeOf(body)}`;
        sent += `\n${method}`;
      }
    }
    const shape = hashText32(sent).toString(36);
    const sorted = [...texts.ancestry].toSorted();
    return { shape, ancestry: sorted, label: hashText32(`${shape}\n${sorted.join()}`).toString(36) };
  }
}

/** Writes the texts of requests with generated values replaced by their places, and times by their names. */
class RequestTexts {
  /** The request hashes of the generated values that were found, and the ancestry of these values; see {@link Origin.ancestry}. */
  readonly ancestry: Set<string> = new Set();
  readonly #values: RequestValues;
  readonly #counters: readonly Counter[];
  readonly #times: TimeNames;

  constructor(values: RequestValues, counters: readonly Counter[], times: TimeNames) {
    this.#values = values;
    this.#counters = counters;
    this.#times = times;
  }

  shapeOf(text: string, isPath: boolean = false): string {
    const claim = (name: string, value: unknown): unknown => this.#claim(name, value);
    // A token that is a generated value as a whole has one name. Do not look at its claims, whose values the state may not contain, such as the id of
    // a deleted session.
    const signed = replaceSigned(text, (payload, token) => this.#value(token) ?? `${JSON.stringify(payload, claim)}<time>`);
    const plain = replaceJwts(signed, (claims, token) => this.#value(token) ?? JSON.stringify(claims, claim))
      .replace(ISO_TIME, (time) => {
        const moment = momentOf(time);
        return moment === undefined ? time : this.#time(moment, time);
      })
      .replace(COOKIE_VALUE, (whole) => this.#value(whole) ?? whole)
      // Replace a signed cookie as a whole, because it is one value although it consists of several words.
      .replace(SEVERAL_WORDS, (whole) => this.#value(whole) ?? whole);
    const whole = plain.includes(":") ? momentOf(plain) : undefined;
    if (whole !== undefined) return this.#time(whole, plain);
    const parts = splitAtWords(plain, (word, after) => {
      const name = this.#value(word, this.#counted(word, after, isPath || /id$/i.test(after)));
      if (name !== undefined) return name;
      const moment = INTEGER.test(word) ? momentOf(Number(word)) : /[:.]/.test(word) ? momentOf(word) : undefined;
      return moment && this.#time(moment, word);
    });
    return parts === undefined ? plain : parts.map(({ text: part, found }) => found ?? part).join("");
  }

  /**
   * Returns the name of a time in a request. A stored time that the request sends back keeps its name, which does not depend on the age of the time.
   */
  #time(moment: Moment, text: string): string {
    const { step } = this.#values;
    const origin = this.#times.originOf(moment.ms);
    if (origin === undefined && isFixed(moment, step, 1_000)) return text;
    return `<${origin?.name ?? `step${offsetFromStep(moment, step, 1_000)}`}>`;
  }

  /** Returns the name of a claim's value in a token, or the value itself. */
  #claim(name: string, value: unknown): unknown {
    if (TIME_CLAIMS.has(name)) return "<time>";
    if (typeof value !== "string" && typeof value !== "number") return value;
    return this.#value(String(value), this.#counted(String(value), name, true)) ?? value;
  }

  /** Returns the name of a generated value. @param counted The value's key if it is an integer of a counter. */
  #value(word: string, counted: string = ""): string | undefined {
    const { fresh, constants, ids } = this.#values;
    if (fresh.has(word) || fresh.has(counted)) return "<new>";
    const { key } = wordOf(word);
    const constant = constants.get(key) ?? constants.get(counted);
    if (constant !== undefined) return `<${constant}>`;
    const origin = ids.get(key) ?? ids.get(counted);
    if (origin === undefined) return undefined;
    this.ancestry.add(origin.shape);
    for (const one of origin.ancestry) this.ancestry.add(one);
    return `<${origin.domain}>`;
  }

  /**
   * Returns the key of a generated integer in a request; `undefined` if the word is not such an integer. Counters of several tables may have given
   * the same integer by chance, so the table must be named before the word (`/orders/17`, `order_id`). If no table is named and the word is an id
   * (`isId`), the integer must come from a counter whose values clients hold.
   */
  #counted(word: string, before: string, isId: boolean): string | undefined {
    if (!INTEGER.test(word)) return undefined;
    const { fresh, constants, ids } = this.#values;
    const isKnown = (key: string): boolean => ids.has(key) || constants.has(key) || fresh.has(key);
    const named = before.toLowerCase();
    const all = this.#counters.filter(({ domain }) => isKnown(`${domain}:${word}`));
    const ofTable = all.find(({ table }) => table !== undefined && named.includes(table));
    // A plural noun before the number, such as `products`, names another table. The number is then not treated as an id that clients hold.
    const counter = ofTable ?? (isId && !named.endsWith("s") ? all.find(({ isHeld }) => isHeld) : undefined);
    return counter && `${counter.domain}:${word}`;
  }
}

/** A counter that generates integers. */
interface Counter {
  readonly domain: string;
  /** The {@link singular} name of the counter's table. */
  readonly table: string | undefined;
  /** `true` if integers of the counter occur in the context or in a client. */
  readonly isHeld: boolean;
}

function countersOf({ generated }: Knowledge): readonly Counter[] {
  const held = new Set(generated.filter(({ place }) => tableOf(place) === undefined).map(({ domain }) => domain));
  return [...new Set(generated.flatMap(({ domain }) => domain ?? []))].map((domain) => {
    const table = tableOf(domain);
    return { domain, table: table === undefined ? undefined : singular(table), isHeld: held.has(domain) };
  });
}
