import { isJson, schemaOf } from "../actions/answers.ts";
import type { Called } from "../resources/found-resource.ts";
import { squashed } from "../resources/words.ts";
import type { Schemas } from "../values/schemas.ts";
import { PASSWORD, USER, type LoginOperation } from "./find-login.ts";

const NAMED = /register|registration|signup/;
/** Matches the ends of URL paths for collections of users, such as `/users`. A `POST` with a password to such a path can be a registration. */
const USERS = /(?:users?|accounts?|customers?|members?)$/;
const NOT = /reset|forgot|refresh|verify|confirm|resend|webhook|device|client|application/;

export interface Registration {
  readonly call: Called;
  readonly userField: string;
  readonly passwordField: string;
}

/**
 * Finds the operation that registers a user: a `POST` without path parameters that takes a password and a user name, like the login. The operation
 * must be named like a registration, or need no authentication and have the path of a collection of users.
 */
export function findRegistration(
  calls: readonly Called[],
  login: { readonly call: Called; readonly as: LoginOperation },
  schemas: Schemas,
): Registration | undefined {
  // `true` if at least half of the operations, without login and registration, declare authentication. An operation without a declaration then counts
  // as open to everybody.
  const saysWho = calls.filter(({ operation }) => operation.security.length > 0).length * 2 >= calls.length - 2;
  const found = calls.flatMap((call): readonly (Registration & { readonly isNamed: boolean })[] => {
    const { operation, path } = call;
    if (call === login.call || operation.method !== "post" || path.segments.some(({ kind }) => kind !== "literal")) return [];
    const called = squashed(`${operation.id ?? ""} ${operation.path}`);
    const isNamed = NAMED.test(called);
    const isOpen = saysWho && (operation.security.length === 0 || operation.security.some((needs) => needs.length === 0));
    if (NOT.test(called) || (!isNamed && !(isOpen && USERS.test(squashed(operation.path))))) return [];
    const media = operation.body?.media.find(({ type }) => isJson(type)) ?? operation.body?.media[0];
    const fields = [...schemas.flat(media === undefined ? undefined : schemaOf(media)).properties.keys()];
    const passwordField = fields.find((name) => PASSWORD.test(squashed(name)));
    const userField =
      fields.find((name) => squashed(name) === squashed(login.as.userField)) ?? fields.find((name) => USER.test(squashed(name)));
    return passwordField === undefined || userField === undefined ? [] : [{ call, userField, passwordField, isNamed }];
  });
  return found.find(({ isNamed }) => isNamed) ?? found[0];
}
