// Marketing API parameters in the formats that clients send: JSON, JSON text in a form, or brackets
// (`filtering[0][field]=name`).

import { z } from "zod";
import { badParameter, GraphError } from "../errors";
import { flag, type GraphContext, moment, nested, type Params, text, wholeNumber } from "../params";
import { refused } from "./refusals";

const BRACKETED = /^(\w+)((?:\[\w*\])+)$/;

/** Assembles nested values from bracket notation; numeric and empty keys form a list. */
export function unbracketed(params: Params): Params {
  const out: Params = {};
  for (const [name, value] of Object.entries(params)) {
    const [, root, rest] = BRACKETED.exec(name) ?? [];
    if (root === undefined || rest === undefined) out[name] = value;
    else
      out[root] = placed(
        out[root],
        [...rest.matchAll(/\[(\w*)\]/g)].map(([, key]) => key ?? ""),
        value,
      );
  }
  return out;
}

function placed(into: unknown, [key, ...deeper]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (/^\d*$/.test(key)) {
    const list: unknown[] = Array.isArray(into) ? [...into] : [];
    const at = key === "" ? list.length : Number(key);
    if (at > 200) throw badParameter("A list is too long");
    list[at] = placed(list[at], deeper, value);
    return list;
  }
  const known = z.record(z.string(), z.unknown()).safeParse(into).data ?? {};
  return { ...known, [key]: placed(known[key], deeper, value) };
}

/** A boolean; Python clients send `False`. */
export const bool = z.preprocess((value) => (typeof value === "string" ? value.toLowerCase() : value), flag);

export const name = text.min(1).max(400);

/** An amount in the smallest unit. */
export const amount = wholeNumber;

/** A time; zero clears it. */
export const openMoment = moment.transform((at) => (at === 0 ? null : at));

export const texts = nested(z.array(text));
export const record = nested(z.record(z.string(), z.json()));

/** Accepted by every call. */
export const COMMON = { fields: text.optional(), locale: text.optional() };

/** `validate_only` checks the input and creates nothing. */
export const ExecutionOptions = nested(
  z.array(z.enum(["validate_only", "include_recommendations", "synchronous_ad_review"])),
);

export const NewStatus = z.enum(["ACTIVE", "PAUSED"]);
export const ChangedStatus = z.enum(["ACTIVE", "PAUSED", "ARCHIVED", "DELETED"]);

export const Paging = { limit: wholeNumber.optional(), after: text.optional(), before: text.optional() };

export const isTrial = (options: readonly string[] | undefined) => options?.includes("validate_only") ?? false;

/** Checks which fields of an object can be changed in its current status. */
export function requireChangeable(current: { id: string; status: string }, changed: Record<string, unknown>): void {
  if (current.status === "DELETED") {
    throw refused(null, {
      title: "Object deleted",
      message: `The object ${current.id} was deleted and cannot be changed.`,
    });
  }
  const others = Object.entries(changed).filter(([field, value]) => field !== "name" && value !== undefined);
  const isAllowed = others.every(([field, value]) => field === "status" && value === "DELETED");
  if (current.status !== "ARCHIVED" || isAllowed) return;
  throw refused(null, {
    title: "Object archived",
    message: "Of an archived object only the name can be changed; it can be deleted.",
  });
}

/** Requires one of the listed values; uses Meta's error message. */
export function requireOneOf(field: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  throw new GraphError(100, `(#100) ${field} must be one of the following values: ${words.join(", ")}`);
}

/** The language of user messages. */
export const localeOf = (c: GraphContext, language: string) => String(c.var.params.locale ?? language);
