// The model server, in the wire form that most of them speak. It is no platform: it has no accounts, and one key opens it.

import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type Misbehaviour, operation } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { complete } from "./chat";
import { ModelError, outage, tooMany } from "./errors";

const KEY = "sandbox-model-key";
const MODELS = ["sandbox-chat"];

interface ModelEnv {
  Bindings: PlatformBindings;
  Variables: { body: string; said: string | null };
}

export function modelServer(sandbox: Sandbox) {
  const app = new Hono<ModelEnv>();
  app.use(
    bodyLimit({ maxSize: 2_000_000, onError: () => new ModelError(413, "The request is too large.").toResponse() }),
  );

  app.post("/v1/chat/completions", async (c, next) => {
    const body = await c.req.text();
    c.set("body", body);
    c.set("said", null);
    const id = sandbox.modelCalls.begin("chat", c.req.header("authorization") ?? null, body, sandbox.now());
    await next();
    sandbox.modelCalls.end(id, { status: c.res.status, answer: c.var.said, fault: c.env.call.fault?.kind ?? null });
  });
  app.post("/v1/chat/completions", operation<ModelEnv>(sandbox, "models", "chat", misbehaviour(sandbox)), async (c) => {
    requireKey(c);
    const { response, said } = await complete(sandbox, parsed(c.var.body));
    c.set("said", said?.content ?? said?.refusal ?? null);
    return response;
  });

  app.get("/v1/models", (c) => {
    requireKey(c);
    return c.json({ object: "list", data: MODELS.map(modelView) });
  });
  app.get("/v1/models/:id", (c) => {
    requireKey(c);
    const id = MODELS.find((one) => one === c.req.param("id"));
    if (!id) throw new ModelError(404, `The model '${c.req.param("id")}' does not exist.`, { code: "model_not_found" });
    return c.json(modelView(id));
  });

  app.notFound((c) =>
    new ModelError(404, `Invalid URL (${c.req.method} ${c.req.path})`, { code: "unknown_url" }).toResponse(),
  );
  app.onError((error) => (error instanceof ModelError ? error : outage()).toResponse());
  return app;
}

const modelView = (id: string) => ({ id, object: "model", created: 1_780_000_000, owned_by: "sandbox" });

function requireKey(c: Context<ModelEnv>): void {
  const sent = /^Bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (sent === KEY) return;
  throw sent === undefined
    ? new ModelError(401, "You didn't provide an API key.")
    : new ModelError(401, "Incorrect API key provided.", { code: "invalid_api_key" });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ModelError(400, "We could not parse the JSON body of your request.");
  }
}

const misbehaviour = (sandbox: Sandbox): Misbehaviour<Context<ModelEnv>> => ({
  refusals: {},
  outage: () => outage().toResponse(),
  rateLimited: () => tooMany(Math.ceil(sandbox.settings.all.rate_limit_reset_ms / 1000)).toResponse(),
  // A key neither ends nor is taken back.
  expireToken: () => {},
  revokeToken: () => {},
});
