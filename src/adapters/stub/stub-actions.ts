import { clientPartOf, type ApiClient } from "../../model/http/client.ts";
import { contextPartOf, storeOf, type Values } from "../../model/context/context.ts";
import { SeqqaError } from "../../model/errors.ts";
import { Action, type ActionOptions } from "../../model/declare/action.ts";
import { ApiResponse } from "../../model/http/response.ts";
import type { HttpStub } from "./http-stub.ts";
import { STUB_FAULTS, type StubFault, type Webhook } from "./stub-state.ts";

/** Options of {@link faultActions}. */
export interface FaultActionsOptions {
  /** The faults to try. Default: all. */
  readonly kinds?: readonly StubFault[];
  /** The maximum number of faults on one path. Default: 1. */
  readonly most?: number;
}

/**
 * Returns an action for each fault. The action, such as `payments_no_answer`, makes the next request to the stub fail. The actions apply only if no
 * fault is pending and fewer than `most` faults were requested on the path.
 * @param store The name of the stub in the world.
 */
export function faultActions<C extends object = Values, A = ApiClient>(
  store: string,
  { kinds = STUB_FAULTS, most = 1 }: FaultActionsOptions = {},
): Action<C, A>[] {
  return kinds.map((kind) =>
    stubAction<C, A>(`${store}_${kind}`, `the stub ${store} answers the next request with the fault "${kind}"`, async (_api, context) => {
      const stub = storeOf<HttpStub>(context, store);
      if (stub.nextFault !== undefined || stub.faults >= most) return null;
      stub.failNext(kind);
      return ApiResponse.of(200, { fault: kind });
    }),
  );
}

/** Options of {@link webhookActions}. */
export interface WebhookActionsOptions {
  /**
   * Returns additional headers for a webhook that is about to be sent, such as a signature of its body. `nowMs` is the target's time in milliseconds
   * since 1970, for signatures that contain a time. Without a `systems.clock`, it is the time of this process.
   */
  readonly headers?: (webhook: Webhook, body: string, nowMs: number) => Readonly<Record<string, string>>;
}

/**
 * Returns three actions that send webhooks of a stub to the target. A webhook is sent without the token, the cookies and the headers of the World's
 * client.
 *
 * - `<store>_webhook` sends the oldest queued webhook, at any later step.
 * - `<store>_webhook_again` repeats the webhook that was sent last.
 * - `<store>_webhook_overtakes` sends the newest queued webhook before older ones.
 *
 * @param store The name of the stub in the world.
 */
export function webhookActions<C extends object = Values, A = ApiClient>(
  store: string,
  { headers }: WebhookActionsOptions = {},
): Action<C, A>[] {
  const send = async (api: A, context: object, webhook: Webhook | undefined): Promise<ApiResponse | null> => {
    if (webhook === undefined) return null;
    const body = typeof webhook.body === "string" ? webhook.body : JSON.stringify(webhook.body ?? {});
    const all = { "content-type": "application/json", ...webhook.headers, ...headers?.(webhook, body, targetTime(context)) };
    return post(api, webhook.path, { body, headers: all });
  };
  return [
    stubAction<C, A>(
      `${store}_webhook`,
      `the stub ${store} sends its oldest webhook`,
      async (api, context) => send(api, context, storeOf<HttpStub>(context, store).takeWebhook("first")),
      { changesStores: [store] },
    ),
    stubAction<C, A>(
      `${store}_webhook_again`,
      `the stub ${store} sends its last webhook again`,
      async (api, context) => send(api, context, storeOf<HttpStub>(context, store).lastSent),
      // The action may change nothing, because a correct target ignores a repeated webhook.
      { changesNothing: true },
    ),
    stubAction<C, A>(
      `${store}_webhook_overtakes`,
      `the stub ${store} sends its newest webhook before older webhooks`,
      async (api, context) => {
        const stub = storeOf<HttpStub>(context, store);
        return stub.waiting.length < 2 ? null : send(api, context, stub.takeWebhook("last"));
      },
      { changesStores: [store] },
    ),
  ];
}

/**
 * Sends a request as a third party does, without the token, cookies and headers of the client. If the client cannot leave them out, they are sent.
 */
async function post(
  api: unknown,
  path: string,
  options: { readonly body: string; readonly headers: Record<string, string> },
): Promise<ApiResponse> {
  const part = clientPartOf(api);
  const hasPost = typeof (api as Partial<ApiClient>).post === "function";
  // A client without `post`, such as a GraphQLClient, has the URL of one endpoint as its base URL. Webhooks go to another path of the same server.
  if (part?.sendAnonymously !== undefined) return part.sendAnonymously("POST", hasPost ? path : new URL(path, part.base).href, options);
  if (hasPost) return (api as ApiClient).post(path, options);
  throw new SeqqaError("NO_CLIENT", "The api of the World cannot send a webhook, because it is no HttpClient and has no method post.", {
    hint: "Use an HttpClient as the api of the World, or write an action of your own that sends the webhook.",
  });
}

/** Returns the time of the target in milliseconds: the time of this process, moved by the clock of the World if there is one. */
function targetTime(context: object): number {
  const stores = Object.values(contextPartOf(context as never).stores());
  return Date.now() + (stores.find((store) => store?.aheadMs !== undefined)?.aheadMs?.() ?? 0);
}

/** Creates an action that may never apply, because a small API may never queue two webhooks. */
function stubAction<C extends object, A>(
  name: string,
  description: string,
  run: ActionOptions<C, A>["run"],
  more: Pick<ActionOptions, "changesNothing" | "changesStores"> = {},
): Action<C, A> {
  return new Action<C, A>({ name, description, run, tags: ["stub"], mayNeverApply: true, mayNeverSucceed: true, ...more });
}
