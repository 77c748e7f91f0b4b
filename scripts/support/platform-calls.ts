import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./paths.ts";

/**
 * The part *Recorded calls* of each platform's page (docs/platforms/): every request of the adapter's
 * recorded exchanges, which its tests and the sandbox's tests play. The rest of the page is written by
 * hand.
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

/** Which part of the adapter makes a call, by the first part of its path. */
const PARTS: readonly (readonly [part: string, title: string])[] = [
  ["oauth", "login"],
  ["additionalLogins", "further logins"],
  ["grants", "renewal, check and revocation of a login"],
  ["posts", "publishing, look-up and removal"],
  ["comments", "comments"],
  ["messages", "messages to authors of comments"],
];

interface Called {
  readonly part: string;
  readonly request: string;
}

function callsOf(platform: string): readonly Called[] {
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

const BEGIN = "<!-- calls: written by `npm run generate` from the adapter's recorded exchanges -->";
const END = "<!-- end of calls -->";

function sectionOf(platform: string): string {
  const calls = callsOf(platform);
  const rows = PARTS.flatMap(([part, title]) => {
    const requests = [...new Set(calls.filter((one) => one.part === part).map(({ request }) => request))].toSorted();
    return requests.length === 0 ? [] : [`| ${title} | ${requests.map((one) => `\`${one}\``).join("<br>")} |`];
  });
  const others = [...new Set(calls.map(({ part }) => part))].filter((part) => !PARTS.some(([known]) => known === part));
  if (others.length > 0) throw new Error(`${platform}: calls of ${others.join(", ")} have no title.`);
  return [BEGIN, "", "| For | Requests |", "| --- | --- |", ...rows, "", END].join("\n");
}

/** The page with its calls as they are recorded now. Throws for a page without the place for them. */
export function platformPage(platform: string): string {
  const page = readFileSync(join(ROOT, "docs", "platforms", `${platform}.md`), "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/platforms/${platform}.md has no place for its calls.`);
  return page.slice(0, from) + sectionOf(platform) + page.slice(to + END.length);
}

/** The platforms with recorded exchanges. */
export const RECORDED_PLATFORMS: readonly string[] = globSync("src/platforms/*/exchanges", { cwd: ROOT })
  .map((path) => path.split(/[\\/]/)[2] ?? "")
  .toSorted();
