// Batch requests: up to fifty calls in one. Each part is served by the same routes as a separate call.

import { z } from "zod";
import type { HostApp } from "../platform";
import type { Sandbox } from "../sandbox";
import { badParameter, GraphError } from "./errors";
import { flag, type GraphContext, nested, text } from "./params";

const MOST_PARTS = 50;

const Part = z.looseObject({
  method: text,
  relative_url: text,
  body: text.optional(),
  name: text.optional(),
  attached_files: text.optional(),
  depends_on: z.undefined({ error: "dependencies between parts are not simulated" }).optional(),
});
type Part = z.infer<typeof Part>;
const Batch = z.object({
  batch: nested(z.array(nested(Part))),
  include_headers: flag.optional(),
});

export interface BatchHost {
  app: HostApp;
  /** The platform name in the call log. */
  platform: string;
  /** e.g. `https://graph.facebook.com`. */
  origin: string;
}

/** Serves the parts in order. A part is null if its connection broke, so its outcome is unknown. */
export async function answerBatch(sandbox: Sandbox, c: GraphContext, host: BatchHost): Promise<Response> {
  const parsed = Batch.safeParse(c.var.params);
  if (!parsed.success) throw badParameter(`Param ${parsed.error.issues[0]?.path.join(".")} is not a valid batch`);
  const { batch, include_headers: hasHeaders = true } = parsed.data;
  if (batch.length === 0) throw badParameter("The batch is empty");
  if (batch.length > MOST_PARTS) {
    throw new GraphError(100, `(#100) Too many requests in batch message. Maximum batch size is ${MOST_PARTS}`);
  }
  const version = /^\/(v\d+\.\d+)/.exec(c.req.path)?.[1];
  const answers = [];
  for (const part of batch) {
    const request = partRequest(c, host.origin, part, version);
    answers.push(await answerPart(sandbox, c, host, { request, hasHeaders }));
  }
  return c.json(answers);
}

async function answerPart(
  sandbox: Sandbox,
  c: GraphContext,
  { app, platform }: BatchHost,
  { request, hasHeaders }: { request: Request; hasHeaders: boolean },
) {
  // Each part is a separate call: it counts against rate limits, meets faults, and is logged.
  const call = await sandbox.calls.begin(platform, request, sandbox.now());
  const answer = await app.fetch(request, { ...c.env, call });
  const body = await answer.text().catch(() => null);
  sandbox.calls.end(call, answer.status, sandbox.now());
  if (body === null) return null;
  const headers = [...answer.headers].map(([name, value]) => ({ name, value }));
  return { code: answer.status, ...(hasHeaders ? { headers } : {}), body };
}

function partRequest(c: GraphContext, origin: string, part: Part, version: string | undefined): Request {
  const { params } = c.var;
  const path = part.relative_url.replace(/^\//, "");
  const isVersioned = version === undefined || /^v\d+\.\d+\//.test(path);
  const url = new URL(`${origin}/${isVersioned ? "" : `${version}/`}${path}`);
  const form = new URLSearchParams(part.body ?? "");
  // A part without its own token uses the token and proof of the batch.
  if (!url.searchParams.has("access_token") && !form.has("access_token")) {
    for (const name of ["access_token", "appsecret_proof"]) {
      const value = params[name];
      if (typeof value === "string") url.searchParams.set(name, value);
    }
  }
  const headers = new Headers();
  const authorization = c.req.header("authorization");
  if (authorization !== undefined) headers.set("authorization", authorization);
  const method = part.method.toUpperCase();
  if (method === "GET" || method === "DELETE") {
    for (const [name, value] of form) url.searchParams.set(name, value);
    return new Request(url, { method, headers });
  }
  return new Request(url, { method, headers, body: bodyOf(form, part, params) });
}

function bodyOf(form: URLSearchParams, part: Part, params: Record<string, unknown>): FormData | URLSearchParams {
  if (part.attached_files === undefined) return form;
  const data = new FormData();
  for (const [name, value] of form) data.set(name, value);
  for (const name of part.attached_files.split(",")) {
    const file = params[name.trim()];
    if (!(file instanceof File)) throw badParameter(`The batch has no file ${name.trim()}`);
    data.set("source", file);
  }
  return data;
}
