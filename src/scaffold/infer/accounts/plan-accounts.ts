import type { Draft } from "../actions/draft-action.ts";
import type { Facts } from "../facts.ts";
import type { LeftOut, PlannedAction, PlannedApiKey, PlannedLogin, PlannedRegistration } from "../plan.ts";
import type { Called } from "../resources/found-resource.ts";
import { planKeys } from "./authentication.ts";
import { planLogin, type LoginOperation, findRegistration } from "./find-login.ts";
import { squashed } from "../resources/words.ts";

const SELF = /^(?:me|self|myself|current|currentuser|whoami|user|account|myaccount|profile|myprofile)$/;
const DELETES =
  /(?:delete|remove|close|terminate|deactivate|destroy|erase)(?:my|own|current|the)?(?:user|account|profile|me|myself)$|(?:unregister|deregister)$/;

/** The reason, for the user, why a registration that sets a cookie does not become an action. */
export const SETS_COOKIE = "session.ts already sends this request. As an action, its cookie would log the client in as another user.";

export interface Accounts {
  readonly login: PlannedLogin | undefined;
  readonly apiKeys: readonly PlannedApiKey[];
  readonly hasCookies: boolean;
  /** The operations for which no action is generated, because they would delete or replace the user who is logged in. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Plans how the generated code registers users and logs in, and which operations are left out because they would end the user's account or session.
 */
export function planAccounts(
  login: { readonly call: Called; readonly as: LoginOperation } | undefined,
  drafts: readonly Draft[],
  facts: Facts,
): Accounts {
  const { description, authentication } = facts;
  const hasCookies = [...description.securitySchemes.values()].some((scheme) => scheme.kind === "apiKey" && scheme.in === "cookie");
  const actionOf = (call: Called): PlannedAction => drafts.find((draft) => draft.call === call)!.action;
  const register = login && registration(login, drafts, facts);
  const planned = planLogin(login && { ...login, action: actionOf(login.call), register }, authentication.scheme);
  if (planned === undefined) return { login: undefined, apiKeys: [], hasCookies, leftOut: [] };
  const others = drafts.filter(({ call }) => call !== login?.call);
  const deleting = others
    .filter(({ call }) => deletesCaller(call, facts))
    .map(({ action }) => ({ action, why: "The call deletes the user who calls it, so the API would refuse all later calls." }));
  const isNeeded = register?.action.produces.some(({ key }) =>
    others.some(({ action }) => action !== register.action && action.needs.includes(key)),
  );
  const registering =
    hasCookies && register !== undefined && isNeeded !== true
      ? [
          {
            action: register.action,
            why: SETS_COOKIE,
          },
        ]
      : [];
  return { login: planned, apiKeys: planKeys(authentication), hasCookies, leftOut: [...deleting, ...registering] };
}

/**
 * Plans how the generated code registers users. Returns `undefined` if a registration needs an id from another call, because it has to be sent before
 * the first login.
 */
function registration(
  login: { readonly call: Called; readonly as: LoginOperation },
  drafts: readonly Draft[],
  { schemas }: Facts,
): PlannedRegistration | undefined {
  const found = findRegistration(
    drafts.map(({ call }) => call),
    login,
    schemas,
  );
  const action = drafts.find(({ call }) => call === found?.call)?.action;
  return found === undefined || action === undefined || action.needs.length > 0
    ? undefined
    : { action, userField: found.userField, passwordField: found.passwordField };
}

/**
 * Returns `true` for an operation that deletes the user who sends it. The exploration must not call it, because the API would reject every later
 * call. Such an operation has no id in its path and is named like a deletion of the caller, or it deletes an item whose id comes only from a call
 * such as `GET /users/me`.
 */
function deletesCaller({ operation, path }: Called, { kinds, producers }: Pick<Facts, "kinds" | "producers">): boolean {
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
