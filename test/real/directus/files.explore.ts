import { Action, Agent, World, type ApiClient, type ApiResponse, type Context } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import {
  createdMeansAvailable,
  idempotent,
  leakage,
  listAgreesWithItem,
  noServerErrors,
  rejectedMeansUnchanged,
  useAfterFree,
  type Resource,
} from "seqqa/rules";

interface Files {
  folder: string;
  bob: string;
}
type Run = (api: ApiClient, context: Context<Files>) => Promise<ApiResponse>;

const act = (name: string, run: Run, precondition?: (context: Context<Files>) => boolean): Action<Files> =>
  new Action<Files>({ name, run, ...(precondition && { precondition }) });
const hasFolder = (context: Context<Files>): boolean => context.has("folder");
const hasBob = (context: Context<Files>): boolean => context.has("bob");
const idOf = (response: ApiResponse): string => response.json<{ data: { id: string } }>().data.id;

const actions = [
  act(
    "create_folder",
    async (api, context) => {
      const response = await api.post("/folders", { json: { name: "letters" } });
      if (response.ok) context.set("folder", idOf(response));
      return response;
    },
    (context) => !hasFolder(context),
  ),
  act("read_folder", (api, context) => api.get(`/folders/${context.getRequired("folder")}`), hasFolder),
  act("rename_folder", (api, context) => api.patch(`/folders/${context.getRequired("folder")}`, { json: { name: "mail" } }), hasFolder),
  act(
    "create_subfolder",
    (api, context) => api.post("/folders", { json: { name: "old", parent: context.getRequired("folder") } }),
    hasFolder,
  ),
  act(
    "nest_in_itself",
    (api, context) => api.patch(`/folders/${context.getRequired("folder")}`, { json: { parent: context.getRequired("folder") } }),
    hasFolder,
  ),
  act("delete_folder", (api, context) => api.delete(`/folders/${context.getRequired("folder")}`), hasFolder),
  act("list_folders", (api) => api.get("/folders")),
  act("create_bob", async (api, context) => {
    const response = await api.post("/users", { json: { email: "bob@example.org", password: "secret-34", first_name: "Bob" } });
    if (response.ok) context.set("bob", idOf(response));
    return response;
  }),
  act("suspend_bob", (api, context) => api.patch(`/users/${context.getRequired("bob")}`, { json: { status: "suspended" } }), hasBob),
  act("delete_bob", (api, context) => api.delete(`/users/${context.getRequired("bob")}`), hasBob),
  act("bob_logs_in", (api) => api.post("/auth/login", { json: { email: "bob@example.org", password: "secret-34" } }), hasBob),
];

const data = { items: ["data"], body: ["data"], can: { create: true, list: true, read: true, update: ["PATCH"], delete: true } } as const;
const resources: readonly Resource[] = [
  { name: "folder", collection: "/folders", item: "/folders/{folder}", ...data },
  { name: "user", collection: "/users", item: "/users/{bob}", ...data },
];

/**
 * Folders and users, as the administrator. What Directus 10.13.1 does that rules tell of: a folder that has folders in it cannot be deleted, and that is answered
 * with status 500.
 */
export const agent: Agent<Files> = new Agent<Files>({
  name: "directus",
  world: (lane) => new World<Files>({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  setup: async ({ api }) => {
    const response = await (api as HttpClient).post("/auth/login", { json: { email: "ada@example.org", password: "secret-12" } });
    (api as HttpClient).setAuthToken(response.json<{ data: { access_token: string } }>().data.access_token);
  },
  actions,
  invariants: [
    noServerErrors(),
    rejectedMeansUnchanged(),
    idempotent(),
    useAfterFree({ resources }),
    createdMeansAvailable({ resources }),
    leakage({ resources }),
    listAgreesWithItem({ resources }),
  ],
});
