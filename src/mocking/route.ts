import { SeqqaError } from "../model/errors.ts";

/**
 * The paths for which replies are defined, as plain data, because routes are copied between lanes. `exact`: the path must equal this path and query.
 * `segments`: `:name` matches any single segment. `pattern`: a regular expression must match a part of the path and query.
 */
export type Route =
  | { readonly kind: "exact"; readonly path: string }
  | { readonly kind: "segments"; readonly path: string }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string };

/**
 * Converts the parameter `path` of {@link MockClient.when} to a route.
 * @param path A string or regular expression, as {@link MockClient.when} accepts it.
 * @param sent Returns a path in the form in which a client sends it.
 * @throws SeqqaError `PATH_INVALID`
 */
export function routeOf(path: string | RegExp, sent: (path: string) => string): Route {
  // Remove the flags `g` and `y`: with these flags, a regular expression continues after its last match, so every second equal request would not
  // match.
  if (path instanceof RegExp) return { kind: "pattern", source: path.source, flags: path.flags.replace(/[gy]/g, "") };
  if (typeof path !== "string" || path === "") {
    throw new SeqqaError(
      "PATH_INVALID",
      `The path of a reply of a mock or stub is ${path === "" ? "empty" : `of type ${typeof path}`}, but must be a path or a regular expression.`,
      {
        exitStatus: 2,
        hint: 'Write for example whenGet("/orders/1"), whenGet("/orders/:id") or whenGet(/^\\/orders\\/\\d+$/).',
      },
    );
  }
  const written = sent(path);
  return { kind: /(?:^|\/):[A-Za-z_]\w*(?=[/?]|$)/.test(written) ? "segments" : "exact", path: written };
}

/** Returns `true` if a route matches a path with its query. */
export function matches(route: Route, path: string): boolean {
  switch (route.kind) {
    case "exact":
      return route.path === path;
    case "segments":
      return sameSegments(route.path, path);
    case "pattern":
      return new RegExp(route.source, route.flags).test(path);
  }
}

function sameSegments(route: string, path: string): boolean {
  const [wanted, wantedQuery] = cut(route);
  const [given, query] = cut(path);
  if (wantedQuery !== query) return false;
  const segments = given.split("/");
  const names = wanted.split("/");
  return (
    names.length === segments.length && names.every((name, i) => (/^:[A-Za-z_]\w*$/.test(name) ? segments[i] !== "" : name === segments[i]))
  );
}

function cut(path: string): readonly [string, string | undefined] {
  const at = path.indexOf("?");
  return at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
}
