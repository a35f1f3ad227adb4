import { Action } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import { contextPartOf, type Context, type Values } from "../context/context.ts";
import type { EdgeShape } from "./graph-shape.ts";
import type { ApiResponse } from "../http/response.ts";

/** The return value of an edge's action: its response, `null` if the edge does not apply, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- an action without a `return` is one that returns nothing
export type EdgeAnswer = ApiResponse | null | void;

/** Executes an edge of a state graph with the client that the World gives it. */
export type EdgeFunction<C extends object = Values, A = ApiClient> = (client: A, context: Context<C>) => EdgeAnswer | Promise<EdgeAnswer>;

/** An edge of a state graph as the engine knows it: an action that applies at one node, and leads to another when it is not refused. */
export class EdgeAction<C extends object = Values, A = ApiClient> extends Action<C, A> {
  readonly edge: EdgeShape;

  constructor(edge: EdgeShape, action: EdgeFunction<C, A>) {
    super({
      name: edge.name,
      precondition: (context) => contextPartOf(context as never).node === edge.from,
      // The lane's `Stepper` judges the returned value, because it knows the answers of the action's requests.
      run: action as Action<C, A>["run"],
    });
    this.edge = edge;
  }
}
