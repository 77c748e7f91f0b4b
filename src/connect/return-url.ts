import { isRefusedScheme } from "../core/app-schemes.ts";
import type { ConnectedChannel } from "./table.ts";

/** The application's `redirectUrl`: which ones are accepted, and what is appended (spec 4.1). Pure. */

export const MAX_RETURN_URL = 2048;

/** The problem, as a sentence that follows the field's name; null if the address can be used. */
export function returnUrlProblem(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return "must not contain spaces or control characters.";
  // As an address, `localhost:3000/done` has the scheme `localhost`.
  if (/^(localhost|[a-z0-9-]+(\.[a-z0-9-]+)+):\d+([/?#]|$)/i.test(text)) {
    return "must be an absolute URL, with https:// in front, not only a host.";
  }
  if (!URL.canParse(text)) return "must be an absolute URL (e.g. https://app.example/connected or myapp://connected)";
  const url = new URL(text);
  const scheme = url.protocol.slice(0, -1);
  if (isRefusedScheme(scheme)) return `must not have the scheme ${scheme}: use https, or the scheme of your own app.`;
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\//i.test(text)) return "must have // after its scheme";
  if (/^https?$/.test(scheme) && url.hostname.split(".").includes("")) {
    return `must not have an empty part in its host name ${url.hostname}.`;
  }
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password.";
  return null;
}

/** Where the person returns after everything is connected. */
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

/** Where "Back to the app" leads after a failure. */
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

/** Appends to the query as it is: `URL.searchParams` would rewrite the application's own query. */
function withQuery(returnUrl: string, pairs: readonly (readonly [string, string])[]): string {
  const { href } = new URL(returnUrl);
  const hash = href.indexOf("#");
  const base = hash < 0 ? href : href.slice(0, hash);
  const fragment = hash < 0 ? "" : href.slice(hash);
  const joint = base.includes("?") ? (/[?&]$/.test(base) ? "" : "&") : "?";
  return base + joint + pairs.map(([name, value]) => `${name}=${encode(value)}`).join("&") + fragment;
}

/** Spaces as %20, which readers of deep links understand, unlike `+`. Commas stay. */
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%2C", ",");
}
