import { uses } from "../lanes/placeholders.ts";
import type { StartedTarget } from "../target-config.ts";

/** Returns `true` if the target's command or environment uses a placeholder of the store `db`. */
export function usesEmptyStore({ command = "", env = {} }: StartedTarget): boolean {
  return [command, ...Object.values(env)].some((text) =>
    uses(text, "db_path", "db_url", "db_database", "url:db", "database:db", "path:db"),
  );
}
