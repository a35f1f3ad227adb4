import type { Parameter } from "../../../openapi/operations/description.ts";
import { buildBody } from "../values/build-body.ts";
import type { Built } from "../values/built.ts";
import type { Drafting, Need } from "./drafting.ts";
import { deletedKey } from "./find-restores.ts";
import type { Facts } from "../facts.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { otherParameter } from "../values/other-parameter.ts";
import { pathParameter } from "../values/path-parameter.ts";
import { writtenParameter } from "../values/written-parameter.ts";
import type { NotInferred, PlannedAction, PlannedParameter, Production } from "../plan.ts";
import type { Producer } from "./producers.ts";

export interface Draft {
  readonly call: Called;
  readonly action: PlannedAction;
  readonly needs: ReadonlyMap<string, Need>;
  /** The parameters whose values no action provides. The key of an entry is the context key that the user has to set. */
  readonly open: ReadonlyMap<string, Parameter>;
  readonly notInferred: readonly NotInferred[];
  readonly chosen: number;
}

export function draftAction(call: Called, facts: Facts, avoid: ReadonlySet<string> = new Set()): Draft {
  const { operation } = call;
  const { name, group } = facts.names.get(operation)!;
  const kind = facts.kinds.get(operation)!;
  const notInferred: NotInferred[] = [];
  const open = new Map<string, Parameter>();
  const drafting: Drafting = {
    facts,
    call,
    kind,
    name,
    avoid,
    needs: new Map(),
    note: (what, hint) => notInferred.push({ action: name, what, hint }),
    sent: new Map(),
  };
  const sentParameters = new Map<string, Built>();
  const parameters = plannedParameters(drafting, open, sentParameters);
  const body = buildBody(drafting);
  const frees = kind.kind === "delete" && kind.resource !== undefined ? freed(kind.resource, call, facts) : [];
  const restored = parameters.flatMap(({ value }) =>
    value.kind === "context" && value.first !== undefined ? [{ from: value.first, to: value.key }] : [],
  )[0];
  const produces = [...facts.producers.values()].flat().filter((one) => one.call === call);
  return {
    call,
    needs: drafting.needs,
    open,
    notInferred,
    chosen: sentParameters.size,
    action: {
      operation,
      name,
      group,
      kind: kind.kind,
      // The action gets no resource if the field with the id of its items is unknown, or if no URL path leads to a single item.
      resource: kind.resource?.id === undefined || kind.resource.unreachable ? undefined : kind.resource.name,
      parameters,
      body,
      needs: [...drafting.needs.keys()],
      produces: produces.flatMap((one) => production(one, drafting.sent, sentParameters)),
      frees: [
        ...frees.map(({ key }) => key),
        ...frees
          .slice(1)
          .filter((one) => canComeBack(one, facts))
          .map(deletedKey),
      ],
      keeps: frees
        .slice(0, 1)
        .filter((one) => one === kind.resource && drafting.needs.has(one.key) && canComeBack(one, facts))
        .map((one) => ({ from: one.key, to: deletedKey(one) })),
      restores: restored,
    },
  };
}

/**
 * Plans the parameters that the action sends. Each field of an object in the query becomes a parameter. If such a field has the name of a described
 * parameter, only the described parameter is sent.
 */
function plannedParameters(drafting: Drafting, open: Map<string, Parameter>, sent: Map<string, Built>): readonly PlannedParameter[] {
  const parameters = new Map<string, PlannedParameter>();
  for (const parameter of drafting.call.operation.parameters) {
    const planned = parameter.in === "path" ? pathParameter(parameter, drafting, open, sent) : otherParameter(parameter, drafting, open);
    if (planned === undefined) continue;
    for (const one of writtenParameter(planned, parameter)) {
      const id = `${one.in} ${one.name}`;
      if (one.name === parameter.name || !parameters.has(id)) parameters.set(id, one);
    }
  }
  return [...parameters.values()];
}

function production(
  { key, source }: Producer,
  sent: ReadonlyMap<string, Built>,
  parameters: ReadonlyMap<string, Built>,
): readonly Production[] {
  switch (source.kind) {
    case "body":
      return [{ key, from: "body", path: source.path }];
    case "location":
      return [{ key, from: "location" }];
    case "sentField":
    case "sentParameter": {
      const built = (source.kind === "sentField" ? sent : parameters).get(source.name);
      return built === undefined ? [] : [{ key, from: "sent", value: built.value }];
    }
  }
}

/**
 * Returns the resources whose ids become invalid when an item is deleted: the resource itself and the resources below it. Returns an empty list if
 * the path ends with the id of another resource. For example, `DELETE /teams/{id}/members/{user_id}` does not delete the user.
 */
function freed(resource: FoundResource, call: Called, { index, resources }: Facts): readonly FoundResource[] {
  if (index.resourceAt(call, call.path.segments.length - 1) !== resource) return [];
  const below = (one: FoundResource | undefined): boolean => one !== undefined && (one === resource || below(one.parent));
  const gone = resources.filter((one) => below(one) && index.produced(one.key));
  return [...gone.filter((one) => one === resource), ...gone.filter((one) => one !== resource)];
}

function canComeBack(resource: FoundResource, { restores }: Facts): boolean {
  return [...restores.values()].includes(resource);
}
