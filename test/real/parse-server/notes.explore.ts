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

interface Notes {
  session: string;
  note: string;
  starred: number;
}
type Run = (api: ApiClient, context: Context<Notes>) => Promise<ApiResponse>;

const act = (name: string, run: Run, precondition?: (context: Context<Notes>) => boolean): Action<Notes> =>
  new Action<Notes>({ name, run, ...(precondition && { precondition }) });
const hasNote = (context: Context<Notes>): boolean => context.has("note");
const loggedIn = (context: Context<Notes>): boolean => context.has("session");
const note = (context: Context<Notes>): string => `/classes/Note/${context.getRequired("note")}`;

const signedIn = async (api: ApiClient, context: Context<Notes>, answer: Promise<ApiResponse>): Promise<ApiResponse> => {
  const response = await answer;
  if (response.ok) {
    const { sessionToken } = response.json<{ sessionToken: string }>();
    context.set("session", sessionToken);
    api.setHeader("X-Parse-Session-Token", sessionToken);
  }
  return response;
};

const actions = [
  act("sign_up", (api, context) => signedIn(api, context, api.post("/users", { json: { username: "ada", password: "secret-1" } }))),
  act("log_in", (api, context) => signedIn(api, context, api.post("/login", { json: { username: "ada", password: "secret-1" } }))),
  act("who_am_i", (api) => api.get("/users/me"), loggedIn),
  act(
    "log_out",
    async (api, context) => {
      const response = await api.post("/logout");
      api.setHeader("X-Parse-Session-Token", null);
      context.delete("session");
      return response;
    },
    loggedIn,
  ),
  act(
    "create_note",
    async (api, context) => {
      const response = await api.post("/classes/Note", { json: { title: "tea", stars: 0 } });
      if (response.ok) context.set("note", response.json<{ objectId: string }>().objectId);
      return response;
    },
    (context) => !hasNote(context),
  ),
  act("read_note", (api, context) => api.get(note(context)), hasNote),
  act("rename_note", (api, context) => api.put(note(context), { json: { title: "coffee" } }), hasNote),
  act(
    "star_note",
    (api, context) => api.put(note(context), { json: { stars: { __op: "Increment", amount: 1 } } }),
    (context) => hasNote(context),
  ),
  act("delete_note", (api, context) => api.delete(note(context)), hasNote),
  act("list_notes", (api) => api.get("/classes/Note")),
];

const resources: readonly Resource[] = [
  {
    name: "note",
    collection: "/parse/classes/Note",
    item: "/parse/classes/Note/{note}",
    id: ["objectId"],
    items: ["results"],
    can: { create: true, list: true, read: true, update: ["PUT"], delete: true },
  },
];

/**
 * Notes and a user's sessions. What Parse Server 9.7.0 does that rules and races tell of:
 *
 * - An increment is a PUT, and one that is sent twice counts twice: PUT is no longer idempotent.
 * - A logout looks its session up and deletes it in two statements: two logouts at once both succeed, one after the other the second is refused.
 */
export const agent: Agent<Notes> = new Agent<Notes>({
  name: "parse-server",
  world: (lane) =>
    new World<Notes>({
      api: new HttpClient(`${lane.baseUrl}/parse`, { headers: { "X-Parse-Application-Id": "notes" } }),
      systems: lane.systems,
    }),
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
