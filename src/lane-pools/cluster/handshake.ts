import type { LaneOptions } from "../../lane/index.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import {
  count,
  flag,
  int32,
  integer,
  listOf,
  mapOf,
  matching,
  members,
  nullable,
  number,
  oneOf,
  optional,
  text,
  type Shape,
} from "./shape.ts";

/** An exploration that workers can join. */
export interface Announced {
  /** Index of the exploration in the list of the run's explorations. */
  readonly index: number;
  readonly name: string;
  /** Path of the exploration file, relative to the directory in which the run was started. */
  readonly file: string;
  /** Hash of the bundled exploration file. */
  readonly code: string;
}

/** The announcement of a run. The run writes it periodically to Redis, where workers read it. */
export interface Announcement {
  readonly state: "open" | "over";
  /** The exploration that workers can join. `null` if there is no such exploration at the moment. */
  readonly exploration: Announced | null;
}

/** The first message of a worker, which asks to join an exploration. */
export interface Join {
  /** The worker's id. The id is random and new for each exploration, so that the worker does not accept an answer to another worker. */
  readonly worker: string;
  /** Host name and process id, for messages to the user. */
  readonly name: string;
  readonly seqqa: string;
  readonly code: string;
  /** Digests of the configuration values that can affect outcomes, by the name of the value. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * The run's answer to a worker that is allowed to join. Contains the data with which the worker's lanes reach the same root state as the lanes of the
 * run.
 */
export interface Facts {
  readonly options: Pick<LaneOptions, "clockMs" | "earlierClocksMs" | "hideBodies" | "shapes" | "gated" | "operations"> & {
    /** The knowledge of the target's values, written by {@link knowledgeText}. */
    readonly knowledge: string;
    readonly dataSeed: number;
  };
  /** A snapshot of the data that `setup` made on the run's first lane, as text. `undefined` if no snapshot can be taken. */
  readonly shared: string | undefined;
  readonly root: Root;
  /** `true` if every state can be restored by writing a snapshot to the stores. */
  readonly portable: boolean;
}

export type Root = Pick<LaneReport, "wholeLo" | "wholeHi" | "rootLo" | "rootHi" | "rootLines">;

/** A worker's message after it has brought up its lanes. */
export interface Ready {
  readonly worker: string;
  readonly lanes: number;
  readonly root: Root;
  readonly portable: boolean;
  readonly origins: readonly string[];
}

export type Refusable<T> = { readonly kind: "taken"; readonly value: T } | { readonly kind: "refused"; readonly why: string };

export interface Alive {
  readonly worker: string;
}

/** The last message of a worker. `why`: the reason why it leaves, or `null` if the work is done or was interrupted. */
export interface Leave {
  readonly worker: string;
  readonly why: string | null;
}

/** The first part of the answer to a chunk. The second part contains the outcomes. */
export interface ResultHead {
  readonly worker: string;
  /** Origins (URLs) of the worker's targets that the worker has not reported before. */
  readonly origins: readonly string[];
}

const LINES = 10_000;
const hash = matching(/^[0-9a-f]{64}$/, "a SHA-256");
const worker = matching(/^[0-9a-f]{32}$/, "the id of a worker");
/** Names from messages are printed, so line breaks and control characters in a name are refused. */
const name = matching(/^[\w.:@-]{1,200}$/, "a name");
const origin: Shape<string> = matching(/^https?:\/\/[^\s"'<>]{1,300}$/, "the URL of a target");
const origins = listOf(origin, 10_000);
const root = members<Root>({ wholeLo: int32, wholeHi: int32, rootLo: int32, rootHi: int32, rootLines: listOf(text(), LINES) });

export const MOST_LANES = 256;

export const announcement: Shape<Announcement> = members<Announcement>({
  state: oneOf("open", "over"),
  exploration: nullable(members<Announced>({ index: integer(0, 100_000), name: text(1000), file: text(4000), code: hash })),
});
export const join: Shape<Join> = members<Join>({ worker, name, seqqa: text(100), code: hash, config: mapOf(text(100)) });
export const ready: Shape<Ready> = members<Ready>({ worker, lanes: integer(1, MOST_LANES), root, portable: flag, origins });
export const alive: Shape<Alive> = members<Alive>({ worker });
export const leave: Shape<Leave> = members<Leave>({ worker, why: nullable(text(2000)) });
export const resultHead: Shape<ResultHead> = members<ResultHead>({ worker, origins });
type Described = NonNullable<Facts["options"]["operations"]>["operations"][number];
const facts = members<Facts>({
  options: members<Facts["options"]>({
    clockMs: count,
    earlierClocksMs: optional(listOf(count)),
    hideBodies: flag,
    knowledge: text(),
    shapes: flag,
    gated: optional(flag),
    operations: optional(
      members<NonNullable<Facts["options"]["operations"]>>({
        servers: listOf(text(), 1000),
        operations: listOf(members<Described>({ method: text(20), path: text(), servers: optional(listOf(text(), 1000)) }), 100_000),
      }),
    ),
    dataSeed: number(-Number.MAX_VALUE, Number.MAX_VALUE),
  }),
  shared: optional(text()),
  root,
  portable: flag,
});

const refusable =
  <T>(value: Shape<T>): Shape<Refusable<T>> =>
  (given, at) =>
    members<{ readonly kind: "taken" | "refused" }>({ kind: oneOf("taken", "refused") })(given, at).kind === "taken"
      ? members<Refusable<T> & { readonly kind: "taken" }>({ kind: oneOf("taken"), value })(given, at)
      : members<Refusable<T> & { readonly kind: "refused" }>({ kind: oneOf("refused"), why: text(4000) })(given, at);

export const welcome: Shape<Refusable<Facts>> = refusable(facts);
export const verdict: Shape<Refusable<"go">> = refusable(oneOf("go"));
