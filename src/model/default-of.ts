/**
 * Returns the default export of an imported module. Node makes the whole of a CommonJS module its default export. TypeScript compiles an `export
 * default` to a property of that module, so the property is returned then.
 */
export function defaultOf({ default: value }: Readonly<Record<string, unknown>>): unknown {
  const inner = value as { readonly __esModule?: unknown; readonly default?: unknown } | null | undefined;
  return typeof inner === "object" && inner?.__esModule === true ? inner.default : value;
}
