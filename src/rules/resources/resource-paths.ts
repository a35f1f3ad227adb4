import { SeqqaError } from "../../model/errors.ts";
import type { Resource } from "../../model/declare/resource.ts";
import { PathTemplate, segmentsOf, type Parameters } from "./path-template.ts";

/** A resource with its parsed paths. */
export interface Kind {
  readonly resource: Resource;
  readonly collection: PathTemplate;
  readonly item: PathTemplate;
  readonly restore: PathTemplate | undefined;
}

/** The path of a collection or of an item, with the resource to which the path belongs. */
export interface Place {
  readonly of: "collection" | "item";
  readonly kind: Kind;
  readonly parameters: Parameters;
  /** The decoded segments of the path. */
  readonly segments: readonly string[];
}

/** Maps paths to resources. */
export class ResourcePaths {
  readonly kinds: readonly Kind[];

  /** @throws SeqqaError `RULE_INVALID` that says why the resources are invalid */
  constructor(rule: string, resources: readonly Resource[]) {
    this.kinds = checked(rule, resources).map((resource) => ({
      resource,
      collection: new PathTemplate(resource.collection),
      item: new PathTemplate(resource.item),
      restore: resource.restore === undefined ? undefined : new PathTemplate(resource.restore),
    }));
  }

  /**
   * Returns the collection or item that a path identifies. The path must not contain the query or the target's base path. If several templates match,
   * the template with the fewest parameters is used.
   */
  place(path: string): Place | undefined {
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    let best: { readonly place: Place; readonly parameters: number } | undefined;
    for (const kind of this.kinds) {
      for (const of of ["collection", "item"] as const) {
        const parameters = kind[of].match(segments);
        if (parameters === undefined || (best !== undefined && best.parameters <= kind[of].parameters)) continue;
        best = { place: { of, kind, parameters, segments }, parameters: kind[of].parameters };
      }
    }
    return best?.place;
  }

  /** Returns the item at a path, or else the innermost item that contains the path: `/orders/7` for `/orders/7/pay`. */
  itemOf(path: string): { readonly kind: Kind; readonly path: string } | undefined {
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    let nearest: { readonly kind: Kind; readonly path: string } | undefined;
    for (const kind of this.kinds) {
      if (kind.item.length > segments.length || (nearest !== undefined && nearest.kind.item.length >= kind.item.length)) continue;
      const parameters = kind.item.bind(segments);
      const item = parameters === undefined ? undefined : kind.item.filled(parameters);
      if (item !== undefined) nearest = { kind, path: item };
    }
    return nearest;
  }

  /** Returns the resource and path of the item that a request to the given path restores; `undefined` for paths that restore nothing. */
  restored(path: string): { readonly kind: Kind; readonly path: string } | undefined {
    const segments = segmentsOf(path);
    if (segments === undefined) return undefined;
    for (const kind of this.kinds) {
      const parameters = kind.restore?.match(segments);
      const item = parameters === undefined ? undefined : kind.item.filled(parameters);
      if (item !== undefined) return { kind, path: item };
    }
    return undefined;
  }

  named(name: string | undefined): Kind | undefined {
    return this.kinds.find(({ resource }) => resource.name === name);
  }

  /**
   * Returns the resources whose `parent` is the given resource, and the resources without a `parent` whose collection is directly below an item of
   * the given resource.
   */
  childrenOf({ resource, item }: Kind): readonly Kind[] {
    return this.kinds.filter(({ resource: { parent }, collection }) =>
      parent === undefined ? isDirectlyBelow(collection, item) : parent === resource.name,
    );
  }
}

/**
 * Returns `true` if a path consists of an item's path and one literal segment, such as `/orders/{id}/payments`. The names of the parameters may
 * differ.
 */
function isDirectlyBelow(collection: PathTemplate, item: PathTemplate): boolean {
  const parts = ({ text }: PathTemplate): readonly string[] => (segmentsOf(text) ?? []).map((part) => part.replace(/^\{.+\}$/, "{}"));
  const [whole, start] = [parts(collection), parts(item)];
  return whole.length === start.length + 1 && collection.last === undefined && start.every((part, at) => part === whole[at]);
}

export function itemPath({ item }: Kind, parameters: Parameters, id: string): string | undefined {
  return item.filled(new Map([...parameters, [item.last!, id]]));
}

/**
 * Returns the path of a resource's collection, with the parameter values of the given path segments. Returns `undefined` if the segments do not
 * match.
 */
export function collectionPath({ collection }: Kind, segments: readonly string[]): string | undefined {
  const parameters = collection.bind(segments);
  return parameters === undefined ? undefined : collection.filled(parameters);
}

const MEMBERS = ["id", "items", "body"] as const;

function checked(rule: string, resources: readonly Resource[]): readonly Resource[] {
  const wrong = (what: string): SeqqaError =>
    new SeqqaError("RULE_INVALID", `${rule}: ${what}.`, {
      exitStatus: 2,
      hint: 'Write resources such as { name: "order", collection: "/orders", item: "/orders/{order_id}", can: { create: true, read: true } }.',
    });
  if (!Array.isArray(resources)) throw wrong("`resources` is not a list");
  const names = new Set<string>();
  for (const [index, one] of (resources as readonly unknown[]).entries()) {
    if (typeof one !== "object" || one === null) throw wrong(`resources[${index}] is not an object`);
    const { name, collection, item, can, parent, restore, ...rest } = one as Partial<Resource>;
    if (typeof name !== "string" || name === "") throw wrong(`resources[${index}] has no name`);
    const called = `the resource ${JSON.stringify(name)}`;
    if (names.has(name)) throw wrong(`${called} is listed twice`);
    names.add(name);
    if (!isPath(collection)) throw wrong(`the collection of ${called} is not a path that begins with /`);
    if (!isPath(item) || new PathTemplate(item).last === undefined) {
      throw wrong(`the item of ${called} is not a path that begins with / and ends with a parameter`);
    }
    if (typeof can !== "object" || can === null) throw wrong(`${called} has no object \`can\` that names its operations`);
    if (restore !== undefined && !(isPath(restore) && restoresOne(restore, item))) {
      throw wrong(`\`restore\` of ${called} is not a path that begins with / and has the parameters of its item`);
    }
    if (parent !== undefined && typeof parent !== "string") throw wrong(`the \`parent\` of ${called} is not the name of a resource`);
    for (const member of MEMBERS) {
      const place = rest[member];
      if (place !== undefined && !(Array.isArray(place) && place.every((key) => typeof key === "string"))) {
        throw wrong(`\`${member}\` of ${called} is not a list of names`);
      }
    }
  }
  for (const { name, parent } of resources) {
    if (parent !== undefined && !names.has(parent)) {
      throw wrong(`the resource ${JSON.stringify(name)} has the parent ${JSON.stringify(parent)}, which is not one of the resources`);
    }
  }
  return resources;
}

/** Returns `true` if the `restore` path has all parameters of the item's path, so that it identifies a single item. */
function restoresOne(restore: string, item: string): boolean {
  const parametersOf = (path: string): readonly string[] => path.match(/\{[^{}]+\}/g) ?? [];
  const own = new Set(parametersOf(restore));
  return parametersOf(item).every((one) => own.has(one));
}

const isPath = (value: unknown): value is string => typeof value === "string" && value.startsWith("/");
