import type { CheckedStep } from "../../model/declare/rule.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import { idOf, itemIn } from "../answers/answer-content.ts";
import { isDone, pathOf, writesOf } from "../requests.ts";
import { itemPath, type Kind, type Place, type ResourcePaths } from "./resource-paths.ts";

/** An item that a step created. */
export interface Created {
  readonly kind: Kind;
  readonly id: string;
  /** The path of the item, below the client's base URL. */
  readonly path: string;
  /** The resource path to which the create request was sent: the collection for a `POST`, the item for a `PUT`. */
  readonly place: Place;
  readonly answer: ApiResponse;
}

/**
 * Returns the item that the last writing request of a step created. The request must be a `POST` to a collection in which items can be created,
 * answered 2xx (not 202) with an id, or a `PUT` to an item, answered 201. Items of earlier requests are not considered, because a later request may
 * have deleted them.
 */
export function createdBy({ answers, client }: Pick<CheckedStep, "answers" | "client">, paths: ResourcePaths): Created | undefined {
  const answer = writesOf(answers).at(-1);
  if (answer === undefined || !isDone(answer)) return undefined;
  const path = pathOf(client, answer);
  const place = path === undefined ? undefined : paths.place(path);
  if (path === undefined || place === undefined) return undefined;
  const { kind, parameters } = place;
  if (place.of === "item") {
    const own = answer.request.method === "PUT" && answer.statusCode === 201;
    return own ? { kind, id: place.segments.at(-1)!, path, place, answer } : undefined;
  }
  if (answer.request.method !== "POST" || kind.resource.can.create !== true) return undefined;
  const id = idOf(itemIn(answer, kind.resource), kind.resource);
  const item = id === undefined ? undefined : itemPath(kind, parameters, id);
  return id === undefined || item === undefined ? undefined : { kind, id, path: item, place, answer };
}

/** Returns the text of a request for messages, with the template of its path: `POST /orders`. */
export function requestTo({ kind, of }: Place, { request }: ApiResponse): string {
  return `${request.method} ${kind[of].text}`;
}
