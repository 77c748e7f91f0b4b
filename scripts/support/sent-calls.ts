import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { API_VERSIONS } from "../../src/platforms/versions.ts";
import { CALLS, Sent, withoutIds } from "./foreign/sent.ts";
import { ROOT } from "./paths.ts";
import { type Called, recordedCalls } from "./recorded-calls.ts";

/**
 * The requests that adapters send in the tests beyond those of their recorded exchanges: sent-calls.json, by
 * platform and part. A run names those that no list has (scripts/test.ts), and `npm run generate` then adds
 * them. It does not fail: which requests a run sends depends on the cases that it draws.
 */
export const SENT_CALLS = join(ROOT, "scripts", "support", "sent-calls.json");

const Listed = z.record(z.string(), z.record(z.string(), z.array(z.string())));
type Listed = z.output<typeof Listed>;

const listed = (): Listed => (existsSync(SENT_CALLS) ? Listed.parse(JSON.parse(readFileSync(SENT_CALLS, "utf8"))) : {});

/** Those of a platform, with the versions that are called now. */
export const sentCalls = (platform: string): readonly Called[] =>
  Object.entries(listed()[platform] ?? {}).flatMap(([part, requests]) =>
    requests.map((request) => ({ part, request: request.replace("{version}", versionAt(request)) })),
  );

const versionAt = (request: string): string =>
  request.includes("graph.threads.net/") ? API_VERSIONS.threads.version : API_VERSIONS.graph.version;

/** Requests of the last run of tests that are in no list, as lines for people. */
export const missingCalls = (): readonly string[] =>
  Object.entries(unlisted()).flatMap(([platform, parts]) =>
    Object.entries(parts).flatMap(([part, requests]) => requests.map((one) => `  ${platform} ${part}: ${one}`)),
  );

/** The list with what the last run of tests sent, and without what no adapter has any more. */
export function sentCallsText(added = unlisted()): string {
  const before = listed();
  const platforms = [...new Set([...Object.keys(before), ...Object.keys(added)])].toSorted();
  const entries = platforms.map((platform) => {
    const parts = [...new Set([...Object.keys(before[platform] ?? {}), ...Object.keys(added[platform] ?? {})])];
    const source = sourceOf(platform);
    const of = parts.toSorted().flatMap((part) => {
      const all = [...(before[platform]?.[part] ?? []), ...(added[platform]?.[part] ?? [])];
      const kept = all.filter((one) => isCalled(source, one) && !isRecorded(platform, part, one)).toSorted();
      return kept.length === 0 ? [] : [[part, kept] as const];
    });
    return [platform, Object.fromEntries(of)] as const;
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function unlisted(): Listed {
  const before = listed();
  const sent = existsSync(CALLS) ? z.array(Sent).parse(JSON.parse(readFileSync(CALLS, "utf8"))) : [];
  const found: Record<string, Record<string, string[]>> = {};
  for (const one of sent) {
    if (!one.by) continue;
    const { platform, part } = one.by;
    const request = requestOf(one, platform);
    const known = [...(before[platform]?.[part] ?? []), ...(found[platform]?.[part] ?? [])];
    if (known.includes(request) || isRecorded(platform, part, request)) continue;
    found[platform] = { ...found[platform], [part]: [...(found[platform]?.[part] ?? []), request] };
  }
  return found;
}

/** `GET graph.facebook.com/{version}/{id}/insights`. */
function requestOf({ method, host, path }: Sent, platform: string): string {
  const isGraph = /^graph[\w-]*\.|^rupload\./.test(host);
  const plain = withoutIds(path).replace(/^\/dms-uploads\/.*/, "/dms-uploads/{address}");
  return `${method} ${platform === "bluesky" ? serverAt(host, path) : host}${isGraph ? plain.replace(/\/v\d+\.\d+(?=\/)/, "/{version}") : plain}`;
}

/** The servers of accounts, which each chooses. */
const serverAt = (host: string, path: string): string =>
  /^(plc\.directory|cloudflare-dns\.com)$/.test(host) ? host : path.endsWith("/atproto-did") ? "{handle}" : "{server}";

/** With one name for every placeholder. */
const shape = (request: string): string => request.replaceAll(/\{\w+\}/g, "{}").replaceAll(/\/v\d+\.\d+(?=\/)/g, "/{}");

const shapes = new Map<string, ReadonlySet<string>>();

function isRecorded(platform: string, part: string, request: string): boolean {
  const known =
    shapes.get(platform) ?? new Set(recordedCalls(platform).map((one) => `${one.part} ${shape(one.request)}`));
  shapes.set(platform, known);
  return known.has(`${part} ${shape(request)}`);
}

/** The source of the adapter, and of what adapters share. */
const sourceOf = (platform: string): string =>
  globSync(`src/platforms/{${platform},meta,.}/**/*.ts`, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .join("\n");

/** Whether the adapter still has the last word of the address. */
function isCalled(source: string, request: string): boolean {
  const words = request.split(/[/ ]/).filter((word) => word !== "" && !word.includes("{"));
  return source.includes(words.at(-1) ?? request);
}
