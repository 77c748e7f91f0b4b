import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/**
 * The requests of each adapter's recorded exchanges, which its tests and the sandbox's tests play: a list for
 * its page (platform-calls.ts).
 */

type Json = z.infer<ReturnType<typeof z.json>>;
type JsonObject = { readonly [key: string]: Json };
const File = z.object({
  values: z.record(z.string(), z.json()).default({}),
  shared: z.record(z.string(), z.json()).default({}),
  exchanges: z.array(z.record(z.string(), z.json())).default([]),
});
const Recorded = z.object({
  call: z.string(),
  calls: z.record(z.string(), z.object({ request: z.object({ method: z.string(), url: z.string() }) })).default({}),
});

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** With every `like` replaced by the shared part that it names, and the own keys on top. */
function resolved(value: Json, shared: ReadonlyMap<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item) => resolved(item, shared));
  if (!isObject(value)) return value;
  const { like, with: given = {}, ...own } = value;
  const named = typeof like === "string" ? shared.get(like) : undefined;
  const base = named === undefined || !isObject(given) ? {} : resolved(filledWith(named, given), shared);
  return merged(base, own, shared);
}

function merged(base: Json, own: JsonObject, shared: ReadonlyMap<string, Json>): Json {
  const parts = Object.entries(own).map(([key, item]) => {
    const before = isObject(base) ? base[key] : undefined;
    const isOwn = !isObject(item) || !isObject(before) || item.like !== undefined;
    return [key, isOwn ? resolved(item, shared) : merged(before, item, shared)] as const;
  });
  return { ...(isObject(base) ? base : {}), ...Object.fromEntries(parts) };
}

const filledWith = (part: Json, given: JsonObject): Json =>
  z.json().parse(
    JSON.parse(
      JSON.stringify(part).replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
        const value = given[name];
        return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : whole;
      }),
    ),
  );

export interface Called {
  readonly part: string;
  readonly request: string;
}

export function recordedCalls(platform: string): readonly Called[] {
  const files = globSync(`src/platforms/${platform}/exchanges/*.json`, { cwd: ROOT }).toSorted();
  const parsed = files.map((path) => File.parse(JSON.parse(readFileSync(join(ROOT, path), "utf8"))));
  const shared = new Map(parsed.flatMap((file) => Object.entries(file.shared)));
  const values = Object.fromEntries(parsed.flatMap((file) => Object.entries(file.values)));
  return parsed
    .flatMap((file) => file.exchanges.map((raw) => Recorded.parse(resolved(raw, shared))))
    .flatMap(({ call, calls }) =>
      Object.values(calls).map(({ request: { method, url } }) => ({
        part: call.split(".")[0] ?? call,
        request: `${method} ${addressOf(url, values)}`,
      })),
    );
}

/** Without scheme and query; values that are addresses are filled in, ids are named. */
function addressOf(url: string, values: JsonObject): string {
  const named = (text: string) =>
    text.replaceAll(/\{\{(?:encode )?(\w+)[^{}]*\}\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === "string" && value.includes("://") ? value : `{${name}}`;
    });
  // An address may have another one in it.
  return named(named(url))
    .replace(/^https:\/\//, "")
    .replace(/\?.*$/, "")
    .replaceAll(/\/(?:\d{4,}|[\w-]*%3A[\w%-]*\d)(?=\/|$)/g, "/{id}");
}
