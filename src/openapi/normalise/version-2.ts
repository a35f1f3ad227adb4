import { entriesOf, isPlain, listOf, own, put, textOf, type Plain } from "../parse/plain.ts";
import type { References } from "./references.ts";

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/** Keywords that are part of a parameter or header in OpenAPI 2.0, and part of its schema in OpenAPI 3.0. */
const IN_SCHEMA =
  "type format items default enum pattern multipleOf uniqueItems x-nullable maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength maxItems minItems".split(
    " ",
  );

const MOVED: readonly (readonly [from: string, to: string])[] = [
  ["definitions", "schemas"],
  ["parameters", "parameters"],
  ["responses", "responses"],
  ["securityDefinitions", "securitySchemes"],
];

/** Converts a `$ref` of OpenAPI 2.0 to the `$ref` that the same object has in 3.0. */
export function movedRef(ref: string): string {
  for (const [from, to] of MOVED) if (ref.startsWith(`#/${from}/`)) return `#/components/${to}/${ref.slice(from.length + 3)}`;
  return ref;
}

/** Converts objects of an OpenAPI 2.0 description to 3.0, in place. Schemas are not converted here. */
export class Version2 {
  readonly #references: References;
  #consumes: readonly string[] = [JSON_TYPE];
  /** The content types of answers. Without `produces` in the description, answers may have any content type. */
  #produces: readonly string[] = ["*/*"];

  constructor(references: References) {
    this.#references = references;
  }

  document(document: Plain): void {
    this.#consumes = types(document, "consumes") ?? this.#consumes;
    this.#produces = types(document, "produces") ?? this.#produces;
    const servers = serversOf(document);
    if (servers.length > 0) document["servers"] = servers;
    const components: Plain = isPlain(own(document, "components")) ? (document["components"] as Plain) : {};
    for (const [from, to] of MOVED) {
      if (isPlain(own(document, from))) components[to] = document[from];
      delete document[from];
    }
    for (const [, scheme] of entriesOf(components["securitySchemes"])) if (isPlain(scheme)) securityScheme(scheme);
    document["components"] = components;
    for (const key of ["host", "basePath", "schemes", "consumes", "produces"]) delete document[key];
    this.#references.forget();
  }

  /** Moves the body parameters of a path item to each of its operations. */
  pathItem(item: Plain): void {
    const [bodies, others] = this.#parted(own(item, "parameters"));
    if (bodies.length === 0) return;
    item["parameters"] = others;
    for (const [key, operation] of Object.entries(item)) {
      if (key === "parameters" || key.startsWith("x-") || !isPlain(operation)) continue;
      const [itsOwn] = this.#parted(own(operation, "parameters"));
      if (itsOwn.length === 0) operation["parameters"] = [...listOf(own(operation, "parameters")), ...bodies];
    }
  }

  operation(operation: Plain): void {
    const [bodies, others] = this.#parted(own(operation, "parameters"));
    const consumes = types(operation, "consumes") ?? this.#consumes;
    const produces = types(operation, "produces") ?? this.#produces;
    if (bodies.length > 0) {
      operation["parameters"] = others;
      operation["requestBody"] = requestBody(bodies, consumes);
    }
    for (const [, response] of entriesOf(own(operation, "responses"))) if (isPlain(response)) this.response(response, produces);
    delete operation["consumes"];
    delete operation["produces"];
  }

  parameter(parameter: Plain): void {
    const format = own(parameter, "collectionFormat");
    const array = own(parameter, "type") === "array";
    intoSchema(parameter);
    delete parameter["collectionFormat"];
    if (!array) return;
    const inQuery = own(parameter, "in") === "query";
    parameter["style"] = !inQuery ? "simple" : format === "ssv" ? "spaceDelimited" : format === "pipes" ? "pipeDelimited" : "form";
    parameter["explode"] = inQuery && format === "multi";
  }

  header(header: Plain): void {
    intoSchema(header);
    delete header["collectionFormat"];
  }

  response(response: Plain, produces: readonly string[] = this.#produces): void {
    if (own(response, "content") !== undefined || own(response, "$ref") !== undefined) return;
    const content: Plain = {};
    const schema = own(response, "schema");
    if (schema !== undefined) for (const type of produces) put(content, type, { schema });
    for (const [type, example] of entriesOf(own(response, "examples"))) {
      const media = own(content, type);
      if (isPlain(media)) media["example"] = example;
      else if (type.includes("/")) put(content, type, { example, ...(schema !== undefined && { schema }) });
    }
    delete response["schema"];
    delete response["examples"];
    if (Object.keys(content).length > 0) response["content"] = content;
  }

  /** Separates the parameters that form the request body from all others. The `$ref`s of the body parameters are resolved. */
  #parted(parameters: unknown): readonly [bodies: readonly Plain[], others: readonly unknown[]] {
    const bodies: Plain[] = [];
    const others: unknown[] = [];
    for (const parameter of listOf(parameters)) {
      const end = this.#references.object(parameter);
      const place = end === undefined ? undefined : own(end, "in");
      if (end !== undefined && (place === "body" || place === "formData" || place === "form")) bodies.push(end);
      else others.push(parameter);
    }
    return [bodies, others];
  }
}

function requestBody(parameters: readonly Plain[], consumes: readonly string[]): Plain {
  const body = parameters.find((parameter) => own(parameter, "in") === "body");
  const content: Plain = {};
  if (body !== undefined) {
    const examples = own(body, "x-example") ?? own(body, "x-examples");
    for (const type of consumes) {
      const example = isPlain(examples) && Object.hasOwn(examples, type) ? examples[type] : undefined;
      put(content, type, { schema: own(body, "schema") ?? {}, ...(example !== undefined && { example }) });
    }
    return {
      content,
      required: own(body, "required") === true,
      ...(typeof own(body, "description") === "string" && { description: body["description"] }),
    };
  }
  const forms = consumes.filter((type) => type === FORM || type === MULTIPART);
  const file = parameters.some((parameter) => own(parameter, "type") === "file");
  for (const type of forms.length > 0 ? forms : [file ? MULTIPART : FORM]) put(content, type, { schema: formSchema(parameters) });
  return { content, required: parameters.some((parameter) => own(parameter, "required") === true) };
}

function formSchema(parameters: readonly Plain[]): Plain {
  const properties: Plain = {};
  const required: string[] = [];
  for (const parameter of parameters) {
    const name = textOf(own(parameter, "name"));
    if (name === undefined) continue;
    const copy = { ...parameter };
    intoSchema(copy);
    const { schema } = copy;
    put(properties, name, {
      ...(isPlain(schema) && schema),
      ...(typeof own(copy, "description") === "string" && { description: copy["description"] }),
    });
    if (own(parameter, "required") === true) required.push(name);
  }
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function intoSchema(described: Plain): void {
  if (own(described, "$ref") !== undefined) return;
  const schema: Plain = isPlain(own(described, "schema")) ? (described["schema"] as Plain) : {};
  for (const key of IN_SCHEMA) {
    if (!Object.hasOwn(described, key)) continue;
    schema[key] = described[key];
    delete described[key];
  }
  const example = own(described, "x-example");
  if (example !== undefined && !isPlain(example)) described["example"] = example;
  described["schema"] = schema;
}

function securityScheme(scheme: Plain): void {
  if (own(scheme, "type") === "basic") {
    scheme["type"] = "http";
    scheme["scheme"] = "basic";
  } else if (own(scheme, "type") === "oauth2" && own(scheme, "flows") === undefined) {
    const { flow, authorizationUrl, tokenUrl, scopes } = scheme;
    const name =
      flow === "application"
        ? "clientCredentials"
        : flow === "accessCode"
          ? "authorizationCode"
          : flow === "password"
            ? "password"
            : "implicit";
    scheme["flows"] = {
      [name]: {
        ...(authorizationUrl !== undefined && { authorizationUrl }),
        ...(tokenUrl !== undefined && { tokenUrl }),
        scopes: scopes ?? {},
      },
    };
    for (const key of ["flow", "authorizationUrl", "tokenUrl", "scopes"]) delete scheme[key];
  }
}

function serversOf(document: Plain): readonly Plain[] {
  const host = textOf(own(document, "host"));
  const base = textOf(own(document, "basePath")) ?? "";
  const path = base === "" || base.startsWith("/") ? base : `/${base}`;
  if (host === undefined || host === "") return path === "" ? [] : [{ url: path }];
  const schemes = listOf(own(document, "schemes")).filter((scheme) => scheme === "http" || scheme === "https");
  // Without `schemes`, the API uses the scheme of the URL from which the description was read. Return a URL of the form `//host`, because a relative
  // URL takes its scheme from there.
  return schemes.length === 0 ? [{ url: `//${host}${path}` }] : schemes.map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}

function types(object: Plain, key: string): readonly string[] | undefined {
  const found = listOf(own(object, key)).filter((type) => typeof type === "string" && type !== "");
  return found.length === 0 ? undefined : (found as readonly string[]);
}
