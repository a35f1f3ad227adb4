import { Action } from "../action.ts";
import type { ApiClient } from "../../http/client.ts";
import { contextPartOf, type Context, type Values } from "../../context/context.ts";
import type { EdgeShape } from "./graph-shape.ts";
import type { ApiResponse } from "../../http/response.ts";

/** The return value of an edge's action: a response, `null` if the edge does not apply, or nothing. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- `void` is the type of an action without a `return`
export type EdgeAnswer = ApiResponse | null | void;

/** Makes the call of an edge, with the client that the World supplies. */
export type EdgeFunction<C extends object = Values, A = ApiClient> = (client: A, context: Context<C>) => EdgeAnswer | Promise<EdgeAnswer>;

/**
 * An edge of a state graph in the form of an action. It applies only at the node where the edge starts, and leads to the node where the edge ends,
 * unless the call is refused.
 */
export class EdgeAction<C extends object = Values, A = ApiClient> extends Action<C, A> {
  readonly edge: EdgeShape;

  constructor(edge: EdgeShape, action: EdgeFunction<C, A>) {
    super({
      name: edge.name,
      precondition: (context) => contextPartOf(context as never).node === edge.from,
      // The lane's `Stepper` judges the returned value, because the `Stepper` also knows the answers to the action's requests.
      run: action as Action<C, A>["run"],
    });
    this.edge = edge;
  }
}
