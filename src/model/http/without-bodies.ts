/**
 * Returns a text in which complete copies of the bodies, also in a JSON string, are replaced by `[not shown]`. Bodies of one character are not
 * replaced.
 */
export function withoutBodies(text: string, bodies: readonly string[]): string {
  const quoted = bodies.filter(({ length }) => length > 1).flatMap((body) => [body, JSON.stringify(body).slice(1, -1)]);
  return quoted.reduce((rest, body) => rest.replaceAll(body, "[not shown]"), text);
}
