// The Durable Object behind the sandbox. It holds all state and serves every request, for the pages and the
// platforms.

import { Hono } from "hono";
import { adsPage } from "./ads-page";
import { controlApp } from "./control";
import { feedPage, postPage } from "./feed";
import { serveBytes, serveSample } from "./media-samples";
import { messagesPage } from "./messages-page";
import { modelServer } from "./models/index";
import type { SimulatedPlatform } from "./platform";
import { installPlatforms } from "./platforms";
import { samplesPage } from "./samples-page";
import { Sandbox } from "./sandbox";
import { readOwnSettings } from "./settings";

export class SandboxState implements DurableObject {
  readonly #sandbox: Sandbox;
  readonly #people: Hono;
  readonly #models: ReturnType<typeof modelServer>;
  /** A list per host: several Meta products share hosts. */
  readonly #hosts: Map<string, SimulatedPlatform[]>;

  constructor(ctx: DurableObjectState, env: { SETTINGS?: string }) {
    const wakeAt = (at: number) => ctx.waitUntil(ctx.storage.setAlarm(at));
    this.#sandbox = new Sandbox(ctx.storage.sql, readOwnSettings(env.SETTINGS), wakeAt);
    const platforms = installPlatforms(this.#sandbox);
    this.#hosts = new Map();
    for (const platform of platforms) {
      for (const host of Object.keys(platform.hosts)) {
        this.#hosts.set(host, [...(this.#hosts.get(host) ?? []), platform]);
      }
    }
    this.#people = peopleApp(this.#sandbox);
    this.#models = modelServer(this.#sandbox);
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const host = url.pathname.split("/")[1] ?? "";
    if (host === "v1") {
      // The model server is not a platform: its requests are recorded in a separate log.
      const call = { id: 0, operation: null, fault: null };
      return drained(request, await this.#models.fetch(request, { call, origin: url.origin }));
    }
    const platforms = this.#hosts.get(host);
    if (!platforms) return drained(request, await this.#people.fetch(request));
    const path = url.pathname.slice(host.length + 1) || "/";
    const wanted = new Request(`https://${host}${path}${url.search}`, request);
    const platform = await whose(platforms, wanted);
    if (!platform) return drained(wanted, new Response(null, { status: 404 }));
    return this.#answerAs(platform, host, wanted, url.origin);
  }

  alarm(): Promise<void> {
    return this.#sandbox.webhooks.deliverDue();
  }

  /** Rewrites the request to the real host, and records it before and after. */
  async #answerAs(platform: SimulatedPlatform, host: string, request: Request, origin: string): Promise<Response> {
    const { calls } = this.#sandbox;
    const call = await calls.begin(platform.name, request, this.#sandbox.now());
    const answer = await platform.hosts[host]?.fetch(request, { call, origin });
    const response = await drained(request, answer ?? new Response(null, { status: 404 }));
    calls.end(call, response.status, this.#sandbox.now());
    return response;
  }
}

/** The platform that takes the request as its own; otherwise the default one of the host. */
async function whose(
  platforms: readonly SimulatedPlatform[],
  request: Request,
): Promise<SimulatedPlatform | undefined> {
  for (const platform of platforms) if (await platform.takes?.(request)) return platform;
  return platforms.find((platform) => !platform.takes);
}

/**
 * Reads the rest of the body after an early rejection. Otherwise a caller that is still sending sees a broken
 * connection instead of the response.
 */
async function drained(request: Request, answer: Response): Promise<Response> {
  if (request.body && !request.bodyUsed) await request.body.pipeTo(new WritableStream()).catch(() => {});
  return answer;
}

function peopleApp(sandbox: Sandbox) {
  const app = new Hono();
  app.get("/", (c) => feedPage(sandbox, c.req.query("platform")));
  app.get("/messages", (c) => messagesPage(sandbox, c.req.query("platform")));
  app.get("/ads", (c) => adsPage(sandbox, c.req.query("platform")));
  app.get("/posts/:platform/:id", (c) => postPage(sandbox, c.req.param("platform"), c.req.param("id")));
  app.post("/_feed/comments", async (c) => {
    const form = await c.req.formData().catch(() => new FormData());
    const value = (name: string) => String(form.get(name) ?? "").trim();
    const platform = sandbox.platforms.find((one) => one.name === value("platform"));
    const [author, text] = [value("author").slice(0, 60), value("text").slice(0, 2000)];
    const added = author && text ? platform?.addComment({ post_id: value("post_id"), author, text }) : null;
    if (!added) return c.text("The comment needs a name, a text and a post that is still live.\n", 422);
    const back = value("back");
    return c.redirect(/^\/(?![/\\])/.test(back) ? back : "/", 303);
  });
  app.route(
    "/_control",
    controlApp(sandbox, () => {
      sandbox.db.clear();
      sandbox.settings.forget();
      for (const platform of sandbox.platforms) platform.seed();
    }),
  );
  app.get("/_media", (c) => c.redirect("/_media/"));
  app.get("/_media/", () => samplesPage());
  app.all("/_media/:name", (c) => serveSample(c.req.raw));
  app.all("/_blob/:id", (c) => {
    const id = c.req.param("id");
    const blob = sandbox.blobs.find(id);
    if (!blob) return c.text("There is no such file.\n", 404);
    return serveBytes(c.req.raw, blob.type, blob.size, (from, to) => sandbox.blobs.read(id, from, to - from));
  });
  app.notFound((c) => c.text(`The sandbox does not simulate ${c.req.path}.\n`, 404));
  return app;
}
