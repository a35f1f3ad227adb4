import type { StoreKind } from "../../../model/stores/store-provider.ts";
import { check } from "../connect/check.ts";
import { clean } from "./clean.ts";
import { PostgresProvider } from "./provider.ts";
import { disturb } from "./stores-disturb.ts";

/** PostgreSQL for lanes: a database for each, on the server of the template. */
export const stores: StoreKind = { createProvider: (options) => new PostgresProvider(options), clean, check, disturb };
