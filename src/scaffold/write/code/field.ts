import type { PlannedAction } from "../../infer/plan.ts";
import { object, row, text, type Code } from "./layout.ts";
import { templateText } from "./text.ts";
import { valueCode, type ValueScope } from "./value.ts";

export function actionType(isGraphql: boolean): string {
  return isGraphql ? "Action<Keys, GraphQLClient>" : "Action<Keys>";
}

/** Returns the text that identifies an action: its method and URL path (`POST /orders`), or its GraphQL field (`mutation createOrder`). */
export function callOf({ operation, graphql }: PlannedAction): string {
  return graphql === undefined ? `${operation.method.toUpperCase()} ${operation.path}` : `${graphql.kind} ${graphql.name}`;
}

/** Returns the lines of generated code that define a constant with the text of a GraphQL operation. */
export function queryLines({ graphql }: PlannedAction, indent: number): readonly string[] {
  if (graphql === undefined) return [];
  const [first = "", ...rest] = graphql.document.split("\n").map((line) => templateText(line));
  const margin = " ".repeat(indent);
  if (rest.length === 0) return [`${margin}const query = \`${first}\`;`];
  return [`${margin}const query = \`${first}`, ...rest.slice(0, -1).map((line) => `${margin}${line}`), `${margin}${rest.at(-1)!}\`;`];
}

/** Returns the code that sends a GraphQL operation: `api.query(query, { variables: ... })`. */
export function fieldCode({ body }: PlannedAction, scope: ValueScope): Code {
  if (body === undefined) return text("api.query(query)");
  return row("api.query(query, ", object([row("variables: ", valueCode(body.value, scope))]), ")");
}
