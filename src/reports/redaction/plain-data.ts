import { HIDDEN } from "./field-names.ts";

/**
 * Returns any value as data that JSON can hold, without the members of hidden names. Values that JSON cannot express are written as readable text.
 * `text` looks for secrets in strings.
 */
export function plainData(value: unknown, isHidden: (name: string, member: unknown) => boolean, text: (value: string) => string): unknown {
  const visit = (one: unknown, above: readonly unknown[]): unknown => {
    if (typeof one === "string") return text(one);
    if (typeof one === "number") return Number.isFinite(one) ? one : String(one);
    if (one === undefined || one === null || typeof one === "boolean") return one;
    if (typeof one !== "object") return String(one);
    if (above.includes(one)) return "[circular]";
    const inside = [...above, one];
    const members = (entries: Iterable<readonly [unknown, unknown]>): object =>
      Object.fromEntries(
        [...entries].map(([name, member]) => {
          const shown = typeof name === "object" ? JSON.stringify(visit(name, inside)) : String(name);
          return [shown, isHidden(shown, member) ? HIDDEN : visit(member, inside)];
        }),
      );
    if (Array.isArray(one)) return one.map((item) => visit(item, inside) ?? null);
    if (one instanceof Map) return members(one);
    if (one instanceof Set) return [...one].map((item) => visit(item, inside) ?? null);
    if (one instanceof Date) return Number.isNaN(one.getTime()) ? "Invalid Date" : one.toISOString();
    if (one instanceof Error) return text(`${one.name}: ${one.message}`);
    if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) return `[${one.byteLength} bytes]`;
    if (one instanceof RegExp || one instanceof URL) return text(String(one));
    return members(Object.entries(one));
  };
  return visit(value, []);
}
