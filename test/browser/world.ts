import { existsSync, readFileSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import { z } from "zod";
import { type Api, type Operator, operatorOf } from "../../scripts/support/api.ts";
import { callJson, reach, waitFor } from "../../scripts/support/http.ts";
import { createProject } from "../../scripts/support/world.ts";
import type { PlatformName } from "../../src/platforms/names.ts";
import { createControl } from "../support/control.ts";
import { CHROMIUM } from "./service.ts";
import { OWNER, Shared } from "./shared.ts";

/** A project of its own in the shared service, with channels on three platforms, and a browser. */

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };
export const ZONE = "Europe/Berlin";
const PLATFORMS: readonly PlatformName[] = ["facebook", "twitter", "tiktok"];
/** Longer than the service takes to start beside all other tests. */
const START_TIMEOUT_MS = 300_000;

export interface Console {
  readonly browser: Browser;
  readonly origin: string;
  readonly operator: Operator;
  readonly control: ReturnType<typeof createControl>;
  readonly api: Api;
  readonly token: string;
  /** The address of the project in the console. */
  readonly project: string;
  /** The id of the connected account, and of its channel, on each platform. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, number>>;
  /** Calls an operation of the API, and returns its answer. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** A new session of the owner. */
  signIn(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
}

export async function startConsole(name: string, platforms = PLATFORMS): Promise<Console> {
  const { origin, sandboxOrigin, operatorKey } = await whatIsShared();
  const operator = operatorOf(origin, operatorKey);
  const control = createControl(reach, sandboxOrigin);
  const created = platforms.map(async (platform) => [platform, await control.addAccount(platform, name)] as const);
  const accounts = Object.fromEntries(await Promise.all(created));
  const {
    apis: [api],
    token,
    channels: listed,
  } = await createProject({ control, operator, service: { origin } }, name, {
    platforms,
    accounts: Object.values(accounts),
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  const signIn = async (options = {}) => {
    const context = await browser.newContext({ viewport: PHONE, ...options });
    const page = await context.newPage();
    await page.goto(await operator.signInLink({ email: OWNER, project: name }));
    await page.locator("main button[type=submit]").click();
    await page.waitForURL(/\/console\/projects/);
    await page.close();
    return context;
  };
  const context = await signIn();
  const project = await inZone(await context.newPage(), { origin, name });
  await context.close();
  return {
    browser,
    origin,
    operator,
    control,
    api,
    token,
    project,
    accounts,
    channels: Object.fromEntries(listed.map(({ channel_type, channel_id }) => [channel_type, channel_id])),
    signIn,
    async call(method, path, body) {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await callJson(method, `${origin}/api/v1/social/${path}`, { headers, body });
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}

async function whatIsShared() {
  const file = inject("shared");
  // Empty until it is written.
  const text = await waitFor(async () => existsSync(file) && readFileSync(file, "utf8"), {
    timeoutMs: START_TIMEOUT_MS,
  });
  if (!text) throw new Error("The service does not start.");
  const shared = Shared.parse(JSON.parse(text));
  if ("error" in shared) throw new Error(shared.error);
  return shared;
}

/** Sets the project's time zone; returns the project's address. */
async function inZone(
  page: Page,
  { origin, name }: { readonly origin: string; readonly name: string },
): Promise<string> {
  await page.goto(`${origin}/console/projects`);
  await page.locator("main ul a", { hasText: name }).click();
  await page.waitForURL(/\/projects\/\d+/);
  const project = /.*\/projects\/\d+/.exec(page.url())?.[0] ?? "";
  await page.goto(`${project}/settings`);
  await page.locator("[name=time_zone]").fill(ZONE);
  await page
    .locator("main form")
    .filter({ has: page.locator("[name=time_zone]") })
    .locator("[type=submit]")
    .click();
  await page.locator(".note.good").waitFor();
  return project;
}

const Created = z.object({ data: z.object({ post_id: z.number() }) });
/** Returns the id of a new post on X. */
export async function newPost(here: Console, body: object): Promise<number> {
  const usual = {
    channel_type: "twitter",
    channel_id: here.channels.twitter,
    post_type: "post",
    caption_text: crypto.randomUUID(),
  };
  return Created.parse(await here.call("POST", "create-post", { ...usual, media_urls: [], ...body })).data.post_id;
}
