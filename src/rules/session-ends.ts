import type { Action } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { SeqqaError } from "../model/errors.ts";
import { Rule, type Earlier } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { nameOf, requireAction, requireCall, requireList, requireOptions } from "./rule-options.ts";
import { copyOf, endingAnswers } from "./sessions/session.ts";
import type { SessionEndsOptions } from "./sessions/options.ts";
import { SessionTrial, type TriedStep } from "./sessions/session-trial.ts";

/**
 * The age in milliseconds from which a session that still works is a finding. Many correct APIs compare the time in a token with the time of the
 * change in whole seconds, so they do not end sessions that are about a second old.
 */
const AGE_MS = 2100;

/**
 * Checks that earlier sessions stop working after a logout, a change or reset of the password, or a suspension, deletion or role change. Severity:
 * HIGH. Cookies, tokens, refresh tokens and API keys count as sessions. The rule is judged after a step of an action in `after` or `logout`, if the
 * step was answered 2xx (with GraphQL: with data). It is also judged after a 3xx, if the step changed the state or is a logout. The following happens
 * in the state before the step:
 * 1. `check` is sent without a session. If it is answered 2xx (with GraphQL: with other data than `null`), the rule is inconclusive. Otherwise two
 *    new sessions are opened with `login`, each with its own client and context. These sessions and the user's own client are checked.
 * 2. The step's writing requests are sent again, or all of its requests if none writes (`GET /logout`).
 * 3. Each session that worked before is used again with its saved token and cookies, and renewed with `refresh`. Cookies that the answer removed are
 *    still sent.
 * 4. The user logs in again, and the earlier sessions are tried once more.
 *
 * If each login ends the user's earlier session, the two new sessions make it impossible to send the step. Only the session of the client is then
 * tried. After an action of `logout`, only the session with which the request was sent is tried. If `refresh` is set, the rule also logs in with
 * another client, logs out with this client, and tries to renew the session.
 *
 * If a session still works, everything is repeated with sessions that are two seconds old, because many APIs compare times in whole seconds. Only if
 * a session also works in this repetition, it is a finding. The rule is inconclusive if a session still works after a 202 (the sessions may end
 * later), if `login` is refused, or if `refresh` is set and `login` returns no response.
 *
 * OWASP ASVS 5.0, 7.4.1 to 7.4.3.
 * @throws SeqqaError `RULE_INVALID` if no action is named, or the agent does not have a named action
 */
export function sessionEnds<C extends object = Values, A = ApiClient>(options: SessionEndsOptions<C, A>): Rule<C, A> {
  requireOptions<keyof SessionEndsOptions>("sessionEnds", options, {
    login: true,
    check: true,
    after: true,
    logout: true,
    refresh: true,
    as: true,
    keepsCurrent: true,
    name: true,
    severity: true,
    blocking: true,
  });
  const { after = [], logout = [], severity = Severity.HIGH, blocking } = options;
  requireCall("sessionEnds", "login", options.login, "Pass a function or an Action that opens a session");
  requireCall("sessionEnds", "check", options.check, "Pass a function that sends a request which needs a session");
  requireList("sessionEnds", "after", options.after, '["change_password"]');
  requireList("sessionEnds", "logout", options.logout, '["log_out"]');
  const all = new Set(after.map((action) => nameOf(action, "sessionEnds", "after")));
  const one = new Set(logout.map((action) => nameOf(action, "sessionEnds", "logout")));
  if (all.size + one.size === 0) {
    throw new SeqqaError("RULE_INVALID", "sessionEnds needs the name of at least one action that ends a session.", {
      exitStatus: 2,
      hint: "Write the name in `after` or `logout`.",
    });
  }
  const subjects = [...new Set([...all, ...one])];
  const ends = new Map<string, Action<C, A>>();
  /** Names of the actions after which a session that was {@link AGE_MS} old still worked. */
  const confirmed = new Set<string>();
  /** Returns a check of the user's sessions that seqqa runs in the state before the step. */
  const judgeAs = (tried: TriedStep<C, A>): Earlier => ({
    earlier: async ({ explain, inconclusive }) => {
      const { name } = tried.step.action;
      const outcome = await new SessionTrial(options, tried).outcome();
      if (outcome.kind === "unknown") return inconclusive(outcome.why, outcome);
      if (outcome.kind === "ended") return true;
      if (outcome.kind === "one session") return judgeAs({ ...tried, hasOneSession: true });
      if (tried.ageMs === 0 && !confirmed.has(name)) return judgeAs({ ...tried, ageMs: AGE_MS });
      confirmed.add(name);
      if (endingAnswers(tried.step, tried.isLogout).some(({ statusCode }) => statusCode === 202))
        return inconclusive(`${name} was answered 202, so the sessions may end after the time at which seqqa tries them`);
      return explain(outcome.problem);
    },
  });
  return new Rule<C, A>({
    name: options.name ?? "session_ends",
    message: "a session still works after the action that must end it",
    severity,
    ...(blocking !== undefined && { blocking }),
    writes: true,
    guests: 3,
    subjects,
    brings: (actions) => {
      for (const name of subjects) ends.set(name, requireAction(actions, "sessionEnds", name));
      return [];
    },
    when: ({ name }) => subjects.includes(name),
    judge: (world, step) => {
      const { name } = step.action;
      const isLogout = one.has(name);
      if (!step.canGoBack || endingAnswers(step, isLogout).length === 0) return true;
      const after = copyOf(world.context);
      return judgeAs({ world, step, isLogout, action: ends.get(name), after, ageMs: 0, hasOneSession: false });
    },
  });
}
