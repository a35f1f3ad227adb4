import { UnfollowedAction } from "./cascades.ts";
import type { Catalog } from "../schema/catalog.ts";
import { triggerStatements } from "./journal-sql.ts";

export function journalObstacle(catalog: Catalog): string | undefined {
  if (catalog.unjournalled.length > 0) return catalog.unjournalled[0];
  try {
    triggerStatements(catalog);
    return undefined;
  } catch (error) {
    if (error instanceof UnfollowedAction) return error.message;
    throw error;
  }
}
