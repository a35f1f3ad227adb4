import { deep } from "./deep.ts";
import { doubleDelete, idempotency, late, orderDependent, staleRead } from "./defects.ts";
import { demo } from "./demo.ts";
import { autoincrement, ownTriggers, times, uuidCreates } from "./identity.ts";
import { ledger } from "./ledger.ts";
import { login } from "./login.ts";
import type { Model } from "./model.ts";
import { ORDER_BUGS, orderModel } from "./order-model.ts";
import { replaceUpsert } from "./replace-upsert.ts";
import { shop } from "./shop.ts";
import { stock } from "./stock.ts";

/** A fixture served over HTTP in one of its modes: what the environment has to say for it, and the model that it must equal. */
export interface FixtureMode {
  /** The folder. */
  readonly fixture: string;
  readonly mode: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: Model<unknown>;
}

const BUG = { BUG: "1" };

const mode = (fixture: string, name: string, model: Model<unknown>, env: Readonly<Record<string, string>> = {}): FixtureMode => ({
  fixture,
  mode: name,
  env,
  model,
});

/** A clean mode and one with the bug. */
const both = (
  fixture: string,
  model: (bug: boolean) => Model<unknown>,
  env: Readonly<Record<string, string>> = {},
): readonly FixtureMode[] => [mode(fixture, "clean", model(false), env), mode(fixture, "bug", model(true), { ...env, ...BUG })];

export const fixtureModes: readonly FixtureMode[] = [
  mode("shop", "clean", shop()),
  mode("shop", "double refund", shop({ doubleRefund: true }), { BUG: "double_refund" }),
  mode("shop", "cancel after ship", shop({ cancelAfterShip: true }), { BUG: "cancel_after_ship" }),
  mode("shop", "both bugs", shop({ doubleRefund: true, cancelAfterShip: true }), BUG),
  mode("demo", "planted", demo()),
  ...both("ledger", ledger),
  ...both("stock", (bug) => stock(7, bug)),
  ...both("login", login),
  ...both("double-delete", doubleDelete),
  ...both("stale-read", staleRead),
  mode("order-dependent", "clean", orderDependent("none")),
  mode("order-dependent", "total", orderDependent("total"), { BUG: "total" }),
  mode("order-dependent", "crash", orderDependent("crash"), { BUG: "crash" }),
  ...both("idempotency", idempotency),
  ...both("late", late, { LATE_MS: "0" }),
  ...both("deep", deep),
  mode("order-model", "clean", orderModel()),
  ...ORDER_BUGS.map((bug) => mode("order-model", bug.replaceAll("_", " "), orderModel(bug), { BUG: bug })),
  mode("uuid-creates", "five", uuidCreates(5)),
  mode("autoincrement", "clean", autoincrement()),
  mode("times", "clean", times()),
  ...both("own-triggers", ownTriggers),
  mode("replace-upsert", "clean", replaceUpsert()),
];
