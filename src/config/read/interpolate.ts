import type { Environment } from "./environment.ts";

/**
 * The text with `${NAME}` and `${NAME:-default}` replaced. If that is impossible: the first variable that is not set, or the first malformed
 * reference.
 */
export type Interpolated =
  | { readonly kind: "text"; readonly text: string; readonly changed: boolean }
  | { readonly kind: "unset"; readonly name: string }
  | { readonly kind: "malformed"; readonly part: string };

/**
 * Replaces `${NAME}` and `${NAME:-default}` in a text with environment variables. `$${` writes a literal `${`. As in a shell, the default also
 * replaces an empty value. A default can contain any character except `}`. References inside replaced values are not replaced.
 */
export function interpolate(text: string, env: Environment): Interpolated {
  let changed = false;
  let failure: Interpolated | undefined;
  const filled = text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (part: string, inside: string | undefined) => {
    changed = true;
    if (inside === undefined) return "${";
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(inside);
    if (match === null || !part.endsWith("}")) {
      failure ??= { kind: "malformed", part };
      return "";
    }
    const name = match[1] ?? "";
    // `process.env` has inherited keys such as `constructor`.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== "" || match[2] === undefined)) return value;
    if (match[2] !== undefined) return match[2];
    failure ??= { kind: "unset", name };
    return "";
  });
  return failure ?? { kind: "text", text: filled, changed };
}
