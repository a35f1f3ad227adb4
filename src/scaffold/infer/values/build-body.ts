import type { MediaType, Operation, Schema } from "../../../openapi/operations/description.ts";
import { answersStatus, isJson, schemaOf } from "../actions/answers.ts";
import { buildValue, type Field, type Knowledge, type Wish } from "./build-value.ts";
import { asJson, constant, type Built } from "./built.ts";
import type { Drafting, Need } from "../actions/drafting.ts";
import { drawnValue, requestKey, type Draw } from "./drawn-value.ts";
import type { FoundResource } from "../resources/found-resource.ts";
import type { Json, PlannedBody, PlannedValue } from "../plan.ts";
import { isRecord } from "./schemas.ts";
import { looksLikeId, snake, squashed } from "../resources/words.ts";

/** The maximum number of alternatives in the schema of a body that are tried. `MOST_VALUES` limits the number of values in one attempt. */
const MOST_ALTERNATIVES = 8;
const MOST_VALUES = 20_000;

/**
 * Builds the body of a request. Returns the first body that fits its schema. If no body fits, returns the first body that was built, with a note for
 * the user.
 */
export function buildBody(drafting: Drafting): PlannedBody | undefined {
  const { call, facts, note } = drafting;
  const { operation } = call;
  if (operation.body === undefined || !takesBody(operation)) return undefined;
  const media = operation.body.media.find(({ type }) => asOf(sendable(type)) !== undefined) ?? operation.body.media[0];
  if (media === undefined) return undefined;
  const mediaType = sendable(media.type);
  const as = asOf(mediaType);
  if (as === undefined || as === "text") return textBody(media, drafting);
  const schema = schemaOf(media);
  if (schema === undefined) {
    note("body", "The description does not describe this body. Write it yourself.");
    return { as, mediaType, value: { kind: "constant", value: asJson(media.examples[0]) ?? {} } };
  }
  const files = as === "multipart" ? filesIn(schema, media.contentTypes, drafting) : [];
  const bodyOf = (value: PlannedValue): PlannedBody => ({ as, mediaType, value, ...(files.length > 0 && { files }) });
  let first: (Attempt & { readonly problem: string }) | undefined;
  for (const wish of wishes(Math.min(facts.schemas.flat(schema).alternatives, MOST_ALTERNATIVES), media)) {
    const attempt = tried(schema, wish, drafting);
    if (attempt === undefined) continue;
    const problem = facts.checker.problem(schema, attempt.built.sample);
    if (problem === undefined) return bodyOf(taken(attempt, drafting));
    first ??= { ...attempt, problem };
  }
  if (first === undefined) {
    note("body", "seqqa could not build a body that the schema allows. Write it yourself.");
    return bodyOf({ kind: "constant", value: {} });
  }
  const value = taken(first, drafting);
  note("body", `The generated value does not match its schema (${first.problem}). Correct the value.`);
  return bodyOf(value);
}

interface BodyWish extends Wish {
  readonly byExample: boolean;
  readonly full: boolean;
}

/**
 * Returns the ways to build a body, in the order in which they are tried: with examples, without examples (they can be wrong), and with all optional
 * fields, because alternatives of the schema may differ only in optional fields.
 */
function wishes(alternatives: number, { examples }: MediaType): readonly BodyWish[] {
  const each = Array.from({ length: alternatives }, (_, alternative) => alternative);
  return [
    ...each.map((alternative) => ({ name: "", alternative, examples, byExample: true, full: false })),
    ...each.map((alternative) => ({ name: "", alternative, byExample: false, full: false })),
    ...each.map((alternative) => ({ name: "", alternative, byExample: false, full: true })),
  ];
}

/**
 * A body that was built, with the context keys and notes of its values. Some of these keys and notes may belong to values that are not in the body
 * after all.
 */
interface Attempt {
  readonly built: Built;
  readonly needs: ReadonlyMap<string, Need>;
  readonly notes: ReadonlyMap<string, string>;
  readonly sent: ReadonlyMap<string, Built>;
}

function tried(schema: Schema, wish: BodyWish, drafting: Drafting): Attempt | undefined {
  const attempt = { needs: new Map(drafting.needs), notes: new Map<string, string>(), sent: new Map<string, Built>() };
  const note = (what: string, hint: string): void => void attempt.notes.set(what, hint);
  const built = buildValue(schema, wish, {
    schemas: drafting.facts.schemas,
    examples: wish.byExample,
    full: wish.full,
    steps: { left: MOST_VALUES },
    field: fieldOf({ ...drafting, needs: attempt.needs, sent: attempt.sent, note }),
  });
  return built === undefined ? undefined : { built, ...attempt };
}

function taken({ built: { value, sample }, needs, notes, sent }: Attempt, drafting: Drafting): PlannedValue {
  const keys = keysIn(value);
  for (const [key, need] of needs) if (keys.has(key)) drafting.needs.set(key, need);
  for (const [what, hint] of notes) if (standsIn(sample, what.replace("body field ", "").split("."))) drafting.note(what, hint);
  for (const [name, one] of sent) drafting.sent.set(name, one);
  return value;
}

function keysIn(value: PlannedValue): ReadonlySet<string> {
  switch (value.kind) {
    case "context":
      return new Set([value.key]);
    case "object":
      return new Set(value.entries.flatMap(([, one]) => [...keysIn(one)]));
    case "list":
      return new Set(value.items.flatMap((one) => [...keysIn(one)]));
    default:
      return new Set();
  }
}

function standsIn(value: Json, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((one) => standsIn(one, path));
  if (path.length === 0) return true;
  const [name, ...rest] = path as [string, ...string[]];
  return isRecord(value) && Object.hasOwn(value, name) && standsIn(value[name] as Json, rest);
}

/** Maps the first part of a media type range, such as `text` in `text/*`, to the media type that is sent. For other ranges, JSON is sent. */
const OF_RANGE: ReadonlyMap<string, string> = new Map([
  ["text", "text/plain"],
  ["image", "image/png"],
  ["audio", "audio/mpeg"],
  ["video", "video/mp4"],
  ["multipart", "multipart/form-data"],
]);

/** Returns the media type that a request sends. The header `Content-Type` must not contain a range such as `image/*`. */
function sendable(type: string): string {
  return type.includes("*") ? (OF_RANGE.get(type.split("/")[0]!) ?? "application/json") : type;
}

function asOf(type: string): PlannedBody["as"] | undefined {
  if (isJson(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "multipart";
  return type.startsWith("text/") ? "text" : undefined;
}

/** Returns the fields of a multipart body that are files, or lists of files. */
function filesIn(
  schema: Schema,
  types: MediaType["contentTypes"],
  { facts: { schemas }, note }: Drafting,
): NonNullable<PlannedBody["files"]> {
  return [...schemas.flat(schema).properties].flatMap(([name, property]) => {
    const own = schemas.flat(property);
    const { keywords } = own.types.has("array") ? schemas.flat(own.keywords["items"] as Schema | undefined) : own;
    const { format, contentEncoding, contentMediaType } = keywords;
    const encoded = types?.get(name);
    const said = contentMediaType ?? (encoded === undefined || encoded === "text/plain" ? undefined : sendable(encoded));
    const type = typeof said === "string" && /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said : undefined;
    // JSON, and content with an encoding such as base64, is sent as a text field.
    const isBinary = format === "binary" || contentEncoding === "binary" || (type !== undefined && contentEncoding === undefined);
    if (!isBinary || (type !== undefined && isJson(type))) return [];
    if (type === undefined || type === "application/octet-stream") return [{ name }];
    if (!type.startsWith("text/"))
      note(`body field ${name}`, `seqqa cannot generate files of type ${type}. Write the content of the file.`);
    return [{ name, contentType: type }];
  });
}

function textBody(media: MediaType, { note }: Drafting): PlannedBody {
  const example = media.examples[0];
  const mediaType = sendable(media.type);
  if (typeof example !== "string" && !mediaType.startsWith("text/"))
    note("body", `seqqa cannot generate bodies of type ${media.type}. Write the body yourself.`);
  return { as: "text", mediaType, value: { kind: "constant", value: typeof example === "string" ? example : "example" } };
}

/** Returns a function that chooses the values that do not follow from a field's schema: ids of existing items, and values that must be unique. */
function fieldOf(drafting: Drafting): Knowledge["field"] {
  const { call, facts, kind, avoid, needs, note, sent } = drafting;
  const { index, checker, schemas } = facts;
  const givesByField = new Set(
    [...facts.producers.values()]
      .flat()
      .flatMap(({ call: one, source }) => (one === call && source.kind === "sentField" ? [source.name] : [])),
  );
  const own = kind.resource;
  return (field, sample) => {
    const { name, schema, required, inside, list = name } = field;
    const top = inside.length === 0;
    if (top && givesByField.has(name)) {
      const built = chosen(field, sample);
      sent.set(name, built);
      return built;
    }
    if (top && own !== undefined && name === own.id) {
      // Do not send an optional id: either the URL path already contains the id, or the item is new and has no id yet.
      if (kind.kind === "create" || call.path.shapes.includes(own.shape)) return required ? undefined : "omit";
      if (kind.kind === "update" && index.produced(own.key)) return context(own.key, required, sample);
    }
    const key = required ? requestKey(name, "body", schema, checker) : undefined;
    if (key !== undefined) return key;
    const resource = index.ofBodyField(field, call);
    // `true` if the body has the schema of an item that the request creates, as in `POST /users/batch`. If so, the field `id` is the id of the new
    // item.
    const itself = inside.length === 0 && resource !== undefined && call.operation.method === "post" && isOne(field, resource);
    if (resource !== undefined && !avoid.has(resource.key) && !itself && !(kind.kind === "create" && own === resource)) {
      return context(resource.key, required, sample);
    }
    const unlike = kind.kind === "create" || isRegistration(drafting) ? mustDiffer(field, drafting) : [];
    const drawn = unlike.length > 0 && schemas.flat(schema).types.has("string") ? drawnValue(unlike, schema, checker) : undefined;
    if (drawn !== undefined && (required || field.object.required.size === 0)) return drawn;
    // A top-level field with the name `id` is the id of the new item itself. The value of any other id must come from another operation, or from the
    // user.
    if (required && looksLikeId(name) && (!top || snake(name) !== "id") && !givenByDescription(field)) {
      note(
        `body field ${[...inside, list].filter((one) => one !== "").join(".")}`,
        "This field seems to be an id, but no call returns it. Write an id that exists.",
      );
    }
    return undefined;
  };

  function isOne({ of }: Field, resource: FoundResource): boolean {
    return schemas.identities(of).some((one) => resource.identities.has(one));
  }

  function context(key: string, required: boolean, sample: () => Json): Built {
    if (needs.get(key) !== "path" && needs.get(key) !== "required") needs.set(key, required ? "required" : "optional");
    return { value: { kind: "context", key }, sample: sample() };
  }

  function chosen(field: Field, sample: () => Json): Built {
    const calls = mustDiffer(field, drafting);
    const uuid = schemas.flat(field.schema).keywords["format"] === "uuid";
    return drawnValue(uuid ? ["uuid"] : calls, field.schema, checker) ?? constant(sample());
  }

  function givenByDescription({ schema }: Field): boolean {
    const { keywords } = schemas.flat(schema);
    return ["example", "examples", "default", "const", "enum"].some((one) => keywords[one] !== undefined);
  }
}

/** Patterns of field names whose values must always be unique. `ON_CONFLICT` lists further fields, for operations that can answer 409. */
const ALWAYS: readonly (readonly [RegExp, readonly Draw[]])[] = [
  [/^(user|login|account|nick)name$|^login$|^handle$/, ["username", "word"]],
  [/email(address)?$|^mail$/, ["email"]],
];
const ON_CONFLICT: readonly (readonly [RegExp, readonly Draw[]])[] = [
  // Try a UUID first, because states that differ only in UUIDs are merged, so a random UUID does not cause additional states.
  [/^(slug|code|sku|key|identifier|reference)$/, ["uuid", "word"]],
  [/^(name|title|displayname|label)$/, ["uuid", "name", "word"]],
  [/^phone(number)?$/, ["phone"]],
];

function mustDiffer({ name, schema, inside }: Field, { call, facts }: Drafting): readonly Draw[] {
  if (inside.length > 1) return [];
  const squash = squashed(name);
  const own = ALWAYS.find(([pattern]) => pattern.test(squash));
  if (own !== undefined) return own[1];
  if (facts.schemas.flat(schema).keywords["format"] === "email") return ["email"];
  const conflict = answersStatus(call.operation, "409") && inside.length === 0;
  return conflict ? (ON_CONFLICT.find(([pattern]) => pattern.test(squash))?.[1] ?? []) : [];
}

function isRegistration({ call: { operation } }: Drafting): boolean {
  return operation.method === "post" && /register|signup|registration/.test(squashed(`${operation.id ?? ""} ${operation.path}`));
}

/**
 * Returns `true` if a request with this method sends a body. In `GET` and `HEAD` a body has no defined meaning. In `DELETE`, a body is sent only if
 * the description requires it.
 */
function takesBody({ method, body }: Operation): boolean {
  return body !== undefined && method !== "get" && method !== "head" && (method !== "delete" || body.required);
}
