import type { Context } from "hono";
import type { AppEnv } from "./environment.ts";

/** Where a request comes from, as Cloudflare knows it. */
export interface Sender {
  /** Of the network; empty if unknown. */
  readonly address: string;
  /** City and country; empty if unknown. */
  readonly place: string;
}

export function senderOf(c: Context<AppEnv>): Sender {
  const cf: object = c.req.raw.cf ?? {};
  const parts: unknown[] = ["city", "country"].map((name) => Reflect.get(cf, name));
  const place = parts.filter((part) => typeof part === "string").join(", ");
  return { address: c.req.header("CF-Connecting-IP") ?? "", place: place.slice(0, 100) };
}
