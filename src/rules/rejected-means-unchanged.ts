import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { graphqlAnswer } from "../model/http/graphql-answer.ts";
import { storeChanges } from "./store-changes.ts";

const READS = new Set(["GET", "HEAD"]);

/**
 * Checks that calls that were refused, or that only read, leave the stores unchanged. Severity: HIGH. The rule is judged if every answer of a step
 * has a status of 400 to 499, or belongs to a `GET` or `HEAD`: the stores must then be in the state before the step. With GraphQL, an answer with
 * errors and without data counts as refused, and an answer to a GraphQL query counts as an answer to a reading request. Stores are compared directly,
 * not through the API. Generated values and times of the run may differ, and tables and columns in `ignore` are left out. Worlds without stores are
 * not judged. GET and HEAD are safe by RFC 9110, 9.2.1.
 */
export function rejectedMeansUnchanged<C extends object = Values, A = ApiClient>(): Rule<C, A> {
  return new Rule<C, A>({
    name: "rejected_means_unchanged",
    message: "a refused or read-only call changed the stores",
    severity: Severity.HIGH,
    writes: true,
    judge: async (_world, { action, answers, changed, stores }) => {
      if (!changed || answers.length === 0) return true;
      const refused = answers.every((answer) => wasRefused(answer) || onlyReads(answer));
      const after = refused ? await stores() : undefined;
      if (after === undefined) return true;
      const last = answers.at(-1)!;
      return {
        earlier: async (begun) => {
          const before = (await begun.stores())!;
          if (before.same(after, { strict: true })) return true;
          return begun.explain(`${action.name} ${howOf(last)} and changed the stores: ${storeChanges(before, after)}`);
        },
      };
    },
  });
}

function wasRefused(answer: ApiResponse): boolean {
  return (answer.statusCode >= 400 && answer.statusCode < 500) || graphqlAnswer(answer).kind === "refused";
}

function onlyReads(answer: ApiResponse): boolean {
  return READS.has(answer.request.method) || graphqlAnswer(answer).kind === "read";
}

function howOf(answer: ApiResponse): string {
  if (answer.statusCode >= 400) return `was refused with status ${answer.statusCode}`;
  if (READS.has(answer.request.method)) return `only reads (${answer.request.method})`;
  const graphql = graphqlAnswer(answer);
  return graphql.kind === "refused" ? `was refused (${graphql.message})` : "only reads (a query)";
}
