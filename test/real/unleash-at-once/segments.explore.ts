import { Action, Agent, type ApiClient, type ApiResponse } from "seqqa";

interface Segments {
  us: number;
}

const SEGMENTS = "/api/admin/segments";

const create = (api: ApiClient, name: string): Promise<ApiResponse> => api.post(SEGMENTS, { json: { name, constraints: [] } });

/**
 * Segments of users, whose names are unique: a second one of a name is refused with 409. No rule: what two calls may come to is known from what they do one
 * after the other.
 *
 * What Unleash 6.10.1 does wrong: it asks the database whether there is a segment of the name, and inserts (or renames) one if there is none, in two
 * statements outside of a transaction; the index on the name is not a unique one. Two calls that ask before either of them writes both succeed, and
 * there are two segments of one name.
 */
export const agent: Agent<Segments> = new Agent<Segments>({
  name: "segments",
  actions: [
    new Action<Segments>({ name: "create_eu", run: (api) => create(api, "eu") }),
    new Action<Segments>({
      name: "create_us",
      run: async (api, context) => {
        const response = await create(api, "us");
        if (response.ok) context.set("us", response.json<{ id: number }>().id);
        return response;
      },
    }),
    new Action<Segments>({
      name: "rename_us_to_eu",
      precondition: (context) => context.has("us"),
      run: (api, context) => api.put(`${SEGMENTS}/${context.getRequired("us")}`, { json: { name: "eu", constraints: [] } }),
    }),
  ],
  invariants: [],
});
