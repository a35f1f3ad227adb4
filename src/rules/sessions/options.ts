import type { Action } from "../../model/declare/action.ts";
import type { Context, Values } from "../../model/context/context.ts";
import type { RuleOptions } from "../../model/declare/rule.ts";
import type { ApiClient } from "../../model/http/client.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import type { ActionOrName } from "../rule-options.ts";

/** Options of `sessionEnds`. */
export interface SessionEndsOptions<C extends object = Values, A = ApiClient> extends Pick<RuleOptions<C, A>, "severity" | "blocking"> {
  /** Opens a session of the user with the given client: logs in, or creates an API key. A refused login opens no session. */
  readonly login: Action<C, A> | ((api: A, context: Context<C>) => Promise<unknown>);
  /** Sends a request that is answered 2xx (with GraphQL: with other data than `null`) only while a session works, e.g. `(api) => api.get("/me")`. */
  readonly check: (api: A, context: Context<C>) => Promise<ApiResponse>;
  /**
   * Actions after which no earlier session of the user works: change or reset of the password, suspension, change of the role, deletion. Default:
   * none.
   */
  readonly after?: readonly ActionOrName<C, A>[];
  /** Actions that end only the session with which they are sent. Default: none. */
  readonly logout?: readonly ActionOrName<C, A>[];
  /**
   * Renews a session with the answer of its login. After the session has ended, the target must refuse the renewal, too. Default: sessions cannot be
   * renewed.
   */
  readonly refresh?: (api: A, login: ApiResponse) => Promise<ApiResponse>;
  /** The role whose client acts as this user. Default: the World's `api`, for actions without a role. */
  readonly as?: string;
  /**
   * `true` if the session that calls an action of `after` is allowed to keep working, as in many APIs after a change of the password. Default
   * `false`.
   */
  readonly keepsCurrent?: boolean;
  /** The name of the rule. Default: `session_ends`. */
  readonly name?: string;
}
