// What the platforms' OAuth 2 endpoints share: errors, forms, and the registered redirect addresses.

import type { HonoRequest } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";

export class OAuthError extends Error {
  readonly status: ContentfulStatusCode;
  readonly error: string;

  constructor(error: string, description: string, status: ContentfulStatusCode = 400) {
    super(description);
    this.status = status;
    this.error = error;
  }
}

/** The redirect address, if it is the connect callback of any of our installations; null otherwise. */
export function callbackOf(platform: string, uri: string): URL | null {
  const url = URL.parse(uri);
  const isCallback =
    url !== null && /^https?:$/.test(url.protocol) && url.pathname.endsWith(`/connect/callback/${platform}`);
  return isCallback ? url : null;
}

const Form = z.record(z.string(), z.string());

/** The fields of a form; empty for any other body. */
export async function formOf({ req }: { readonly req: HonoRequest }): Promise<Record<string, string>> {
  if (!(req.header("content-type") ?? "").includes("application/x-www-form-urlencoded")) return {};
  return Form.safeParse(await req.parseBody()).data ?? {};
}
