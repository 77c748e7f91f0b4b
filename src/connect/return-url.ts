import type { ConnectedChannel } from "./table.ts";

/** The application's `redirectUrl`: which ones we take, and what is appended to it (spec 4.1). Pure. */
const REFUSED_SCHEMES = ["javascript:", "data:", "vbscript:", "blob:", "file:", "about:"];

export const MAX_RETURN_URL = 2048;

/** What is wrong with it, worded to follow the field's name; null when it can be used. */
export function returnUrlProblem(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return "must not contain spaces or control characters.";
  // Read as an address, `localhost:3000/done` has the scheme `localhost`.
  if (/^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)+):\d+([/?#]|$)/i.test(text)) {
    return "must be an absolute URL: put https:// in front.";
  }
  if (!URL.canParse(text)) return "must be an absolute URL, e.g. https://app.example/connected or myapp://connected.";
  const url = new URL(text);
  if (REFUSED_SCHEMES.includes(url.protocol)) return `must not have the scheme ${url.protocol.slice(0, -1)}.`;
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\//i.test(text)) return "must have // after its scheme.";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password.";
  return null;
}

/** Where the person goes when everything is connected. */
export function successUrl(returnUrl: string, token: string, connected: readonly ConnectedChannel[]): string {
  const [only] = connected.length === 1 ? connected : [];
  return withQuery(returnUrl, [
    ...(only ? [["channel_id", String(only.id)] as const] : []),
    ["channel_ids", connected.map((channel) => channel.id).join(",")],
    ["platform", platformNames(connected)],
    ["status", "success"],
    ["connect_token", token],
  ]);
}

/** Where "Back to the app" leads when it did not work out. */
export function failureUrl(returnUrl: string, token: string, message: string): string {
  return withQuery(returnUrl, [
    ["status", "failed"],
    ["message", message],
    ["connect_token", token],
  ]);
}

/** The platforms, each once, in the order in which they were connected. */
export function platformNames(connected: readonly ConnectedChannel[]): string {
  return [...new Set(connected.map((channel) => channel.platform))].join(",");
}

/** Appends to what is there: `URL.searchParams` would write the application's own query anew. */
function withQuery(returnUrl: string, pairs: readonly (readonly [string, string])[]): string {
  const { href } = new URL(returnUrl);
  const hash = href.indexOf("#");
  const base = hash < 0 ? href : href.slice(0, hash);
  const fragment = hash < 0 ? "" : href.slice(hash);
  const joint = base.includes("?") ? (/[?&]$/.test(base) ? "" : "&") : "?";
  return base + joint + pairs.map(([name, value]) => `${name}=${encode(value)}`).join("&") + fragment;
}

/** Spaces as %20, which readers of deep links understand, unlike `+`; commas stay, as the list has them. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%2C", ",");
}
