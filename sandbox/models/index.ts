// The model server, with the API format that most model providers share. It is not a platform: it has no
// accounts, only one API key.

import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Operation } from "../faults";
import { readParts } from "../multipart";
import { type Misbehaviour, meets, operation } from "../operation";
import type { PlatformBindings } from "../platform";
import type { Sandbox } from "../sandbox";
import { complete } from "./chat";
import { ModelError, outage, tooMany } from "./errors";
import { makeImages } from "./images";
import { speak } from "./speech";
import { beginVideo, listVideos, lookAtVideo, videoContent } from "./videos";

const KEY = "sandbox-model-key";
const MODELS = ["sandbox-chat", "sandbox-image", "sandbox-speech", "sandbox-video"];

interface ModelEnv {
  Bindings: PlatformBindings;
  Variables: { body: string; said: string | null; paid: boolean };
}

export function modelServer(sandbox: Sandbox) {
  const app = new Hono<ModelEnv>();
  app.use(
    bodyLimit({ maxSize: 2_000_000, onError: () => new ModelError(413, "The request is too large.").toResponse() }),
  );

  for (const { method, path, operation: name, answer } of ROUTES) {
    app.on(method, path, async (c, next) => {
      const body = await bodyOf(c);
      c.set("body", body);
      c.set("said", null);
      c.set("paid", false);
      const id = sandbox.modelCalls.begin(name, c.req.header("authorization") ?? null, body, sandbox.now());
      await next();
      const { said, paid } = c.var;
      const fault = c.env.call.fault?.kind ?? null;
      sandbox.modelCalls.end(id, { status: c.res.status, answer: said, fault, paid });
    });
    app.on(method, path, operation<ModelEnv>(sandbox, "models", name, misbehaviour(sandbox)), (c) => {
      requireKey(c);
      return answer(sandbox, c);
    });
  }

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

interface Route {
  method: "GET" | "POST";
  path: string;
  operation: Operation;
  answer(sandbox: Sandbox, c: Context<ModelEnv>): Response | Promise<Response>;
}

const ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/chat/completions",
    operation: "chat",
    async answer(sandbox, c) {
      const { response, said } = await complete(sandbox, parsed(c.var.body));
      return paid(c, response, said?.content ?? said?.refusal ?? null);
    },
  },
  {
    method: "POST",
    path: "/v1/images/generations",
    operation: "image",
    async answer(sandbox, c) {
      const { response, said } = await makeImages(sandbox, parsed(c.var.body), c.env.origin);
      return paid(c, response, said);
    },
  },
  {
    method: "POST",
    path: "/v1/audio/speech",
    operation: "speech",
    async answer(sandbox, c) {
      const { response, said } = await speak(sandbox, parsed(c.var.body));
      return paid(c, response, said);
    },
  },
  {
    method: "POST",
    path: "/v1/videos",
    operation: "video",
    async answer(sandbox, c) {
      const key = c.req.header("idempotency-key") ?? null;
      const begun = await beginVideo(sandbox, parsed(c.var.body), key, () => meets(c, "processing_failed"));
      paid(c, begun.response, begun.said);
      c.set("paid", begun.isNew);
      return begun.response;
    },
  },
  {
    method: "GET",
    path: "/v1/videos",
    operation: "video_status",
    answer: (sandbox, c) => listVideos(sandbox, c.req.query()),
  },
  {
    method: "GET",
    path: "/v1/videos/:id",
    operation: "video_status",
    answer: (sandbox, c) => lookAtVideo(sandbox, c.req.param("id") ?? ""),
  },
  {
    method: "GET",
    path: "/v1/videos/:id/content",
    operation: "video_content",
    answer: (sandbox, c) => videoContent(sandbox, c.req.param("id") ?? ""),
  },
];

function paid(c: Context<ModelEnv>, response: Response, said: string | null): Response {
  c.set("said", said);
  c.set("paid", true);
  return response;
}

/** A JSON body as received; the text fields of a form as JSON. */
async function bodyOf(c: Context<ModelEnv>): Promise<string> {
  if (!/^multipart\/form-data/i.test(c.req.header("content-type") ?? "")) return c.req.text();
  const parts = await readParts(c.req.raw);
  if (!parts) return "";
  return JSON.stringify(Object.fromEntries(parts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])));
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
  // An API key neither expires nor is revoked.
  expireToken: () => {},
  revokeToken: () => {},
});
