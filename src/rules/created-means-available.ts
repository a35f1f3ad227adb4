import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { Resource } from "../model/declare/resource.ts";
import { Rule, type CheckedStep } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Severity } from "../model/declare/severity.ts";
import { createdBy, requestTo } from "./resources/created.ts";
import { isDone, isMissing, pathOf, shownPath, urlOf, writesOf } from "./requests.ts";
import { ResourcePaths } from "./resources/resource-paths.ts";
import { requireOptions } from "./rule-options.ts";

/** Options of {@link createdMeansAvailable}. */
export interface CreatedMeansAvailableOptions {
  /**
   * The resources of the API. If a create is answered without a `Location` on the origin of the request, the rule requests the item at the path of its
   * resource. Default: none.
   */
  readonly resources?: readonly Resource[];
}

/** A URL that the rule requests, and the texts with which messages name the URL (`called`) and the create call (`created`). */
interface Wanted {
  readonly url: string;
  readonly called: string;
  readonly created: string;
}

/**
 * Checks that a created item is available. Severity: HIGH. The rule is judged after a step whose last writing request created something. The first
 * case that applies is checked:
 * - The request was answered 201 with a `Location` on the origin of the request: `GET` of that URL.
 * - The created item belongs to `resources` that can be read: `GET` of the item. It was created by a `POST` to a collection, answered 2xx (not 202)
 *   with an id, or by a `PUT` to the item, answered 201.
 *
 * The `GET` must not be answered 404, 410 or 5xx (except 501 and 503). Every other answer says nothing about the item: 401 and 403 (reading is not
 * allowed), 405, 406, 3xx, 429. If the action's client gets such a 404, 410 or 5xx, the `GET` is repeated with the headers of the create request,
 * because the action may have used another client. A URL on another origin is never requested.
 *
 * RFC 9110, 15.3.2. The rule complements the resource-availability rule of Atlidakis, Godefroid and Polishchuk, "Checking Security Properties of
 * Cloud Service REST APIs", ICST 2020.
 * @throws SeqqaError `RULE_INVALID` if `resources` is invalid
 */
export function createdMeansAvailable<C extends object = Values, A = ApiClient>(options: CreatedMeansAvailableOptions = {}): Rule<C, A> {
  requireOptions<keyof CreatedMeansAvailableOptions>("createdMeansAvailable", options, { resources: true });
  const paths = new ResourcePaths("createdMeansAvailable", options.resources ?? []);
  return new Rule<C, A>({
    name: "created_means_available",
    message: "a created resource is not available",
    severity: Severity.HIGH,
    judge: async (_world, step) => {
      const { action, answers, client, explain } = step;
      const answer = writesOf(answers).at(-1);
      if (answer === undefined || !isDone(answer)) return true;
      const wanted = wantedOf(step, answer, paths);
      if (wanted === undefined) return true;
      const first = await client.get(wanted.url);
      if (!isMissing(first.statusCode)) return true;
      const again = await client.get(wanted.url, { headers: credentials(answer) });
      if (!isMissing(again.statusCode)) return true;
      return explain(
        `${action.name}: ${wanted.created} was answered ${answer.statusCode}, but GET ${wanted.called} was then answered ${again.statusCode}`,
      );
    },
  });
}

function wantedOf(step: CheckedStep, answer: ApiResponse, paths: ResourcePaths): Wanted | undefined {
  const path = pathOf(step.client, answer);
  if (path === undefined) return undefined;
  const { method, url } = answer.request;
  const place = paths.place(path);
  const created = place === undefined ? `${method} ${shownPath(path)}` : requestTo(place, answer);
  const location = answer.headers["location"];
  const target = answer.statusCode === 201 ? urlOf(location, url) : undefined;
  if (target !== undefined && target.origin === urlOf(url)?.origin) {
    return { url: target.origin + target.pathname + target.search, called: `its Location ${shownPath(target.pathname)}`, created };
  }
  const known = createdBy(step, paths);
  if (known === undefined || known.kind.resource.can.read !== true) return undefined;
  return { url: known.path, called: known.kind.item.text, created };
}

/** Returns the headers of a request that may identify its sender: `Authorization`, `Cookie` and `X-*`. */
function credentials({ request }: ApiResponse): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => /^(?:authorization|cookie|x-.*)$/i.test(name)));
}
