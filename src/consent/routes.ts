import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Next } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { readLimited } from "../http/limited-body.ts";
import { apiOrigin } from "../http/origin.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { deauthorizingOf, type Received, receiveDeauthorization } from "./receive.ts";

/**
 * Reports of platforms that a person has removed our app, or wants their data deleted. Platforms with
 * addresses of their own for it: `/webhooks/{platform}/deauthorize` and `/webhooks/{platform}/delete-data`,
 * for test projects `/webhooks/{platform}/test/…`. Others: an event at the address of their webhooks.
 */
export function consentRoutes(app: OpenAPIHono<AppEnv>): void {
  for (const mode of ["", "/:mode{test}"]) {
    app.post(`/webhooks/:platform${mode}/deauthorize`, receiveForm);
    app.post(`/webhooks/:platform${mode}/delete-data`, receiveForm);
    app.post(`/webhooks/:platform${mode}`, receiveEvent);
  }
}

/** A form has some 300 bytes, an event some 500. */
const MAX_FORM_BYTES = 8 * 1024;
const MAX_EVENT_BYTES = 64 * 1024;

async function receiveForm(c: Context<AppEnv>): Promise<Response> {
  c.set("operationId", "deauthorize");
  const received = await receive(c, "form", MAX_FORM_BYTES);
  if (received === null) return c.notFound();
  if (received instanceof Response) return received;
  if (received.kind !== "received" || !c.req.path.endsWith("/delete-data")) return answer(c, received);
  const url = `${apiOrigin(c)}/data-deletion/${received.code}`;
  return c.json({ url, confirmation_code: received.code });
}

/** The address of a platform's webhooks, if it sends nothing else that is used. */
async function receiveEvent(c: Context<AppEnv>, next: Next): Promise<Response | undefined> {
  const received = await receive(c, "event", MAX_EVENT_BYTES);
  if (received === null) {
    await next();
    return undefined;
  }
  c.set("operationId", "deauthorize");
  return received instanceof Response ? received : answer(c, received);
}

/** Null if the platform does not report in this way. */
async function receive(c: Context<AppEnv>, by: "form" | "event", most: number): Promise<Received | Response | null> {
  const platform = named(c.req.param("platform"));
  const deauthorizing = platform && deauthorizingOf(platform, by);
  if (!platform || !deauthorizing) return null;
  const body = await readLimited(c.req.raw, most);
  if (body === null) return c.text("The body is too large.\n", 413);
  const reporter = { platform, isTest: c.req.param("mode") === "test" };
  const received = await receiveDeauthorization(c.var.deps, reporter, deauthorizing, {
    body,
    headers: c.req.raw.headers,
  });
  c.var.deps.log.event("deauthorization_received", { platform, outcome: received.kind });
  return received;
}

const named = (name: string | undefined): PlatformName | undefined => PLATFORM_NAMES.find((known) => known === name);

function answer(c: Context<AppEnv>, { kind }: Received): Response | Promise<Response> {
  switch (kind) {
    case "unknown":
      return c.notFound();
    case "unsigned":
      return c.text("This is not signed by the platform.\n", 401);
    case "outdated":
      return c.text("This is too old, or from the future.\n", 400);
    case "busy":
      c.header("Retry-After", "3600");
      return c.text("Too many reports; send this one again.\n", 503);
    case "other":
    case "received":
      return c.text("OK\n");
  }
}
