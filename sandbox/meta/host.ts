// A Graph API host: versions, parameters, batches, and the error format. Each product adds its routes.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Sandbox } from "../sandbox";
import { answerBatch } from "./batch";
import { GraphError } from "./errors";
import { type GraphContext, type GraphEnv, readParams } from "./params";

export const VERSIONS = ["v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0", "v27.0"];
/** All tasks that a person can have on a Page. */
export const TASKS = ["ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"];

export interface GraphHost {
  /** The platform name in the call log. */
  platform: string;
  /** e.g. `https://graph.facebook.com`. */
  origin: string;
  /** Oldest first; a call without a version uses the oldest. */
  versions: readonly string[];
  /** Matched in this order. */
  routes: readonly Hono<GraphEnv>[];
  /** Counts a call; returns an error if the rate limit is exceeded. */
  count(c: GraphContext): GraphError | null;
}

const isBatch = (method: string, path: string) => method === "POST" && /^\/(?:v\d+\.\d+\/?)?$/.test(path);

export function graphHost(sandbox: Sandbox, host: GraphHost): Hono<GraphEnv> {
  const { versions, platform, origin } = host;
  const app = new Hono<GraphEnv>();
  app.use(bodyLimit({ maxSize: 100_000_000 }));
  app.use(async (c, next) => {
    const version = /^\/(v\d+\.\d+)(?:\/|$)/.exec(c.req.path)?.[1];
    if (version !== undefined && !versions.includes(version)) throw versionRetired(versions);
    c.set("params", await readParams(c.req.raw));
    c.set("isStrict", sandbox.settings.all.strict);
    c.header("facebook-api-version", version ?? versions[0] ?? "");
    // Each part of a batch is counted separately.
    if (isBatch(c.req.method, c.req.path)) return answerBatch(sandbox, c, { app, platform, origin });
    const refusal = host.count(c);
    if (refusal) throw refusal;
    const most = sandbox.settings.all.graph_list_most;
    if (c.req.method === "GET" && most > 0 && Number(c.var.params.limit ?? 0) > most) throw tooMuchData();
    await next();
  });
  for (const version of [...versions.map((one) => `/${one}`), "/"]) {
    for (const routes of host.routes) app.route(version, routes);
  }
  app.notFound((c) =>
    new GraphError(2500, `Unknown path components: ${c.req.path} (${c.req.method})`, { status: 404 }).toResponse(),
  );
  app.onError((error, c) => {
    const known =
      error instanceof GraphError ? error : new GraphError(1, `An unknown error occurred: ${error.message}`);
    const answer = known.toResponse();
    c.res.headers.forEach((value, name) => {
      if (name.startsWith("x-")) answer.headers.set(name, value);
    });
    return answer;
  });
  return app;
}

const tooMuchData = () =>
  new GraphError(1, "Please reduce the amount of data you're asking for, then retry your request");

const versionRetired = (versions: readonly string[]) =>
  new GraphError(
    2635,
    `(#2635) You are calling a deprecated version of the Ads API. Please update to the latest version: ${versions.at(-1)}.`,
  );
