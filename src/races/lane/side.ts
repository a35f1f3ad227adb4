import { isDeepStrictEqual } from "node:util";
import { serverErrorIn, type Action } from "../../model/declare/action.ts";
import type { Exchange } from "../../model/http/client.ts";
import { isRefusal } from "../../model/http/refusal.ts";
import { Context, contextPartOf, type SavedContext } from "../../model/context/context.ts";
import type { LaneBase } from "../../lane/index.ts";
import { Drawing, exchangesOf, Stepper, type Outcome } from "../../lane/index.ts";
import type { CallEnd } from "../oracle/execution.ts";
import { haveOwnData } from "../own-data.ts";
import type { RaceScope } from "./race-scope.ts";

/** The saved credentials and cookies of a client that a call of a race changed. */
export interface ClientChange {
  readonly client: number;
  readonly saved: unknown;
}

/** The test data that a call draws. */
export interface SideData {
  /** Action indices from the root state to the state of the race. */
  readonly path: readonly number[];
  /** The paths from which test data is drawn; see `RaceRequest.draws`. */
  readonly draws: readonly (readonly number[])[] | undefined;
  /** The index of the call. Without an own path in `draws`, the call draws the data of the first call. */
  readonly side: number;
}

/** One call of a race, with its own copies of context and credentials. A call notices other calls only through the API. */
export class Side {
  readonly action: Action<never, never>;
  readonly context: Context<never>;
  end: CallEnd | undefined;
  changedClients: readonly ClientChange[] = [];
  /** The node of a user's state graph after the call; `undefined` if the node did not change. */
  node: string | undefined;
  readonly #base: LaneBase;
  readonly #stepper: Stepper;
  readonly #drawing: Drawing;
  readonly #data: number | undefined;

  constructor(base: LaneBase, index: number, data: SideData, saved: SavedContext) {
    const { path, draws, side } = data;
    this.#base = base;
    this.#data = haveOwnData(data) ? side : undefined;
    this.action = base.actions[index]!;
    this.context = new Context<never>();
    const part = contextPartOf(this.context);
    part.restore(saved);
    const own = draws?.[path.length + side];
    this.#drawing = Drawing.like(base.drawing);
    this.#drawing.at(path, path.length, index, own === undefined ? draws : draws!.with(path.length, own));
    part.drawFrom(this.#drawing.source);
    part.reach(contextPartOf(base.world.context).stores);
    const { api, clients } = base.world;
    const world = { api, clients, context: this.context };
    const told = {
      asks: base.state.asks,
      attribute: (): void => undefined,
      moveTo: (node: string | undefined): void => {
        this.node = node;
      },
    };
    this.#stepper = new Stepper(world, told, this.#drawing, { serverErrors: "violation", hideBodies: false }, base.state);
  }

  /** `true` if the call drew test data. */
  get drew(): boolean {
    return this.#drawing.wasUsed;
  }

  take(exchange: Exchange): void {
    this.#stepper.sink(exchange);
  }

  async call(scope: RaceScope): Promise<void> {
    await scope.run(async () => {
      const versions = this.#base.state.clients.map(({ version }) => version);
      const outcome = await this.#stepper.run(this.action);
      this.end = this.#endOf(outcome);
      this.changedClients = this.#base.state.clients.flatMap((client, index) =>
        client.version === versions[index] ? [] : [{ client: index, saved: client.save() }],
      );
    });
  }

  /** Returns `true` if both calls changed the same client, or the node, to different values, so that the order of merging matters. */
  conflicts({ changedClients, node }: Side): boolean {
    if (this.node !== undefined && node !== undefined && this.node !== node) return true;
    const isOther = (a: ClientChange, b: ClientChange): boolean => a.client === b.client && !isDeepStrictEqual(a.saved, b.saved);
    return this.changedClients.some((one) => changedClients.some((other) => isOther(one, other)));
  }

  #endOf(outcome: Outcome): CallEnd {
    const exchanges = exchangesOf(this.#stepper.exchanges, outcome);
    const answer = outcome.response === undefined ? exchanges.findLast(({ response }) => response !== undefined)?.response : undefined;
    const status = outcome.response?.statusCode ?? answer?.status ?? 0;
    const body = outcome.response?.text ?? answer?.body;
    const request = outcome.response?.request ?? exchanges.findLast(({ response }) => response !== undefined)?.request;
    const answered = request === undefined ? [] : [{ statusCode: status, request, text: body }];
    return {
      action: this.action.name,
      data: this.#data,
      kind: outcome.kind,
      status: outcome.kind === "skipped" ? 0 : status,
      body: outcome.kind === "skipped" ? undefined : body,
      exchanges: outcome.kind === "skipped" ? [] : exchanges,
      lost: outcome.lost,
      serverError:
        this.#base.options.serverErrors === "violation" && serverErrorIn(answered, this.action.expectedStatus ?? []) !== undefined,
      refused: answered.some(isRefusal),
    };
  }
}
