import { operationCode } from "../../messages/lane-messages.ts";
import type { Exchange } from "../../model/http/client.ts";
import { OperationIndex, type IndexedDescription, type IndexedOperation } from "../../openapi/conformance/operation-index.ts";

/** The operations of an OpenAPI description, indexed so that the operation of a request can be found. Plain data. */
export type DescribedOperations = IndexedDescription<IndexedOperation>;

/** Finds the operations that a lane's requests call. */
export class CalledOperations {
  readonly #index: OperationIndex<IndexedOperation>;
  readonly #numbers: ReadonlyMap<IndexedOperation, number>;

  /** @param baseUrl The URL of the lane's target; empty if there is none. */
  constructor(described: DescribedOperations, baseUrl: string) {
    this.#index = new OperationIndex(described, URL.canParse(baseUrl) ? new URL(baseUrl).pathname : "");
    this.#numbers = new Map(described.operations.map((operation, number) => [operation, number]));
  }

  /** Returns codes of {@link operationCode} for the answers that described operations gave. Each code occurs once, in ascending order. */
  codes(exchanges: readonly Exchange[]): readonly number[] {
    const codes = new Set<number>();
    for (const exchange of exchanges) {
      if (exchange.kind !== "answer" || exchange.response.request === undefined) continue;
      const { statusCode, request } = exchange.response;
      const operation = this.#index.find(request.method, request.url);
      if (operation !== undefined) codes.add(operationCode(this.#numbers.get(operation)!, statusCode));
    }
    return [...codes].toSorted((a, b) => a - b);
  }
}
