import { isDeepStrictEqual } from "node:util";
import { Context, contextPartOf, type ContextPart } from "../model/context/context.ts";
import type { StepResult } from "../model/results/journey-result.ts";

/** Records the current entries of a context. Returns a function that returns the changes of the context since this record. */
export function watchContext(context: Context<never>): () => StepResult["context"] {
  const part = contextPartOf(context);
  const { version } = part;
  const before = part.save().entries;
  return () => {
    // If the version is the same, there are no changes. Changing an object in place does not change the version, so contexts with objects are always
    // compared.
    if (part.version === version && !part.mutable) return { set: {}, deleted: [] };
    const now = part.save().entries;
    const set: Record<string, unknown> = {};
    for (const [key, value] of now) if (!before.has(key) || !isDeepStrictEqual(before.get(key), value)) set[key] = value;
    return { set, deleted: [...before.keys()].filter((key) => !now.has(key)) };
  };
}

/** Returns a new context with deep copies of the initial values. */
export function freshContext(initial: object | undefined): Context<never> {
  const context = new Context<never>();
  fillContext(context, initial);
  return context;
}

/** Copies the initial values into a context. @param initial A context or a plain object. */
export function fillContext(context: Context<never>, initial: object | undefined): void {
  if (initial === undefined) return;
  const part = contextPartOf(initial as Context<never>) as ContextPart | undefined;
  const entries = part === undefined ? Object.entries(initial) : [...part.entries];
  const target = context as unknown as Context;
  for (const [key, value] of entries) target.set(key, structuredClone(value));
}
