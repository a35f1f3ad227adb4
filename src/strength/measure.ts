import type { StatesOfRun, StepOfRun } from "../run-log/index.ts";
import { explored, type ExploredTable } from "../suggest/index.ts";
import { corruptions, RowWriter, type Corruption, type LiveRow, type Spoilt } from "./corruptions.ts";

/** A lane that executes steps, and can change the stores before the rules check a step. */
export interface SpoiltSteps {
  /** Brings the lane to the state at the end of a path of actions. */
  goTo(path: readonly string[]): Promise<unknown>;
  /** Executes an action. `spoil` is called before the rules are checked, and makes the data in the stores wrong. */
  step(
    action: string,
    spoil?: (systems: Readonly<Record<string, unknown>>) => Promise<void>,
  ): Promise<{
    readonly kind: string;
    readonly broken: readonly { readonly invariant: string }[];
    readonly errors: readonly { readonly source: string }[];
  }>;
}

/** The results of one kind of wrong data, in one column or table. */
export interface SpoiltPlace {
  readonly table: string;
  /** The column whose values were made wrong; `null` if whole rows were copied or removed. */
  readonly column: string | null;
  /** A name for the way in which data was made wrong, e.g. `another word`, `one more`, `a row missing`. */
  readonly kind: string;
  readonly tried: number;
  /** The number of cases in which a rule broke, or failed with an error, because of the wrong data. */
  readonly noticed: number;
  /** The names of the rules that broke because of the wrong data. */
  readonly by: readonly string[];
  /** The first wrong data that no rule noticed, with the path to the state; `undefined` if rules noticed all of it. */
  readonly missed: { readonly what: string; readonly path: readonly string[] } | undefined;
}

export interface Strength {
  readonly places: readonly SpoiltPlace[];
  readonly tried: number;
  readonly noticed: number;
  /** The number of cases in which the database refused the wrong data, for example because of a constraint. */
  readonly refused: number;
  /** The wrong data that could not be written for another reason. */
  readonly failed: {
    readonly count: number;
    /** The first wrong data that could not be written, with the error of the database; `undefined` if there is none. */
    readonly first: string | undefined;
  };
  /**
   * The states in which no data was made wrong, because rules already break there without wrong data, or because the step to the state was not
   * executed again.
   */
  readonly leftOut: {
    readonly states: number;
    /** The names of the rules that break in these states, and of the code that failed. */
    readonly rules: readonly string[];
  };
  /** The number of states in which the rows of some tables are unknown, because the run log does not contain them completely. */
  readonly unread: number;
  /** `true` if the time was up before all wrong data was tried. */
  readonly isCut: boolean;
}

/** The maximum numbers of states per table (`STATES`) and of rows per state (`ROWS`) in which data is made wrong. */
const STATES = 8;
const ROWS = 4;

type Places = Map<string, { -readonly [K in keyof SpoiltPlace]: SpoiltPlace[K] } & { readonly names: Set<string> }>;

/**
 * Measures how often the rules notice wrong data: executes a step of the run, changes one field or row in the database, and then checks the rules.
 * Rules about steps are checked, too, because the change is made as a part of the step. Each step is first executed without a change. States in which
 * rules break without a change are left out. The same run always gives the same changes in the same order.
 *
 * @param isOver Called before each change. If it returns `true`, the measurement ends.
 */
export async function measureStrength(states: StatesOfRun, lane: SpoiltSteps, isOver: () => boolean): Promise<Strength> {
  const { tables, of, unread } = explored(states);
  const places: Places = new Map();
  const sound = new SoundSteps(of, lane);
  const failed: string[] = [];
  let [refused, isCut] = [0, false];
  for (const table of tables.filter(({ key }) => key !== undefined)) {
    const ways = corruptions(table);
    for (const node of sample(table, of)) {
      isCut ||= isOver();
      if (isCut) break;
      const sampled = await sound.to(node);
      if (sampled === undefined) continue;
      const { path, action } = sampled;
      const trials = ways.flatMap((way) =>
        Array.from({ length: Math.min(ROWS, table.rows[node]!.length) }, (_, index) => ({ action, way, table, index })),
      );
      for (const trial of trials) {
        isCut ||= isOver();
        if (isCut) break;
        await lane.goTo(path);
        const made = await spoilt(lane, trial);
        if (made === "refused") refused++;
        else if (made instanceof Error) failed.push(`${table.name}: ${trial.way.kind} (${made.message})`);
        else if (made !== "not applicable") count(places, trial, made, [...path, action]);
      }
    }
  }
  const all = [...places.values()].map(({ names, ...place }) => ({ ...place, by: [...names].toSorted() }));
  const sum = (of: (place: SpoiltPlace) => number): number => all.reduce((total, place) => total + of(place), 0);
  return {
    places: all,
    tried: sum(({ tried }) => tried),
    noticed: sum(({ noticed }) => noticed),
    refused,
    failed: { count: failed.length, first: failed[0] },
    leftOut: sound.leftOut,
    unread,
    isCut,
  };
}

function count(places: Places, { table, way }: Trial, made: Checked, path: readonly string[]): void {
  const name = `${table.name} ${way.column ?? ""} ${way.kind}`;
  const place = places.get(name) ?? {
    table: table.name,
    column: way.column ?? null,
    kind: way.kind,
    tried: 0,
    noticed: 0,
    by: [],
    missed: undefined,
    names: new Set<string>(),
  };
  places.set(name, place);
  place.tried++;
  for (const rule of made.by) place.names.add(rule);
  if (made.isNoticed) place.noticed++;
  else place.missed ??= { what: made.what, path };
}

interface SoundStep {
  /** The actions that lead to the state before the step, on a path without findings. */
  readonly path: readonly string[];
  readonly action: string;
}

/** Executes the step to each state once, without wrong data, and leaves out the states in which a rule breaks. */
class SoundSteps {
  readonly #of: StatesOfRun;
  readonly #lane: SpoiltSteps;
  readonly #edges: ReadonlyMap<number, StepOfRun>;
  readonly #known = new Map<number, SoundStep | undefined>();
  readonly #rules = new Set<string>();

  constructor(of: StatesOfRun, lane: SpoiltSteps) {
    this.#of = of;
    this.#lane = lane;
    this.#edges = firstSteps(of);
  }

  get leftOut(): Strength["leftOut"] {
    return { states: [...this.#known.values()].filter((one) => one === undefined).length, rules: [...this.#rules].toSorted() };
  }

  /** Returns the step to a state; `undefined` if the state is left out. */
  async to(node: number): Promise<SoundStep | undefined> {
    if (!this.#known.has(node)) this.#known.set(node, await this.#tried(node));
    return this.#known.get(node);
  }

  async #tried(node: number): Promise<SoundStep | undefined> {
    const [...path] = this.#path(node);
    const action = path.pop()!;
    await this.#lane.goTo(path);
    const { kind, broken, errors } = await this.#lane.step(action);
    for (const { invariant } of broken) this.#rules.add(invariant);
    for (const { source } of errors) this.#rules.add(source);
    return kind === "executed" && broken.length + errors.length === 0 ? { path, action } : undefined;
  }

  #path(node: number): readonly string[] {
    const path: string[] = [];
    for (let at = node; at > 0; at = this.#edges.get(at)!.from) path.unshift(this.#of.actions[this.#edges.get(at)!.action]!);
    return path;
  }
}

/**
 * Returns, for each state except the root state, one step that leads to this state. Following these steps backwards from any state leads to the root
 * state.
 */
function firstSteps({ steps }: StatesOfRun): ReadonlyMap<number, StepOfRun> {
  const next = new Map<number, StepOfRun[]>();
  for (const step of steps) (next.get(step.from) ?? next.set(step.from, []).get(step.from)!).push(step);
  const first = new Map<number, StepOfRun>();
  const reached = new Set([0]);
  for (const node of reached) {
    for (const step of next.get(node) ?? []) {
      if (!reached.has(step.to)) first.set(step.to, step);
      reached.add(step.to);
    }
  }
  return first;
}

interface Trial {
  readonly action: string;
  readonly way: Corruption;
  readonly table: ExploredTable;
  /** The index of the row that is made wrong, in the sorted rows of the table. */
  readonly index: number;
}

interface Checked {
  readonly what: string;
  readonly isNoticed: boolean;
  readonly by: readonly string[];
}

/** The result of making data wrong: the rules that noticed, `refused` by the database, or an `Error` for another failure of the statement. */
type Made = Checked | "refused" | "not applicable" | Error;

async function spoilt(lane: SpoiltSteps, { action, way, table, index }: Trial): Promise<Made> {
  let made = "not applicable" as Pick<Spoilt, "what"> | Exclude<Made, Checked>;
  const { kind, broken, errors } = await lane.step(action, async (systems) => {
    const store = systems[table.store] as SqlStore | undefined;
    if (store?.spoil === undefined) return;
    const write = new RowWriter(table, systems);
    const generated = new Set((await store.query(write.generatedColumns)).map(({ name }) => name));
    const all = await store.query(`SELECT * FROM ${write.from}`);
    const rows = inOrder(
      all.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !generated.has(column)))),
      table,
    );
    const row = rows[index];
    const wrong = row === undefined ? undefined : way.of(row, rows, write);
    if (wrong === undefined) return;
    made = await Promise.resolve(wrong.sql)
      .then(async (sql) => store.spoil!(sql))
      .then(
        (rows) => (rows === 0 ? "not applicable" : wrong),
        (error: Error) => (isRefusal(error) ? "refused" : error),
      );
  });
  if (typeof made === "string" || made instanceof Error) return made;
  if (kind !== "executed") return "not applicable";
  return { what: made.what, isNoticed: broken.length + errors.length > 0, by: broken.map(({ invariant }) => invariant) };
}

/** The numbers of errors with which MariaDB and MySQL refuse values: constraints, ranges, lengths, and errors of triggers. */
const REFUSALS: ReadonlySet<unknown> = new Set([1048, 1062, 1264, 1265, 1406, 1451, 1452, 1644, 3819, 4025]);

/** Returns `true` if a database refused the values of a statement, because of a constraint, the range of a type, or a trigger. */
function isRefusal({ code, errno }: Error & { readonly code?: unknown; readonly errno?: unknown }): boolean {
  return /^(?:SQLITE_CONSTRAINT|23\w{3}$|22001$|22003$|P0001$)/.test(String(code)) || REFUSALS.has(errno);
}

/** Sorts rows by the values that are the same in every run. Generated ids and times are not used. */
function inOrder(rows: readonly LiveRow[], { numbers, words, emptied, key }: ExploredTable): readonly LiveRow[] {
  const textOf = (row: LiveRow): string =>
    JSON.stringify([
      ...[...words.keys(), ...numbers].map((column) => String(row[column])),
      ...emptied.map((column) => row[column] === null),
      typeof row[key!] === "number" ? String(row[key!]).padStart(20, "0") : "",
    ]);
  return rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0));
}

interface SqlStore {
  query(sql: string): readonly LiveRow[] | Promise<readonly LiveRow[]>;
  spoil?(sql: string): number | void | Promise<number | void>;
}

/** Returns some states in which the table has rows, spread evenly over all such states. The root state is left out, because no step leads to it. */
function sample(table: ExploredTable, { states }: StatesOfRun): readonly number[] {
  const fit = states.flatMap(({ parent }, node) => (parent >= 0 && (table.rows[node]?.length ?? 0) > 0 ? [node] : []));
  const count = Math.min(STATES, fit.length);
  return Array.from({ length: count }, (_, index) => fit[Math.floor((index * fit.length) / count)]!);
}
