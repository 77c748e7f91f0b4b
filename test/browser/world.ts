import type { Browser, BrowserContext, Page } from "playwright-core";
import { z } from "zod";
import { reach } from "../../scripts/support/http.ts";
import { startCron } from "../../scripts/support/workers.ts";
import { bootWorld, connectAll, type World } from "../../scripts/support/world.ts";

/** A service with the sandbox and one project, Demo, of which every kind of row exists. */

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };
/** Between two sweeps: what a test waits for waits for one. */
const CRON_MS = 5_000;
export const ZONE = "Europe/Berlin";
/** Owner of the project, and operator of the service. */
const OWNER = "demo@example.com";

export interface Console {
  readonly world: World;
  /** The address of the project in the console. */
  readonly project: string;
  /** Calls an operation of the API, and returns its answer. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** A new session of the owner. */
  signIn(browser: Browser, options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
  stop(): Promise<void>;
}

export async function startConsole(browser: Browser): Promise<Console> {
  const ends: (() => unknown)[] = [];
  const world = await bootWorld(
    { defer: (end) => void ends.push(end), isEnding: false },
    { variables: { OPERATORS: OWNER } },
  );
  // What waits longer than a queue's message, and a message that was lost, is the sweep's work.
  ends.push(startCron(world.service.origin, (message) => process.stderr.write(`${message}\n`), CRON_MS));
  await connectAll(world, ["facebook", "twitter", "tiktok"], 1);
  const { origin } = world.service;
  const signIn = async (one: Browser, options = {}) => {
    const context = await one.newContext({ viewport: PHONE, ...options });
    const page = await context.newPage();
    await page.goto(await world.operator.signInLink({ email: OWNER, project: "Demo" }));
    await page.locator("main button[type=submit]").click();
    await page.waitForURL(/\/console\/projects/);
    await page.close();
    return context;
  };
  const context = await signIn(browser);
  const page = await context.newPage();
  await page.goto(`${origin}/console`);
  const project = /.*\/projects\/\d+/.exec(page.url())?.[0] ?? "";
  await inZone(page, project);
  await context.close();
  return {
    world,
    project,
    signIn,
    async call(method, path, body) {
      const headers = { Authorization: `Bearer ${world.token}`, "Content-Type": "application/json" };
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await reach(new Request(`${origin}/api/v1/social/${path}`, sent));
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text);
    },
    async stop() {
      for (const end of ends.reverse()) await end();
    },
  };
}

async function inZone(page: Page, project: string): Promise<void> {
  await page.goto(`${project}/settings`);
  await page.locator("[name=time_zone]").fill(ZONE);
  await page
    .locator("main form")
    .filter({ has: page.locator("[name=time_zone]") })
    .locator("[type=submit]")
    .click();
  await page.locator(".note.good").waitFor();
}

const Created = z.object({ data: z.object({ post_id: z.number() }) });
const Channels = z.object({
  channels: z.object({ data: z.array(z.object({ channel_id: z.number(), channel_type: z.string() })) }),
});

/** The id of the project's channel on this platform. */
export async function channelOf({ call }: Console, platform: string): Promise<number> {
  const { channels } = Channels.parse(await call("GET", "get-channels"));
  return channels.data.find(({ channel_type }) => channel_type === platform)?.channel_id ?? 0;
}

/** Returns the id of a new post on X. */
export async function newPost(here: Console, body: object): Promise<number> {
  const channel_id = await channelOf(here, "twitter");
  const usual = { channel_type: "twitter", channel_id, post_type: "post", caption_text: crypto.randomUUID() };
  return Created.parse(await here.call("POST", "create-post", { ...usual, media_urls: [], ...body })).data.post_id;
}
