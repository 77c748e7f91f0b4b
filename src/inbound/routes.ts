import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { verifyToken } from "../channels/webhook-address.ts";
import { receiveMessages } from "../conversations/receive.ts";
import { projectMoving } from "../core/errors.ts";
import type { AppEnv } from "../http/environment.ts";
import { readLimited } from "../http/limited-body.ts";
import { parseJson } from "../platforms/json.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { HandshakeSecrets, Webhooks } from "../platforms/webhooks.ts";
import { receiveWebhook } from "./receive-webhook.ts";

/**
 * Webhooks from platforms: `/webhooks/{platform}`, and `/webhooks/{platform}/test` for what the sandbox sends
 * to test projects. The signature is verified over the raw bytes before they are parsed. The response is sent
 * after the webhook is stored, so that the platform repeats whatever we lose.
 */
export function inboundRoutes(app: OpenAPIHono<AppEnv>): void {
  for (const path of ["/webhooks/:platform", "/webhooks/:platform/:mode{test}"]) {
    app.get(path, answerHandshake);
    app.post(path, receive);
  }
}

/** Meta sends up to 1,000 changes in one request. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Sender {
  readonly platform: (typeof PLATFORM_NAMES)[number];
  readonly isTest: boolean;
  readonly webhooks: Webhooks;
  readonly secrets: HandshakeSecrets;
}

async function answerHandshake(c: Context<AppEnv>): Promise<Response> {
  const sender = await senderOf(c);
  if (!sender) return c.notFound();
  const answer = await sender.webhooks.handshake(new URL(c.req.url).searchParams, sender.secrets);
  if (!answer) return c.text("This is not a handshake of a registered platform.\n", 403);
  // Without a verify token, the caller cannot be authenticated, so handshakes are rate limited.
  const { hasVerifyToken } = sender.webhooks.setup(sender.secrets.app);
  const source = `${sender.platform} ${c.req.header("CF-Connecting-IP") ?? ""}`;
  if (!hasVerifyToken && !c.var.deps.memory.handshakes.take(source, Date.now())) {
    c.header("Retry-After", "600");
    return c.text("Too many handshakes from this address.\n", 429);
  }
  return c.body(answer.body, 200, { "Content-Type": answer.contentType, "X-Content-Type-Options": "nosniff" });
}

async function receive(c: Context<AppEnv>): Promise<Response> {
  const sender = await senderOf(c);
  if (!sender) return c.notFound();
  const { platform, isTest, webhooks, secrets } = sender;
  const { deps } = c.var;
  const bytes = await readLimited(c.req.raw, MAX_BYTES);
  if (bytes === null) return c.text("The body is too large.\n", 413);
  if (!(await webhooks.verify(bytes, c.req.raw.headers, secrets))) {
    deps.log.event("webhook_signature_invalid", { platform });
    return c.text("The signature does not match the body.\n", 401);
  }
  const body = parseJson(new TextDecoder().decode(bytes));
  if (body === null) return c.text("The body is not JSON.\n", 400);
  const taken = await receiveWebhook(deps, { platform, isTest }, webhooks.parse(body));
  const messages = await receiveMessages(deps, { platform, isTest }, webhooks.parseMessages?.(body) ?? []);
  deps.log.event("webhook_received", { platform, ...taken, messages: messages.fresh });
  // All that other projects get is stored; the platform sends the rest again, after the move.
  if (taken.isMoving || messages.isMoving) throw projectMoving();
  return c.text("OK\n");
}

/** Null for a platform that sends no webhooks, and for one where we have no registered app. */
async function senderOf(c: Context<AppEnv>): Promise<Sender | null> {
  const { config } = c.var.deps;
  const platform = PLATFORM_NAMES.find((name) => name === c.req.param("platform"));
  const isTest = c.req.param("mode") === "test";
  const webhooks = platform && findPlatform(platform)?.webhooks;
  if (!platform || !webhooks || (isTest && config.sandboxUrl === null)) return null;
  const app = config.appCredentials(webhooks.app, isTest);
  if (!app) return null;
  return {
    platform,
    isTest,
    webhooks,
    secrets: { app, verifyToken: await verifyToken(config.signingKey, platform, isTest) },
  };
}
