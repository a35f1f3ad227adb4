import { HttpClient } from "../../src/adapters/http/index.ts";
import type { Context } from "../../src/model/context/context.ts";
import type { Resource } from "../../src/model/declare/resource.ts";
import type { ApiResponse } from "../../src/model/http/response.ts";
import type { Rule, StoresView } from "../../src/model/declare/rule.ts";

/** An answer: a status, or a status with body and headers. */
export type Answer = number | readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>];

export interface Script {
  /** The requests of the step in order, as texts such as `POST /orders`, optionally with body and headers. */
  readonly sends: readonly (string | readonly [request: string, json: unknown, headers?: Readonly<Record<string, string>>])[];
  /** The answers while the step runs, by texts such as `POST /orders`. Default: 200 without a body. */
  readonly during?: Readonly<Record<string, Answer>>;
  /** The answers in the state after the step. A function is called for each request, with its body. Default: 404. */
  readonly after?: Readonly<Record<string, Answer | ((body: string) => Answer)>>;
  /** The answers in the state before the step. Default: 404. */
  readonly before?: Script["after"];
  readonly changed?: boolean;
  /** Default: `true`. */
  readonly canGoBack?: boolean;
  readonly context?: Context;
  readonly expectedStatus?: readonly number[];
  /** `true` if the requests of the step cannot be sent again. */
  readonly isLost?: boolean;
  /** The contents of the stores, one entry for each time that the rule reads them, or a function that is called each time with the left-out columns. */
  readonly stores?: readonly StoresView[] | ((without: readonly string[]) => StoresView);
}

export interface Judged {
  /** `true` if the rule holds, otherwise the reason why it does not, or `? ` and the reason why it is inconclusive. */
  readonly said: true | string;
  /** The requests of the rule, in order. Requests in the state before the step begin with `before: `. */
  readonly asked: readonly string[];
  /** The fields of stores whose change is the whole violation; `undefined` if the rule names none. */
  readonly fields?: readonly string[] | undefined;
}

/** Returns the contents of stores with this number of orders. */
export function orders(count: number): StoresView {
  const fingerprint = String(count);
  const view: StoresView = {
    fingerprint,
    tables: new Map([["db.orders", new Map([["row", count]])]]),
    same: (other) => other.fingerprint === fingerprint,
    without: () => view,
    changedFields: (other) => (other.fingerprint === fingerprint ? [] : ["orders.id"]),
    changedRows: () => ({ fields: [], counts: new Map() }),
  };
  return view;
}

/** The rows of tables, each as a list of its values. */
export type TableRows = Readonly<Record<string, readonly (readonly unknown[])[]>>;

/** Returns the contents of stores with these rows. The columns of a table are named by their index. */
export function rowsView(rows: TableRows): StoresView {
  const fingerprint = JSON.stringify(rows);
  const tables = new Map(
    Object.entries(rows).map(([name, all]) => {
      const counts = new Map<string, number>();
      for (const row of all) counts.set(JSON.stringify(row), (counts.get(JSON.stringify(row)) ?? 0) + 1);
      return [`db.${name}`, counts] as const;
    }),
  );
  const columnOf = (view: StoresView, table: string, index: number): string =>
    JSON.stringify([...(view.tables.get(table)?.keys() ?? [])].map((row) => (JSON.parse(row) as unknown[])[index]));
  const view: StoresView = {
    fingerprint,
    tables,
    same: (other) => other.fingerprint === fingerprint,
    changedFields: (other) =>
      Object.entries(rows).flatMap(([name, all]) => {
        const count = Math.max(0, ...all.map((row) => row.length), ...rowLengths(other, `db.${name}`));
        const indices = Array.from({ length: count }, (_, index) => index);
        const isOther = (index: number): boolean => columnOf(view, `db.${name}`, index) !== columnOf(other, `db.${name}`, index);
        return indices.filter(isOther).map((index) => `${name}.${index}`);
      }),
    changedRows: () => ({ fields: [], counts: new Map() }),
    without: (texts) =>
      rowsView(
        Object.fromEntries(
          Object.entries(rows).map(([name, all]) => [name, all.filter((row) => !texts.some((text) => JSON.stringify(row).includes(text)))]),
        ),
      ),
  };
  return view;
}

const rowLengths = (view: StoresView, table: string): readonly number[] =>
  [...(view.tables.get(table)?.keys() ?? [])].map((row) => (JSON.parse(row) as unknown[]).length);

/** Returns the judgement of a rule about a step, against an API whose answers the script gives. */
export async function judged(rule: Rule, script: Script): Promise<Judged> {
  const { sends, during = {}, after = {}, before = {}, changed = true, canGoBack = true, expectedStatus } = script;
  const asked: string[] = [];
  let phase: "during" | "after" | "before" = "during";
  const client = new HttpClient(async (request) => {
    const url = new URL(request.url);
    const key = `${request.method} ${url.pathname}${url.search}`;
    if (phase !== "during") asked.push(phase === "before" ? `before: ${key}` : key);
    const entry = { during, after, before }[phase][key] ?? (phase === "during" ? 200 : 404);
    const answer = typeof entry === "function" ? entry(await request.text()) : entry;
    const [status, body, headers = {}] = typeof answer === "number" ? [answer] : answer;
    return new Response(body === undefined || status === 204 ? null : JSON.stringify(body), { status, headers });
  });
  const answers: ApiResponse[] = [];
  for (const sent of sends) {
    const [request, json, headers = {}] = typeof sent === "string" ? [sent] : sent;
    const [method = "", path = ""] = request.split(" ");
    answers.push(await client.request(method, path, { headers, ...(json === undefined ? {} : { json }) }));
  }
  phase = "after";
  const views = typeof script.stores === "function" ? [] : [...(script.stores ?? [])];
  let because: string | undefined;
  let unjudged: string | undefined;
  const inconclusive = (why: string): true => {
    unjudged = `? ${why}`;
    return true;
  };
  let fields: readonly string[] | undefined;
  const explain = (message: string, details: { readonly fields?: readonly string[] | undefined } = {}): false => {
    because = message;
    ({ fields } = details);
    return false;
  };
  const stores = async (without: readonly string[] = []): Promise<StoresView | undefined> =>
    typeof script.stores === "function" ? script.stores(without) : views.length > 1 ? views.shift() : views[0];
  let said = await rule.judge({ context: script.context } as never, {
    action: { name: "act", tags: [], as: undefined, expectedStatus },
    response: answers.at(-1),
    answers,
    canGoBack,
    guests: [],
    changed,
    client,
    explain,
    stores,
    inconclusive,
    unjudged: inconclusive,
    again: async ({ request }, { body = request.body } = {}) =>
      script.isLost === true
        ? undefined
        : client.request(request.method, request.url, { headers: request.headers, ...(body === undefined ? {} : { body }) }),
  });
  while (typeof said === "object" && "restored" in said) said = await said.restored();
  while (typeof said === "object" && "earlier" in said) {
    phase = "before";
    said = await said.earlier({ explain, stores, inconclusive, unjudged: inconclusive });
  }
  await client.close();
  return { said: said === true ? (unjudged ?? true) : (because ?? rule.message), asked, fields };
}

/** Customers, and orders as their children. */
export const RESOURCES: readonly Resource[] = [
  {
    name: "customer",
    collection: "/customers",
    item: "/customers/{id}",
    can: { create: true, list: true, read: true, delete: true },
    restore: "/customers/{id}/restore",
  },
  {
    name: "order",
    collection: "/customers/{customer_id}/orders",
    item: "/customers/{customer_id}/orders/{order_id}",
    items: ["data"],
    can: { create: true, list: true, read: true, update: ["PUT"], delete: true },
    parent: "customer",
  },
];
