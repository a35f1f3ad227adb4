/** Returns a text without the bodies that it quotes whole, as they are or within a string of JSON. Bodies of one character stay. */
export function withoutBodies(text: string, bodies: readonly string[]): string {
  const quoted = bodies.filter(({ length }) => length > 1).flatMap((body) => [body, JSON.stringify(body).slice(1, -1)]);
  return quoted.reduce((rest, body) => rest.replaceAll(body, "[not shown]"), text);
}
