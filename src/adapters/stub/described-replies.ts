import { resolve } from "node:path";
import { reply, type Reply } from "../../mocking/reply.ts";
import { OperationIndex } from "../../openapi/conformance/operation-index.ts";
import { readDescription } from "../../openapi/index.ts";
import type { ApiDescription, DescribedResponse, MediaType, Operation } from "../../openapi/operations/description.ts";
import { buildValue } from "../../scaffold/infer/values/build-value.ts";
import { asJson } from "../../scaffold/infer/values/built.ts";
import { Schemas } from "../../scaffold/infer/values/schemas.ts";

/** The maximum number of values in one body. */
const MOST_VALUES = 20_000;

/** Makes the replies of a stub from an OpenAPI description. Equal requests get equal replies. */
export class DescribedReplies {
  readonly #index: OperationIndex;
  readonly #schemas: Schemas;
  readonly #made = new Map<Operation, Reply>();

  constructor(description: ApiDescription) {
    this.#index = new OperationIndex(description);
    this.#schemas = new Schemas(description);
  }

  /** Reads an OpenAPI description. @param file A path; a URL is not read. @throws SeqqaError `DESCRIPTION_*` with exit status 2 */
  static async read(file: string): Promise<DescribedReplies> {
    return new DescribedReplies(await readDescription(resolve(file), { cwd: process.cwd(), allowRefs: false }));
  }

  /**
   * Returns the reply to a request: the first 2xx response of its operation, else the `default` response with status 200, else 200 without a body.
   * The body is the example of the response, or a value made from its schema. Returns `undefined` if the description does not contain the request's
   * operation.
   */
  replyTo(method: string, path: string): Reply | undefined {
    const operation = this.#index.find(method, path);
    if (operation === undefined) return undefined;
    let made = this.#made.get(operation);
    if (made === undefined) this.#made.set(operation, (made = this.#make(operation)));
    return made;
  }

  #make({ responses }: Operation): Reply {
    const good = responses.filter(({ status }) => /^2(?:\d\d|XX)$/i.test(status)).toSorted((a, b) => (a.status < b.status ? -1 : 1));
    const response: DescribedResponse | undefined = good[0] ?? responses.find(({ status }) => status === "default");
    const status = /^2\d\d$/.test(response?.status ?? "") ? Number(response!.status) : 200;
    const media = response?.media[0];
    if (media === undefined || status === 204 || status === 205) return reply(undefined, { status });
    const body = this.#body(media);
    const isJson = /^application\/(?:json|[^;]*\+json)$/i.test(media.type);
    const text = isJson && typeof body === "string" ? JSON.stringify(body) : body;
    return reply(text, { status, ...(isType(media.type) && { headers: { "content-type": media.type } }) });
  }

  #body({ examples, schema }: MediaType): unknown {
    const example = asJson(examples[0]);
    if (example !== undefined || schema === undefined) return example;
    return buildValue(
      schema,
      { name: "" },
      {
        schemas: this.#schemas,
        examples: true,
        full: true,
        leftOut: "writeOnly",
        steps: { left: MOST_VALUES },
        field: () => undefined,
      },
    )?.sample;
  }
}

/** Returns `false` for a range of media types such as `text/*`, and for a text that no header can contain. */
function isType(type: string): boolean {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type);
}
