/**
 * Returns the default export of an imported module. Node gives the whole of a CommonJS module as its default, and TypeScript puts the default into
 * that.
 */
export function defaultOf({ default: value }: Readonly<Record<string, unknown>>): unknown {
  const inner = value as { readonly __esModule?: unknown; readonly default?: unknown } | null | undefined;
  return typeof inner === "object" && inner?.__esModule === true ? inner.default : value;
}
