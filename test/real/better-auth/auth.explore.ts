import { Action, Agent, World, type ApiClient, type ApiResponse, type Context } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { createdMeansAvailable, idempotent, noServerErrors, rejectedMeansUnchanged, useAfterFree } from "seqqa/rules";

interface Auth {
  user: string;
  org: string;
  token: string;
}
type Run = (api: ApiClient, context: Context<Auth>) => Promise<ApiResponse>;

const act = (name: string, run: Run, precondition?: (context: Context<Auth>) => boolean): Action<Auth> =>
  new Action<Auth>({ name, run, ...(precondition && { precondition }) });
const signedIn = (context: Context<Auth>): boolean => context.has("user");
const hasOrg = (context: Context<Auth>): boolean => signedIn(context) && context.has("org");
const ada = { name: "Ada", email: "ada@example.org", password: "secret-12" };

const entered = (context: Context<Auth>, response: ApiResponse): ApiResponse => {
  if (response.ok) context.set("user", response.json<{ user: { id: string } }>().user.id);
  return response;
};
const left = (context: Context<Auth>, response: ApiResponse): ApiResponse => {
  if (response.ok) context.delete("user");
  return response;
};

const actions = [
  act("sign_up", async (api, context) => entered(context, await api.post("/sign-up/email", { json: ada }))),
  act(
    "sign_in",
    async (api, context) => entered(context, await api.post("/sign-in/email", { json: ada })),
    (context) => !signedIn(context),
  ),
  act("who_am_i", (api) => api.get("/get-session")),
  act("rename_me", (api) => api.post("/update-user", { json: { name: "Lovelace" } }), signedIn),
  act("list_sessions", (api) => api.get("/list-sessions"), signedIn),
  act("sign_out", async (api, context) => left(context, await api.post("/sign-out", { json: {} })), signedIn),
  act("delete_me", async (api, context) => left(context, await api.post("/delete-user", { json: { password: ada.password } })), signedIn),
  act(
    "create_org",
    async (api, context) => {
      const response = await api.post("/organization/create", { json: { name: "Engines", slug: "engines" } });
      if (response.ok) context.set("org", response.json<{ id: string }>().id);
      return response;
    },
    signedIn,
  ),
  act(
    "rename_org",
    (api, context) => api.post("/organization/update", { json: { organizationId: context.getRequired("org"), data: { name: "Looms" } } }),
    hasOrg,
  ),
  act(
    "invite",
    (api, context) =>
      api.post("/organization/invite-member", {
        json: { organizationId: context.getRequired("org"), email: "bob@example.org", role: "member" },
      }),
    hasOrg,
  ),
  act("list_orgs", (api) => api.get("/organization/list"), signedIn),
  act(
    "delete_org",
    async (api, context) => {
      const response = await api.post("/organization/delete", { json: { organizationId: context.getRequired("org") } });
      if (response.ok) context.delete("org");
      return response;
    },
    hasOrg,
  ),
];

/**
 * A user's account and an organization. What better-auth 1.6.9 does that races tell of: it looks the session up, checks the password and deletes the account one
 * after the other, so that two deletions at once both succeed, while one after the other the second is refused.
 */
export const agent: Agent<Auth> = new Agent<Auth>({
  name: "better-auth",
  world: (lane) =>
    new World<Auth>({ api: new HttpClient(`${lane.baseUrl}/api/auth`, { headers: { origin: lane.baseUrl } }), systems: lane.systems }),
  actions,
  invariants: [noServerErrors(), rejectedMeansUnchanged(), idempotent(), useAfterFree(), createdMeansAvailable()],
});
