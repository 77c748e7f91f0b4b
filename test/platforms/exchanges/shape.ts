import { isObject, type Values } from "./exchange.ts";

/**
 * How an answer of the sandbox differs from the recorded one. Keys and types must be the same, and so must
 * words and codes that a program reads. Placeholders of the recorded answer are bound to what the sandbox has
 * there.
 */
export function shapeDifferences(recorded: unknown, given: unknown, values: Values, path = "answer"): string[] {
  const differs = [`${path}: ${JSON.stringify(given)} in place of ${JSON.stringify(recorded)}`];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(given) || (given.length === 0) !== (recorded.length === 0)) return differs;
    const last = given.length - 1;
    return recorded.flatMap((item, at) => shapeDifferences(item, given[Math.min(at, last)], values, `${path}[${at}]`));
  }
  if (isObject(recorded)) {
    if (!isObject(given)) return differs;
    const entries = Object.entries(recorded);
    return entries.flatMap(([key, item]) => shapeDifferences(item, given[key], values, `${path}.${key}`));
  }
  if (typeof recorded === "string" && /\{\{|…/.test(recorded)) return bind(recorded, given, values) ? [] : differs;
  const isSameType = typeof given === typeof recorded && (given === null) === (recorded === null);
  return isSameType && (given === recorded || !isRead(recorded, path)) ? [] : differs;
}

/** Whether programs read the value itself: words and codes, not names, ids, counts and sentences. */
function isRead(value: unknown, path: string): boolean {
  if (typeof value === "string") return /^[a-z_#.:-]{2,}$/i.test(value);
  return typeof value !== "number" || /(?:code|status)$/i.test(path);
}

/** `Bearer {{token}}` binds `token`; `…` matches anything. */
function bind(template: string, given: unknown, values: Values): boolean {
  if (typeof given !== "string" && typeof given !== "number") return false;
  const whole = /^\{\{([^{}]+)\}\}$/.exec(template)?.[1];
  if (whole !== undefined) {
    values[whole] = given;
    return true;
  }
  const names: string[] = [];
  const pattern = template.replaceAll(/\{\{([^{}]+)\}\}|…|[.*+?^${}()|[\]\\]/g, (part: string, name?: string) => {
    if (name === undefined) return part === "…" ? "[^]*" : `\\${part}`;
    names.push(name);
    return "([^]+?)";
  });
  const found = new RegExp(`^${pattern}$`).exec(String(given));
  for (const [at, name] of names.entries()) values[name] = found?.[at + 1] ?? null;
  return found !== null;
}
