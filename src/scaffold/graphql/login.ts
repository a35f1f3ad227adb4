import {
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isLeafType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLArgument,
} from "graphql";
import { LOGS_IN, PASSWORD, REGISTERS, TOKEN, USER } from "../infer/accounts/find-login.ts";
import type { PlannedAction, PlannedLogin, PlannedValue } from "../infer/plan.ts";
import { squashed } from "../infer/resources/words.ts";
import type { Step } from "./find-ids.ts";
import type { RootField } from "./root-fields.ts";
import { callable, listDepth } from "./shapes.ts";

export interface LoginField {
  readonly root: RootField;
  readonly userField: string;
  readonly passwordField: string;
  /** The path of fields from the answer of the call to the token. Empty if the answer itself is the token. */
  readonly token: readonly Step[];
}

/**
 * Returns the first query or mutation that is named like a login, takes a user name and a password, and returns a token. The name is needed to
 * distinguish logins from registrations, which take and return the same values.
 */
export function findLogin(roots: readonly RootField[]): LoginField | undefined {
  for (const root of roots) {
    const called = squashed(root.field.name);
    if (!LOGS_IN.test(called) || REGISTERS.test(called)) continue;
    const names = fieldsGiven(root.field.args, 0);
    const userField = names.find((name) => USER.test(squashed(name)));
    const passwordField = names.find((name) => PASSWORD.test(squashed(name)));
    const token = isLeafType(getNamedType(root.field.type))
      ? getNamedType(root.field.type).name === "String"
        ? []
        : undefined
      : tokenIn(root.field, 0);
    if (userField !== undefined && passwordField !== undefined && token !== undefined) return { root, userField, passwordField, token };
  }
  return undefined;
}

function fieldsGiven(args: readonly (GraphQLArgument | GraphQLInputField)[], depth: number): readonly string[] {
  return args.flatMap(({ name, type }) => {
    const named = getNamedType(type);
    return isInputObjectType(named) && depth < 2 ? fieldsGiven(Object.values(named.getFields()), depth + 1) : [name];
  });
}

function tokenIn(field: GraphQLField<unknown, unknown>, depth: number): readonly Step[] | undefined {
  const type = getNamedType(field.type);
  if (!isCompositeType(type) || !("getFields" in type) || listDepth(field.type) > 0) return undefined;
  const fields = Object.values(type.getFields()).filter(callable);
  const found = fields.find(({ name, type: own }) => TOKEN.test(squashed(name)) && isLeafType(getNamedType(own)) && listDepth(own) === 0);
  if (found !== undefined) return [{ field: found.name, on: undefined, lists: 0 }];
  if (depth >= 2) return undefined;
  for (const one of fields) {
    const inner = tokenIn(one, depth + 1);
    if (inner !== undefined) return [{ field: one.name, on: undefined, lists: 0 }, ...inner];
  }
  return undefined;
}

/** Plans how the generated code logs in by a GraphQL call. The code reads the user name and the password from environment variables. */
export function planLogin({ root, userField, passwordField, token }: LoginField, action: PlannedAction): PlannedLogin {
  const email = squashed(userField).includes("email");
  const user: PlannedValue = { kind: "environment", name: "API_USER", otherwise: email ? "user@example.com" : "user" };
  const password: PlannedValue = { kind: "environment", name: "API_PASSWORD", otherwise: "password" };
  const value = action.body === undefined ? undefined : replaced(replaced(action.body.value, userField, user), passwordField, password);
  return {
    kind: "operation",
    action: { ...action, body: action.body && { ...action.body, value: value! } },
    userField,
    passwordField,
    token: ["data", root.field.name, ...token.map(({ field }) => field)],
  };
}

function replaced(value: PlannedValue, name: string, by: PlannedValue): PlannedValue {
  if (value.kind !== "object") return value;
  return { kind: "object", entries: value.entries.map(([own, of]) => [own, own === name ? by : replaced(of, name, by)]) };
}
