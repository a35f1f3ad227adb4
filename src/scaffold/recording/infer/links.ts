import type { Json, PlannedKey, Production } from "../../infer/plan.ts";
import { identifier, unique } from "../../infer/resources/identifiers.ts";
import { snake } from "../../infer/resources/words.ts";
import type { RecordedCall } from "../recorded-call.ts";
import { isSecret, isSecretName } from "./secrets.ts";
import { idName, isOpaque, nounOfPath, nounOfSegments } from "./nouns.ts";

/** A value in a recorded answer that a later request may send. */
interface Source {
  readonly call: number;
  /** The path of the value in the JSON body. `undefined` if the value is the last URL segment of the header `Location`. */
  readonly path: readonly (string | number)[] | undefined;
  readonly text: string;
  readonly type: PlannedKey["type"];
  readonly noun: string;
  /** The id word in the name of the field, for example `id` or `token`. `undefined` if the name contains no id word. */
  readonly kind: string | undefined;
  readonly creates: boolean;
}

export interface Use {
  readonly text: string;
  /** The word for the object to which the value belongs: `order` for a URL segment after `/orders`, and for a field `order_id`. */
  readonly noun: string;
  /** `true` if the value is in a segment of the URL path, or in a field named like an id. */
  readonly takesId: boolean;
  /**
   * `true` if the value is a secret because of its place in the request. Default: `false`: the value is a secret only if its name and text suggest
   * it.
   */
  readonly isSecret?: boolean;
}

/** The maximum number of values of one answer that are examined. `LONGEST` limits the length of each value. */
const MOST_VALUES = 2_000;
const LONGEST = 200;

/** Finds the earlier recorded answer that contains a value of a request, and chooses a context key for the value. */
export class Links {
  readonly #byText = new Map<string, Source[]>();
  readonly #keys = new Map<Source, string>();
  readonly #taken = new Set<string>();
  readonly #productions = new Map<number, Production[]>();
  readonly #types = new Map<string, PlannedKey["type"]>();
  /** Maps the names of Postman variables to context keys. */
  readonly #named = new Map<string, string>();

  /**
   * Returns the context key for a value that an earlier answer contains. Returns `undefined` if there is no such answer, or if the values are
   * probably equal by accident.
   */
  keyFor(use: Use): string | undefined {
    let best: { readonly source: Source; readonly score: number } | undefined;
    for (const source of this.#byText.get(use.text) ?? []) {
      const score = scoreOf(source, use);
      if (score > 0 && (best === undefined || score > best.score)) best = { source, score };
    }
    return best && this.#keyOf(best.source);
  }

  /** Returns `true` if the answer of an earlier call sets the Postman variable. */
  isSet(variable: string): boolean {
    return this.#named.has(variable) && [...this.#productions.values()].flat().some(({ key }) => key === this.#named.get(variable));
  }

  /** Returns the context key for a Postman variable. If no script of the collection sets the variable, the user has to set the key. */
  keyNamed(variable: string): string {
    const known = this.#named.get(variable);
    if (known !== undefined) return known;
    const key = unique(this.#taken, identifier(snake(variable), "value"));
    this.#named.set(variable, key);
    this.#types.set(key, "unknown");
    return key;
  }

  /**
   * Stores the values of a recorded answer, so that later requests can be compared with them.
   * @param isOwn `true` for the login and the registration of the user. Their answers contain secrets, which are left out.
   */
  answered(call: number, recorded: RecordedCall, isOwn: boolean = false): void {
    const { answer, sets, segments, method } = recorded;
    for (const [variable, path] of sets ?? []) {
      if (isOwn && (isSecretName(variable) || path.some((name) => isSecretName(String(name))))) continue;
      // A new key replaces the key of an earlier call that sets the same variable. Later requests therefore use the latest value.
      const key = unique(this.#taken, identifier(snake(variable), "value"));
      this.#named.set(variable, key);
      this.#types.set(key, typeAt(answer?.body, path));
      this.#produce(call, { key, from: "body", path });
    }
    if (answer === undefined || answer.status >= 400) return;
    const sent = sentTexts(recorded);
    const noun = nounOfSegments(segments);
    // If the request and the answer contain the id of the same other object (for example, of an item in an order), the call did not create that
    // object.
    const references = referencesIn(recorded);
    // An id that the request contains is the id of an item that existed before.
    const creates = (text: string): boolean => method === "post" && !sent.has(text) && !segments.includes(text);
    let left = MOST_VALUES;
    const visit = (value: Json, path: readonly (string | number)[]): void => {
      if (left <= 0) return;
      if (Array.isArray(value)) (value as readonly Json[]).forEach((one, index) => visit(one, [...path, index]));
      else if (typeof value === "object" && value !== null) for (const [name, of] of Object.entries(value)) visit(of, [...path, name]);
      else if (typeof value === "string" || typeof value === "number") {
        left--;
        const name = String(path.findLast((one) => typeof one === "string") ?? "id");
        const { noun: own, kind } = idName(name);
        const text = String(value);
        if (text === "" || text.length > LONGEST || (kind === undefined && (typeof value === "number" || sent.has(text)))) return;
        if (isOwn && isSecret(name, value)) return;
        if (own !== "" && own !== noun && references.has(`${own} ${text}`)) return;
        const type = typeof value as "string" | "number";
        this.#add({
          call,
          path,
          text,
          type,
          noun: [own, nounOfPath(path), noun].find((one) => one !== "") ?? "",
          kind,
          creates: creates(text),
        });
      }
    };
    if (answer.body !== undefined) visit(answer.body, []);
    const last = /\/([^/?#]+)\/?(?:[?#]|$)/.exec(answer.location ?? "")?.[1];
    if (last !== undefined && method === "post" && !isOwn)
      this.#add({ call, path: undefined, text: decoded(last), type: "string", noun, kind: "id", creates: creates(decoded(last)) });
  }

  productionsOf(call: number): readonly Production[] {
    return this.#productions.get(call) ?? [];
  }

  /** Returns all context keys in the order in which they were chosen. `open` lists the keys that no action sets. */
  keys(): { readonly all: readonly PlannedKey[]; readonly open: readonly string[] } {
    const produced = new Set([...this.#productions.values()].flat().map(({ key }) => key));
    const all = [...this.#types].map(([key, type]): PlannedKey => ({ key, type }));
    return { all, open: all.map(({ key }) => key).filter((key) => !produced.has(key)) };
  }

  #add(source: Source): void {
    const known = this.#byText.get(source.text);
    if (known === undefined) this.#byText.set(source.text, [source]);
    else known.push(source);
  }

  #keyOf(source: Source): string {
    const known = this.#keys.get(source);
    if (known !== undefined) return known;
    const { call, path, noun, kind = "value", type } = source;
    const key = unique(this.#taken, identifier(noun === "" ? kind : `${snake(noun)}_${kind}`, "id"));
    this.#keys.set(source, key);
    this.#types.set(key, type);
    this.#produce(call, path === undefined ? { key, from: "location" } : { key, from: "body", path });
    return key;
  }

  #produce(call: number, production: Production): void {
    this.#productions.set(call, [...this.productionsOf(call), production]);
  }
}

/**
 * Returns a score for the assumption that the value in a request comes from this answer. The score is 0 if the values are probably equal by accident.
 * It is higher if the call created the object with this value.
 */
function scoreOf({ text, noun, kind, creates }: Source, use: Use): number {
  const sameNoun = noun !== "" && noun === use.noun;
  const isLikely = isOpaque(text) ? kind !== undefined || use.takesId || sameNoun : kind !== undefined && use.takesId && sameNoun;
  if (!isLikely) return 0;
  return 1 + (sameNoun ? 4 : 0) + (kind === undefined ? 0 : 2) + (creates ? 1 : 0);
}

function typeAt(body: Json | undefined, path: readonly (string | number)[]): PlannedKey["type"] {
  let value: unknown = body;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "unknown";
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return typeof value === "string" || typeof value === "number" ? (typeof value as "string" | "number") : "unknown";
}

/**
 * Returns the texts that a request sent. A text that a request sends does not originate from its own answer, even if this answer contains the text.
 */
function sentTexts({ query, body }: RecordedCall): ReadonlySet<string> {
  const texts = new Set(query.map(([, value]) => value));
  const visit = (value: Json): void => {
    if (typeof value === "string" || typeof value === "number") texts.add(String(value));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach((one) => visit(one));
  };
  if (body?.as === "json") visit(body.value);
  if (body !== undefined && "fields" in body) for (const [, value] of body.fields) texts.add(value);
  return texts;
}

/** Returns the ids of other objects that a request sends, each with the word for the object: `item 7` for a field `item_id`, and for `/items/7`. */
function referencesIn({ segments, query, body }: RecordedCall): ReadonlySet<string> {
  const found = new Set(segments.map((segment, at) => `${nounOfSegments(segments.slice(0, at))} ${segment}`));
  const add = (name: string, value: unknown): void => void found.add(`${idName(name).noun} ${String(value)}`);
  const visit = (value: Json, name: string): void => {
    if (Array.isArray(value)) (value as readonly Json[]).forEach((one) => visit(one, name));
    else if (typeof value === "object" && value !== null) for (const [key, of] of Object.entries(value)) visit(of, key);
    else add(name, value);
  };
  for (const [name, text] of query) add(name, text);
  if (body?.as === "json") visit(body.value, "");
  if (body !== undefined && "fields" in body) for (const [name, text] of body.fields) add(name, text);
  return found;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
