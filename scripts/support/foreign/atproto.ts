import { jsonToLex, lexicons } from "@atproto/api";
import { z } from "zod";
import { type Claim, type Describe, isObject, type Sent } from "./sent.ts";

/**
 * Bluesky's lexicons, checked by the validators of `@atproto/api`: parameters and bodies of calls, and the
 * records in them. A validator passes over names that a lexicon does not have: they are compared besides.
 */
const Method = z.object({
  type: z.enum(["query", "procedure"]),
  parameters: z.object({ properties: z.record(z.string(), z.unknown()) }).optional(),
  input: z.object({ encoding: z.string(), schema: z.unknown().optional() }).optional(),
});
const Named = z.object({ type: z.string(), properties: z.record(z.string(), z.unknown()).optional() });
const Reference = z.object({
  type: z.string(),
  ref: z.string().optional(),
  refs: z.array(z.string()).optional(),
  items: z.unknown().optional(),
});
const Many = z.object({ type: z.literal("array") });
const Whole = z.object({ type: z.enum(["integer", "boolean"]) });
type Json = Sent["body"];
const BESIDE = /^\/(\.well-known\/[\w-]+|oauth\/(par|token|revoke|introspect))$/;

export const describeBluesky: Describe = ({ method, path, query, body }) => {
  // Of any server of the network, each with a host of its own.
  if (BESIDE.test(path)) return [{ text: `bluesky ${method} ${path}`, isKnown: false }];
  const [, name] = /^\/xrpc\/([\w.]+)$/.exec(path) ?? [];
  if (name === undefined) return null;
  const at = `bluesky ${method} ${name}`;
  const defined = Method.safeParse(lexicons.getDef(name)).data;
  const isFit = defined?.type === (method === "GET" ? "query" : "procedure");
  if (!defined || !isFit) return [{ text: at, isKnown: false }];
  const properties = defined.parameters?.properties ?? {};
  const parameters = query.map(([key]) => ({ text: `${at}: parameter ${key}`, isKnown: key in properties }));
  const valid = flawOf(() => lexicons.assertValidXrpcParams(name, typed(query, properties)));
  const isJson = defined.input?.encoding === "application/json";
  const fields = isJson ? namesIn(at, name, defined.input?.schema, body) : [];
  const input = isJson ? flawOf(() => lexicons.assertValidXrpcInput(name, body)) : null;
  const record =
    isJson && isObject(body) && isObject(body.record) ? recordClaims(at, body.collection, body.record) : [];
  const flaws = [valid, input].flatMap((flaw) => (flaw === null ? [] : [{ text: `${at}: ${flaw}`, isKnown: false }]));
  return [{ text: at, isKnown: true }, ...parameters, ...fields, ...record, ...flaws];
};

function recordClaims(at: string, collection: Json | undefined, record: Json): Claim[] {
  const name = typeof collection === "string" ? collection : "";
  const definition = z.object({ record: z.unknown() }).safeParse(lexicons.getDef(name)).data;
  if (!definition) return [{ text: `${at}: collection ${name}`, isKnown: false }];
  const flaw = flawOf(() => lexicons.assertValidRecord(name, jsonToLex(record)));
  const flaws = flaw === null ? [] : [{ text: `${at}: ${name}: ${flaw}`, isKnown: false }];
  return [...namesIn(`${at}: ${name}`, name, definition.record, record), ...flaws];
}

/** Parameters as the types of the lexicon have them. */
function typed(query: Sent["query"], properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name] of query) {
    const all = query.filter(([other]) => other === name).map(([, value]) => value);
    const [first = ""] = all;
    if (Many.safeParse(properties[name]).success) values[name] = all;
    else if (Whole.safeParse(properties[name]).success)
      values[name] = first === "true" || (first !== "false" && Number(first));
    else values[name] = first;
  }
  return values;
}

function flawOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Names in the value that its schema does not have. */
function namesIn(at: string, home: string, schema: unknown, value: Json): Claim[] {
  if (Array.isArray(value)) {
    const { items } = Reference.safeParse(schema).data ?? {};
    return value.flatMap((one) => namesIn(at, home, items, one));
  }
  if (!isObject(value)) return [];
  const [own, properties] = propertiesOf(home, schema, value);
  if (properties === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (key === "$type") return [];
    const isKnown = key in properties;
    return [{ text: `${at}: field ${key}`, isKnown }, ...namesIn(at, own, properties[key], item)];
  });
}

type Properties = Readonly<Record<string, unknown>>;

/** The properties of the object, after references; null for blobs and values of any form. */
function propertiesOf(home: string, schema: unknown, value: { [key: string]: Json }): [string, Properties | null] {
  const named = Named.safeParse(schema).data;
  if (named?.type === "object") return [home, named.properties ?? {}];
  const reference = Reference.safeParse(schema).data;
  const refs = reference?.type === "ref" ? [reference.ref ?? ""] : (reference?.refs ?? []);
  const full = refs.map((ref) => (ref.startsWith("#") ? `${home}${ref}` : ref.replace(/^lex:/, "")));
  const type = typeof value.$type === "string" ? value.$type : full[0];
  const fit = full.find((ref) => plain(ref) === plain(type ?? ""));
  if (fit === undefined) return [home, null];
  const of = fit.split("#")[0] ?? home;
  return propertiesOf(of, lexicons.getDef(fit), value);
}

const plain = (ref: string): string => ref.replace(/^lex:/, "").replace(/#main$/, "");
