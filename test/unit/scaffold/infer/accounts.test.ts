import { describe, expect, it } from "vitest";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { newFolder, scaffold, textOf } from "../write/folder.ts";
import { answers, object, planApi, sends, type Json } from "../../../support/describe-api.ts";

const text = { type: "string" };
const BEARER = { security: [{ token: [] }], components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } } };
const COOKIE = { security: [{ session: [] }], components: { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "sid" } } } };

const credentials = object({ email: { type: "string", format: "email" }, password: text });
const LOGIN = { security: [], requestBody: sends(credentials), responses: answers(object({ token: text })) };
const LIST = { responses: answers({ type: "array", items: object({ id: text }) }) };

const names = (actions: readonly { readonly operation: { readonly id: string | undefined } }[]): readonly (string | undefined)[] =>
  actions.map(({ operation }) => operation.id);
const leftOut = ({ leftOut: all = [] }: ScaffoldPlan): readonly (string | undefined)[] => names(all.map(({ action }) => action));

it("leaves out subscriptions to event streams, but not commands that answer with one", () => {
  const stream = { responses: { 200: { description: "", content: { "text/event-stream": {} } }, 401: { description: "" } } };
  const either = { responses: { 200: { description: "", content: { "text/event-stream": {}, "application/json": {} } } } };
  const plan = planApi({ "get /orders": LIST, "get /events": stream, "get /either": either, "post /chat": stream });
  expect(leftOut(plan)).toEqual(["get /events"]);
  expect(new Set(names(plan.actions))).toEqual(new Set(["get /either", "get /orders", "post /chat"]));
});

it("finds reads that need no login, and descriptions without refusals", () => {
  const made = { responses: answers(object({ id: text }), "201") };
  const book = { responses: answers(object({ id: text })) };
  const operations = {
    "post /login": LOGIN,
    "post /books": made,
    "get /books": { ...LIST, security: [] },
    "delete /books/{id}": { security: [] },
  };
  const plan = planApi({ ...operations, "get /books/{id}": { ...book, security: [] } }, BEARER);
  expect({ reads: names(plan.publicCalls!), none: plan.describesNoRefusals }).toEqual({ reads: ["get /books/{id}"], none: true });
  const either = planApi({ ...operations, "get /books/{id}": { ...book, security: [{}, { token: [] }] } }, BEARER);
  expect(names(either.publicCalls!)).toEqual(["get /books/{id}"]);
  const refused = { responses: { ...book.responses, 404: { description: "" } } };
  const own = planApi({ ...operations, "get /books/{id}": refused }, BEARER);
  expect({ reads: own.publicCalls, none: own.describesNoRefusals }).toEqual({ reads: [], none: false });
  // Without any security, the description says nothing about who may read what.
  const open = { "post /books": made, "get /books/{id}": book };
  expect(planApi(open).publicCalls).toEqual([]);
});

it("shares keys that only reads without a login return", () => {
  const create = { requestBody: sends(object({ item_id: text })), responses: answers(object({ id: text }), "201") };
  const of = (
    list: Json,
    more: Readonly<Record<string, Json>> = {},
    security: Json = BEARER,
  ): Pick<ScaffoldPlan, "shared" | "publicCalls"> =>
    planApi(
      {
        "post /login": LOGIN,
        "get /items": { ...LIST, ...list },
        "get /items/{item_id}": { security: [] },
        "post /orders": create,
        ...more,
      },
      security,
    );
  // The rule `ownership` tries no call with a shared key, so the read needs no exception.
  expect(of({ security: [] })).toMatchObject({ shared: ["item_id"], publicCalls: [] });
  expect(of({})).toMatchObject({ shared: [], publicCalls: [{ operation: { id: "get /items/{item_id}" } }] });
  expect(of({ security: [] }, { "post /items": { responses: answers(object({ id: text }), "201") } }).shared).toEqual([]);
  expect(of({}, {}, {}).shared).toEqual([]);
});

it("sends the password of the user also in a second field for it", () => {
  const field = { type: "string", format: "password" };
  const register = sends(object({ email: { type: "string", format: "email" }, password: field, password_confirmation: field, name: text }));
  const directory = newFolder();
  const made = { security: [], requestBody: register, responses: answers(object({ email: text }), "201") };
  scaffold(planApi({ "post /login": LOGIN, "post /register": made, "get /me": {} }, BEARER), directory);
  expect(textOf(directory, "session.ts")).toMatch(
    /email: user.name,\s+password: user.password,\s+password_confirmation: user.password,\s+name: (?!user)/,
  );
});

describe("users", () => {
  const registered = (operations: Readonly<Record<string, Json>>, more: Json = BEARER): string | undefined => {
    const { login } = planApi({ "post /login": LOGIN, "get /me": {}, ...operations }, more);
    return login?.kind === "operation" ? login.register?.action.operation.id : undefined;
  };
  const SIGN_UP = { security: [], requestBody: sends(object({ name: text, email: text, password: text })) };

  it.each(["post /register", "post /sign-up/email", "post /auth/signup", "post /users", "post /api/v1/accounts"])(
    "register: %s",
    (call) => {
      expect(registered({ [call]: SIGN_UP })).toBe(call);
    },
  );

  it.each<[string, Json]>([
    ["post /password-reset/register", { ...SIGN_UP, operationId: "resetPassword" }],
    ["post /devices/register", SIGN_UP],
    ["post /teams/{team_id}/register", SIGN_UP],
    // An administrator makes users here.
    ["post /users", { ...SIGN_UP, security: [{ token: [] }] }],
    ["post /register", { ...SIGN_UP, requestBody: sends(object({ email: text })) }],
  ])("do not register: %s", (call, operation) => {
    expect(registered({ [call]: operation })).toBeUndefined();
  });

  it("do not register by a collection of users where the description asks for authentication nowhere, or hardly anywhere", () => {
    const login = { requestBody: LOGIN.requestBody, responses: LOGIN.responses };
    const users = { requestBody: SIGN_UP.requestBody };
    const register = (call: string): unknown => planApi({ "post /login": login, "get /me": {}, [call]: users }).login;
    expect(register("post /users")).toMatchObject({ kind: "operation", register: undefined });
    expect(register("post /users/register")).toMatchObject({ kind: "operation", register: { userField: "email" } });
  });

  it("stay an action, unless a cookie in the answer would make the client another user", () => {
    const both = { "post /login": LOGIN, "post /register": SIGN_UP };
    expect(leftOut(planApi(both, BEARER))).toEqual([]);
    const cookie = planApi(both, COOKIE);
    expect(cookie).toMatchObject({ hasCookies: true });
    expect(leftOut(cookie)).toEqual(["post /register"]);
    expect(names(cookie.actions)).not.toContain("post /register");
  });

  it("send their own password where the current one is asked for", () => {
    const change = { requestBody: sends(object({ currentPassword: text, newPassword: text })) };
    const { actions } = planApi({ "post /login": LOGIN, "post /change-password": change }, BEARER);
    expect(actions[0]?.body?.value).toEqual({
      kind: "object",
      entries: [
        ["currentPassword", { kind: "environment", name: "API_PASSWORD", otherwise: "password" }],
        ["newPassword", { kind: "constant", value: "Example1!pass" }],
      ],
    });
  });
});

describe("credentials", () => {
  const header = (name: string): Json => ({ type: "apiKey", in: "header", name });
  const SCHEMES = {
    app_id: header("X-App-Id"),
    app_key: header("X-App-Key"),
    query: { type: "apiKey", in: "query", name: "key" },
    token: { type: "http", scheme: "bearer" },
    oauth: { type: "oauth2", flows: {} },
    digest: { type: "http", scheme: "digest" },
  };
  const planned = (security: unknown, operations: Readonly<Record<string, Json>> = { "get /orders": LIST, "get /me": {} }): ScaffoldPlan =>
    planApi(operations, { security, components: { securitySchemes: SCHEMES } });
  const notes = ({ notInferred }: ScaffoldPlan): readonly (readonly string[])[] => notInferred.map(({ action, what }) => [action, what]);
  const key = (name: string, variable: string, place = "header"): Json => ({ kind: "apiKey", in: place, name, variable });
  const bearer = { kind: "bearer", variable: "API_TOKEN" };

  it("are all schemes of an alternative", () => {
    const both = planned([{ app_id: [], app_key: [] }]);
    expect(both.login).toEqual(key("X-App-Id", "API_KEY"));
    expect(both.apiKeys).toEqual([key("X-App-Key", "API_APP_KEY")]);
    const mixed = planned([{ query: [], app_id: [], token: [], oauth: [] }]);
    expect(mixed.login).toEqual(bearer);
    expect(mixed.apiKeys).toEqual([key("X-App-Id", "API_APP_ID"), key("key", "API_KEY", "query")]);
    expect(notes(both)).toEqual([]);
  });

  it("are none, if the first alternative is to send none, but another one is known", () => {
    expect(planned([{}, { token: [] }])).toMatchObject({ login: bearer, notInferred: [] });
    expect(planned([{}]).login).toBeUndefined();
  });

  it("come from an alternative that can be sent, and it is said which operations need others", () => {
    expect(planned([{ digest: [] }, { token: [] }])).toMatchObject({ login: bearer, notInferred: [] });
    const none = planned([{ digest: [] }]);
    expect(none.login).toBeUndefined();
    expect(none.notInferred).toEqual([
      {
        action: "get_orders",
        what: "authentication",
        hint: 'This call and 1 other need the security scheme "digest", which the generated code does not send. Send it in the action.',
      },
    ]);
    const other = {
      "get /orders": LIST,
      "get /me": {},
      "get /admin": { security: [{ app_id: [] }] },
      "get /x": { security: [{ nope: [] }] },
    };
    expect(notes(planned([{ token: [] }], other))).toEqual([
      ["get_admin", "authentication"],
      ["get_x", "authentication"],
    ]);
    const login = { "post /login": LOGIN, "get /orders": LIST };
    expect(planned([{ oauth: [] }, { digest: [] }], login)).toMatchObject({ login: { kind: "operation" }, notInferred: [] });
  });

  it("may be an API key beside a login", () => {
    const plan = planned([{ app_key: [], token: [] }], { "post /login": { ...LOGIN, security: [{ app_key: [] }] }, "get /orders": LIST });
    expect(plan).toMatchObject({ login: { kind: "operation" }, apiKeys: [{ name: "X-App-Key" }], notInferred: [] });
  });

  it("are described as parameters by some tools", () => {
    const takes = (name: string, place = "header"): Json => ({ parameters: [{ name, in: place, required: true, schema: text }] });
    const sent = (...parameters: readonly Json[]): ScaffoldPlan =>
      planApi({ "get /orders": { ...LIST, parameters: parameters.flatMap(({ parameters: all }) => all as readonly Json[]) } });
    expect(sent(takes("Authorization"))).toMatchObject({ login: bearer, notInferred: [] });
    expect(sent(takes("Authorization"), takes("X-API-Key"))).toMatchObject({ login: bearer, apiKeys: [key("X-API-Key", "API_KEY")] });
    const query = sent(takes("api_key", "query"));
    expect(query.login).toEqual(key("api_key", "API_KEY", "query"));
    expect(query.actions[0]).toMatchObject({ parameters: [], operation: { security: [[{}]] } });
    expect(sent(takes("token", "query")).login).toBeUndefined();
    expect(planApi({ "post /login": LOGIN, "get /orders": { ...LIST, ...takes("Authorization") } }).login?.kind).toBe("operation");
    const beside = { "get /orders": { ...LIST, ...takes("x-app-key") } };
    expect(planned([{ token: [] }], beside)).toMatchObject({ login: bearer, apiKeys: [{ name: "X-App-Key" }] });
  });

  it("that only some operations take are read from the environment", () => {
    const operations = { "get /a": LIST, "get /b": LIST, "get /c": LIST };
    const admin = { ...LIST, security: [{ app_key: [] }], parameters: [{ name: "X-App-Key", in: "header", required: true, schema: text }] };
    const { actions } = planned([{ token: [] }], { ...operations, "get /admin": admin });
    expect(actions.find(({ operation }) => operation.path === "/admin")?.parameters).toMatchObject([
      { name: "X-App-Key", value: { kind: "environment", name: "API_APP_KEY", otherwise: "" } },
    ]);
  });
});

describe("the own user is not deleted", () => {
  it.each(["delete /me", "delete /users/me", "delete /account", "post /delete-user", "post /auth/deleteAccount"])(
    "%s is left out",
    (call) => {
      const plan = planApi({ "post /login": LOGIN, [call]: {}, "get /orders": LIST }, BEARER);
      expect(leftOut(plan)).toEqual([call]);
      expect(names(plan.actions)).toEqual(["get /orders"]);
    },
  );

  it.each(["delete /orders", "post /orders/delete", "post /users/delete-all-drafts", "delete /users/{user_id}"])("%s stays", (call) => {
    expect(leftOut(planApi({ "post /login": LOGIN, [call]: {} }, BEARER))).toEqual([]);
  });

  it("nor by an id that only the answer about oneself gives", () => {
    const user = object({ id: text, email: text });
    const me = {
      "get /users/me": { responses: answers(user) },
      "get /users/{user_id}": { responses: answers(user) },
      "delete /users/{user_id}": {},
    };
    expect(leftOut(planApi({ "post /login": LOGIN, ...me }, BEARER))).toEqual(["delete /users/{user_id}"]);
    const made = { "post /users": { requestBody: sends(object({ email: text })), responses: answers(user, "201") } };
    expect(leftOut(planApi({ "post /login": LOGIN, ...me, ...made }, BEARER))).toEqual([]);
  });

  it("is said of nobody where nobody logs in", () => {
    expect(leftOut(planApi({ "delete /me": {} }))).toEqual([]);
  });
});

describe("what may be used once", () => {
  const token = { requestBody: sends(object({ token: text })) };
  const found = (operations: Readonly<Record<string, Json>>): readonly string[] =>
    (planApi(operations).singleUse ?? []).map(
      ({ what, create, use, isLinked }) => `${what}: ${create.operation.id} -> ${use.operation.id}${isLinked ? "" : " (open)"}`,
    );
  const invitation = { responses: answers(object({ id: text }), "201"), requestBody: sends(object({ email: text })) };

  it.each<[string, Readonly<Record<string, Json>>]>([
    [
      "invitation: post /invitations -> post /invitations/{invitation_id}/accept",
      { "post /invitations": invitation, "post /invitations/{invitation_id}/accept": {}, "post /invitations/{invitation_id}/decline": {} },
    ],
    [
      "password reset: post /forgot-password -> post /reset-password (open)",
      { "post /forgot-password": {}, "post /reset-password": token },
    ],
    [
      "one-time password: post /otp/send -> post /otp/verify (open)",
      {
        "post /otp/send": { operationId: "sendOtp" },
        "post /otp/verify": { operationId: "verifyOtp", requestBody: sends(object({ code: text })) },
      },
    ],
    [
      "magic link: post /sign-in/magic-link -> get /magic-link/verify (open)",
      {
        "post /sign-in/magic-link": {},
        "get /magic-link/verify": { parameters: [{ name: "token", in: "query", required: true, schema: text }] },
      },
    ],
    [
      "coupon: post /coupons -> post /coupons/redeem (open)",
      { "post /coupons": { operationId: "createCoupon" }, "post /coupons/redeem": { requestBody: sends(object({ coupon: text })) } },
    ],
    [
      "email verification: post /resend-verification -> post /verify-email (open)",
      { "post /resend-verification": {}, "post /verify-email": token },
    ],
    [
      "recovery code: post /2fa/backup-codes -> post /2fa/verify (open)",
      {
        "post /2fa/backup-codes": { summary: "Generate backup codes" },
        "post /2fa/verify": { summary: "Log in with a backup code", requestBody: sends(object({ code: text })) },
      },
    ],
    [
      "authorization code: post /authorize -> post /oauth/token (open)",
      { "post /authorize": {}, "post /oauth/token": { requestBody: sends(object({ code: text })) } },
    ],
  ])("%s", (expected, operations) => {
    const named = expected
      .replaceAll(/post \/otp\/(send|verify)/g, (_, verb: string) => `${verb}Otp`)
      .replace("post /coupons ->", "createCoupon ->");
    expect(found(operations)).toEqual([named]);
  });

  it("is nothing without an operation that creates it, or that takes it", () => {
    expect(found({ "post /reset-password": token })).toEqual([]);
    expect(found({ "post /forgot-password": {}, "post /reset-password": { requestBody: sends(object({ size: text })) } })).toEqual([]);
    expect(found({ "post /tickets": invitation, "post /tickets/{ticket_id}/close": {} })).toEqual([]);
  });
});

describe("the end of sessions", () => {
  const ends = (operations: Readonly<Record<string, Json>>, more: Json = BEARER): unknown => {
    const plan = planApi({ "post /login": LOGIN, ...operations }, more).sessionEnds;
    return plan && { check: plan.check.operation.id, logout: names(plan.logout), after: names(plan.after) };
  };

  it("is a logout for one session, a change of the password for the others, and is checked by the own data", () => {
    const all = {
      "get /orders": LIST,
      "get /me": {},
      "post /logout": {},
      "put /me/password": { operationId: "changePassword" },
      "post /sign-out-all": {},
    };
    expect(ends(all)).toEqual({ check: "get /me", logout: ["post /logout"], after: ["changePassword", "post /sign-out-all"] });
  });

  it("is checked by a list that needs authentication, if there are no own data", () => {
    expect(ends({ "get /public": { ...LIST, security: [] }, "get /orders": LIST, "post /logout": {} })).toMatchObject({
      check: "get /orders",
    });
    expect(ends({ "get /public": { ...LIST, security: [] }, "post /logout": {} })).toBeUndefined();
  });

  it("is nothing that only a description mentions, and nothing that is read", () => {
    expect(ends({ "get /me": {}, "post /orders": { summary: "Places an order; log out first" }, "get /logout-page": {} })).toBeUndefined();
  });
});
