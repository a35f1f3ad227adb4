import type { Facts } from "../facts.ts";
import type { Called } from "../resources/found-resource.ts";
import { squashed } from "../resources/words.ts";

const SELF = /^(?:me|self|myself|current|currentuser|whoami|user|account|myaccount|profile|myprofile)$/;
const DELETES =
  /(?:delete|remove|close|terminate|deactivate|destroy|erase)(?:my|own|current|the)?(?:user|account|profile|me|myself)$|(?:unregister|deregister)$/;

/**
 * Returns `true` for an operation that deletes the user who sends it. The exploration must not call it, because the API would reject every later
 * call. Such an operation has no id in its path and is named like a deletion of the caller. An operation also counts if it deletes the user whose id
 * comes from a call such as `GET /users/me`.
 */
export function deletesCaller({ operation, path }: Called, { kinds, producers }: Pick<Facts, "kinds" | "producers">): boolean {
  const last = path.segments.at(-1);
  if (path.segments.every(({ kind }) => kind === "literal") && last?.kind === "literal") {
    if (operation.method === "delete") return SELF.test(squashed(last.text)) || DELETES.test(squashed(operation.id ?? ""));
    return operation.method === "post" && DELETES.test(squashed(last.text));
  }
  const resource = kinds.get(operation)?.kind === "delete" ? kinds.get(operation)?.resource : undefined;
  const known = resource === undefined ? [] : (producers.get(resource.key) ?? []);
  return known.length > 0 && known.every(({ call }) => resource!.operations.one.includes(call) && isSelf(call));
}

function isSelf({ path }: Called): boolean {
  const last = path.segments.at(-1);
  return last?.kind === "literal" && SELF.test(squashed(last.text));
}
