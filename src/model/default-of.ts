/**
 * Returns the default export of an imported module. For a CommonJS module, Node uses the whole `module.exports` as the default export. If TypeScript
 * compiled that module, the user's own default export is the property `default` of `module.exports`, and that property is returned.
 */
export function defaultOf({ default: value }: Readonly<Record<string, unknown>>): unknown {
  const inner = value as { readonly __esModule?: unknown; readonly default?: unknown } | null | undefined;
  return typeof inner === "object" && inner?.__esModule === true ? inner.default : value;
}
