import type { Linked } from "../facts.ts";
import { placeOfParameter } from "../facts.ts";
import type { FoundResource } from "../resources/found-resource.ts";
import { isGeneric } from "../resources/id-field.ts";
import { identifier, unique } from "../resources/identifiers.ts";
import type { LinkEdge } from "./links.ts";
import type { Producer, Source } from "../actions/producers.ts";
import { snake } from "../resources/words.ts";

/**
 * Adds the values that OpenAPI links pass between operations to the values that were inferred from names and schemas. If a parameter has both, the
 * value of the link is used.
 */
export function followLinks(
  edges: readonly LinkEdge[],
  resources: readonly FoundResource[],
  producers: Map<string, readonly Producer[]>,
): ReadonlyMap<string, Linked> {
  const linked = new Map<string, Linked>();
  const taken = new Set(resources.map(({ key }) => key));
  // Links from an operation that creates an item come first. If several links set the same parameter, the first link is used.
  const creating = edges.filter(({ from }) => from.operation.method === "post");
  for (const edge of [...creating, ...edges.filter((one) => !creating.includes(one))]) {
    const { from, source, to, link } = edge;
    const place = placeOfParameter(to.operation, edge.in, edge.name);
    if (linked.has(place)) continue;
    if (source.kind === "constant") {
      linked.set(place, { kind: "constant", value: source.value, link });
      continue;
    }
    // Ignore a link whose value an earlier request sent, because it is not the id of a new item. The exception is a field of a `POST`, with which the
    // client may choose the id of the new item.
    if (source.kind === "sentParameter" || (source.kind === "sentField" && from.operation.method !== "post")) continue;
    const own = resourceOf(edge, resources);
    const given = [...producers].find(([, all]) => all.some((one) => one.call === from && sameSource(one.source, source)))?.[0];
    if (own !== undefined && from.operation.method === "get" && (producers.has(own.key) || from.path.shapes.includes(own.shape))) continue;
    const key =
      given ?? own?.key ?? unique(taken, identifier(nameFor(edge), "value"), identifier(`${snake(link)}_${snake(edge.name)}`, "value"));
    const others = (producers.get(key) ?? []).filter((one) => one.call !== from);
    const what =
      source.kind === "body"
        ? source.path.join(".")
        : source.kind === "location"
          ? "the last part of the Location header"
          : `${source.name} in the request`;
    producers.set(key, [{ call: from, key, source, schema: edge.schema, what }, ...others]);
    linked.set(place, { kind: "key", key, link });
  }
  return linked;
}

function nameFor({ name, from }: LinkEdge): string {
  const before = from.path.segments.findLast(({ kind }) => kind === "literal");
  return isGeneric(name) && before?.kind === "literal" ? `${snake(before.text)}_${snake(name)}` : snake(name);
}

function resourceOf({ to, name, in: where }: LinkEdge, resources: readonly FoundResource[]): FoundResource | undefined {
  const at = where === "path" ? to.path.segments.findIndex((segment) => segment.kind === "parameter" && segment.name === name) : -1;
  return at < 0 ? undefined : resources.find(({ shape }) => shape === to.path.shapes[at]);
}

function sameSource(a: Source, b: Source): boolean {
  if (a.kind === "body" && b.kind === "body") return a.path.join("/") === b.path.join("/");
  return a.kind === b.kind && ("name" in a ? "name" in b && a.name === b.name : true);
}
