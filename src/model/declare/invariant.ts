import { SeqqaError } from "../errors.ts";
import type { ApiClient } from "../http/client.ts";
import type { Values } from "../context/context.ts";
import { Severity } from "./severity.ts";
import { refuseUnknown } from "./unknown-options.ts";
import type { World } from "./world.ts";

/** The detailed result of a check. Reports show `actual` and `expected` side by side. */
export interface CheckResult {
  /** `true` if the rule holds. */
  readonly ok: boolean;
  /** The value that was found, and the value that the rule requires. Both may be any JSON-like data. */
  readonly actual?: unknown;
  readonly expected?: unknown;
  /** A message that replaces the rule's message for this violation. */
  readonly message?: string;
}

/** The answer of a check: `true` if the rule holds, `false` if it does not, or a detailed result. */
export type CheckAnswer = boolean | CheckResult;

/** Options of {@link Invariant}. */
export interface InvariantOptions<C extends object = Values, A = ApiClient> {
  /** The name of the rule in findings and reports. No two rules of an exploration have the same name. */
  readonly name: string;
  /**
   * Returns `true` if the rule holds, `false` for a violation. If there is nothing to test yet, return `true`. `{ ok, actual, expected }` also gives
   * the value that was found and the value that was expected. Reports show both values, and the queries to stores that the check made, with their
   * rows.
   */
  readonly check: (world: World<C, A>) => CheckAnswer | Promise<CheckAnswer>;
  /** The message that is shown with a violation. Default: `<name> does not hold`. */
  readonly message?: string;
  /** The severity of a violation. Default: HIGH. */
  readonly severity?: Severity;
  /**
   * `true` if states that violate the invariant are not explored further. With `false`, the exploration also continues from such states. The
   * invariant is then reported again only after a state in which the invariant holds. Default `true`.
   */
  readonly blocking?: boolean;
  /** Returns `true` for the actions after which the invariant is checked. Default: all. The root state is always checked. */
  readonly when?: (action: { readonly name: string; readonly tags: readonly string[] }) => boolean;
}

const OPTIONS: readonly (keyof InvariantOptions)[] = ["name", "check", "message", "severity", "blocking", "when"];

/** A rule that must hold in every state. */
export class Invariant<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly check: (world: World<C, A>) => CheckAnswer | Promise<CheckAnswer>;
  readonly message: string;
  readonly severity: Severity;
  readonly blocking: boolean;
  readonly when: ((action: { readonly name: string; readonly tags: readonly string[] }) => boolean) | undefined;
  /** A stack trace of the declaration. */
  readonly declared: string | undefined;

  /** @throws SeqqaError `INVARIANT_INVALID` if the name is empty, `check` is not a function, or the severity or an option is unknown */
  constructor(options: InvariantOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") {
      throw new SeqqaError("INVARIANT_INVALID", "An Invariant needs a name that is not empty.", {
        exitStatus: 2,
        hint: 'Write new Invariant({ name: "stock_not_negative", check: async (world) => ... }).',
      });
    }
    if (typeof options.check !== "function") {
      throw new SeqqaError("INVARIANT_INVALID", `Invariant "${options.name}" needs a function check(world).`, {
        exitStatus: 2,
        hint: "Write check: async (world) => ..., which returns true if the rule holds.",
      });
    }
    // The subclass `Rule` has further options and checks them itself, so only a plain Invariant refuses unknown options here.
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
      throw new SeqqaError(
        "INVARIANT_INVALID",
        `Invariant "${options.name}" has the invalid \`blocking\` value ${JSON.stringify(options.blocking)}.`,
        { exitStatus: 2, hint: "Use true or false." },
      );
    }
    this.severity = severity;
    this.blocking = options.blocking ?? true;
    this.when = options.when;
    this.declared = new Error().stack;
  }
}

/** Returns `true` if the answer of a check is a detailed result. */
export function isCheckResult(said: unknown): said is CheckResult {
  return typeof said === "object" && said !== null && typeof (said as { ok?: unknown }).ok === "boolean";
}
