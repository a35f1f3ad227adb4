import { SeqqaError } from "../errors.ts";
import type { ApiClient } from "../http/client.ts";
import type { Values } from "../context/context.ts";
import { Severity } from "./severity.ts";
import { refuseUnknown } from "./unknown-options.ts";
import type { World } from "./world.ts";

/** The result of a check in detail; reports show the values beside each other. */
export interface CheckResult {
  /** `true`: the rule holds. */
  readonly ok: boolean;
  /** The value that was found, and the value that the rule asks for: any JSON-like data. */
  readonly actual?: unknown;
  readonly expected?: unknown;
  /** Replaces the message of the rule for this violation. */
  readonly message?: string;
}

/** The answer of a check: `true` and `false`, or the same in detail. */
export type CheckAnswer = boolean | CheckResult;

/** Options of {@link Invariant}. */
export interface InvariantOptions<C extends object = Values, A = ApiClient> {
  /** Told in findings and reports. No two rules of an exploration have the same name. */
  readonly name: string;
  /**
   * `true`: the rule holds. `false`: a violation. With nothing to test yet, return `true`. `{ ok, actual, expected }` also says what was found and what
   * was expected. Reports show both, and the queries to stores that the check made, with their rows.
   */
  readonly check: (world: World<C, A>) => CheckAnswer | Promise<CheckAnswer>;
  /** Shown with a violation; default `<name> does not hold`. */
  readonly message?: string;
  /** Default HIGH. */
  readonly severity?: Severity;
  /** `false`: states that violate it are explored from, too. The invariant is reported again only after it has held in between. Default `true`. */
  readonly blocking?: boolean;
  /** Selects the actions after which the invariant is checked; default all. The root state is always checked. */
  readonly when?: (action: { readonly name: string; readonly tags: readonly string[] }) => boolean;
}

const OPTIONS: readonly (keyof InvariantOptions)[] = ["name", "check", "message", "severity", "blocking", "when"];

/** A rule that holds in every state. */
export class Invariant<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly check: (world: World<C, A>) => CheckAnswer | Promise<CheckAnswer>;
  readonly message: string;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly when: ((action: { readonly name: string; readonly tags: readonly string[] }) => boolean) | undefined;
  /** A stack that leads to the declaration. */
  readonly declared: string | undefined;

  /** @throws SeqqaError `INVARIANT_INVALID` when the name is empty, `check` is not a function, or the severity or an option is unknown. */
  constructor(options: InvariantOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") {
      throw new SeqqaError("INVARIANT_INVALID", "An Invariant needs a name that is not empty.", { exitStatus: 2 });
    }
    if (typeof options.check !== "function") {
      throw new SeqqaError("INVARIANT_INVALID", `Invariant "${options.name}" needs a function check(world).`, { exitStatus: 2 });
    }
    // A rule has options of its own.
    if (new.target === Invariant) refuseUnknown(`Invariant "${options.name}"`, "INVARIANT_INVALID", options, OPTIONS);
    const severity = options.severity ?? Severity.HIGH;
    if (!Object.values(Severity).includes(severity)) {
      throw new SeqqaError("INVARIANT_INVALID", `Invariant "${options.name}" has the unknown severity ${JSON.stringify(severity)}.`, {
        exitStatus: 2,
        hint: "Use Severity.CRITICAL, HIGH, MEDIUM or LOW.",
      });
    }
    this.name = options.name;
    this.check = options.check;
    this.message = options.message ?? `${options.name} does not hold`;
    if (options.blocking !== undefined && typeof options.blocking !== "boolean") {
      throw new SeqqaError("INVARIANT_INVALID", `Invariant "${options.name}" has \`blocking\` ${JSON.stringify(options.blocking)}.`, {
        exitStatus: 2,
        hint: "Use true or false.",
      });
    }
    this.severity = severity;
    this.blocking = options.blocking ?? true;
    this.when = options.when;
    this.declared = new Error().stack;
  }
}

/** Returns `true` for the detailed answer of a check. */
export function isCheckResult(said: unknown): said is CheckResult {
  return typeof said === "object" && said !== null && typeof (said as { ok?: unknown }).ok === "boolean";
}
