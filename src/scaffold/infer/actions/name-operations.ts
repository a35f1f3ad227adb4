import type { Operation } from "../../../openapi/operations/description.ts";
import type { Called } from "../resources/found-resource.ts";
import { groupName } from "../resources/group-name.ts";
import { identifier, shortHash, unique } from "../resources/identifiers.ts";
import { saysNothing, type PathShape } from "../resources/path-shape.ts";
import { singular, singularName, snake, words } from "../resources/words.ts";

export interface OperationName {
  readonly name: string;
  readonly group: string;
}

/**
 * Chooses the name and the file for the action of each operation. If two operations would get the same name, the later operation is named by its
 * method and path. Therefore, an operation that is added at the end of the description does not change the names of other operations.
 */
export function nameOperations(calls: readonly Called[]): ReadonlyMap<Operation, OperationName> {
  const taken = new Set<string>();
  return new Map(
    calls.map(({ operation, path }) => {
      const byPath = identifier(nameOfPath(operation, path), "call");
      const own = identifier(snake(operation.id ?? ""), "call");
      const hashed = identifier(`${byPath.slice(0, 50)}_${shortHash(`${operation.method} ${operation.path}`)}`, "call");
      const names = snake(operation.id ?? "") === "" ? [byPath, hashed] : [own, byPath, hashed];
      return [operation, { name: unique(taken, ...names), group: groupOf(operation, path) }];
    }),
  );
}

const VERBS: Readonly<Record<Operation["method"], string>> = {
  get: "get",
  post: "post",
  put: "replace",
  patch: "update",
  delete: "delete",
  head: "head",
  options: "options",
  trace: "trace",
};

/** Returns a name from the HTTP method and the URL path: `create_order`, `list_orders`, `get_order`, `post_order_pay`. */
function nameOfPath({ method }: Operation, { segments }: PathShape): string {
  const parts = segments.filter((segment) => segment.kind !== "literal" || !saysNothing(segment.text));
  const last = parts.at(-1);
  const name = parts
    .flatMap((segment, at) => {
      if (segment.kind === "mixed") return segment.names.map(snake);
      if (segment.kind === "parameter") return parts[at - 1]?.kind === "literal" ? [] : [snake(segment.name)];
      return [parts[at + 1]?.kind === "parameter" ? singularName(segment.text) : snake(segment.text)];
    })
    .filter((one) => one !== "")
    .join("_");
  const plural =
    last?.kind === "literal" &&
    words(last.text)
      .slice(-1)
      .some((word) => singular(word) !== word);
  if (plural && method === "get") return `list_${name}`;
  if (plural && method === "post") return `create_${[...name.split("_").slice(0, -1), singular(name.split("_").at(-1)!)].join("_")}`;
  return `${VERBS[method]}_${name === "" ? "root" : name}`;
}

function groupOf({ tags }: Operation, { segments }: PathShape): string {
  const literal = segments.find((segment) => segment.kind === "literal" && !saysNothing(segment.text));
  const named = [tags[0] ?? "", literal?.kind === "literal" ? literal.text : ""].map((name) => words(name).join("-"));
  return groupName(named.find((one) => one !== "") ?? "api");
}
