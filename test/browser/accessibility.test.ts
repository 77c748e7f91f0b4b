// Schemas of the catalog need it before they are made, as in the Worker.
import "@hono/zod-openapi";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { untilPublished } from "../../scripts/support/driver.ts";
import { reach, waitFor } from "../../scripts/support/http.ts";
import { IS_LONG } from "../../scripts/support/test-files.ts";
import { CONSOLE } from "../../src/console/catalog.ts";
import { drawn } from "../contract/sample.ts";
import { findingsIn, scriptBytes } from "./axe.ts";
import { CHROMIUM } from "./service.ts";
import { type Console, newPost, startConsole } from "./world.ts";

/**
 * Every page of the console, with rows that exist, and the pages for people who are not signed in: for
 * accessibility in both schemes and widths, the silence of the policy, and the size of scripts. Runs with
 * `TESTS=long`, as it takes minutes.
 */
const isOff = CHROMIUM === null || !IS_LONG;
const MAX_SCRIPT = 40 * 1024;

let here: Console;
let owner: BrowserContext;
/** Addresses with secrets, by their paths in the catalog. */
let secrets: Readonly<Record<string, string>>;
/** Where a person confirms what an agent spends. */
let spending = "";

beforeAll(async () => {
  if (isOff) return;
  here = await startConsole("Pages");
  owner = await here.signIn();
  secrets = await withRows();
}, 500_000);
afterAll(() => here?.browser.close());

const Url = z.object({ url: z.string() });
const Webhook = z.object({ webhook: z.object({ id: z.number() }) });

/** Creates a row of every kind. */
async function withRows(): Promise<Readonly<Record<string, string>>> {
  const { origin, operator, call, project, channels: own } = here;
  await newPost(here, { publish_mode: "now" });
  await newPost(here, { publish_mode: "queued" });
  const waiting = await newPost(here, { publish_mode: "draft" });
  await call("POST", `request-approval/${waiting}`, { publish_mode: "now" });
  const approve = Url.parse(await call("POST", `create-approval-link/${waiting}`, {})).url;
  const channels = [own.facebook];
  const bot = { name: "Bot", channels, comment_reply: "Thanks!", ai_enable: "no" };
  await call("POST", "create-comment-automation", bot);
  await call("POST", "create-post-generation", { post_type: "text_only", input: "Bread" });
  await keptFile();
  await checkedImport();
  const repeated = {
    channel_type: "facebook",
    channel_id: channels[0],
    post_type: "post",
    caption_text: "Bread",
    media_urls: [],
  };
  await call("POST", "create-series", { rule: "FREQ=DAILY", start_time: "2030-03-04 09:00", post: repeated });
  const feed = { url: "https://feeds.example.com/a.xml", publish_mode: "draft", posts: [repeated] };
  await call("POST", "create-feed", feed);
  const hook = Webhook.parse(await call("POST", "create-webhook", { url: "https://example.com/hook" })).webhook;
  await call("POST", `test-webhook/${hook.id}`);
  await boost();
  await written();
  const page = await owner.newPage();
  await page.goto(`${project}/members/invite`);
  await page.locator("main form button[type=submit]").first().click();
  const address = /\S*\/console\/invitations\/\w{43}/;
  const invitation = address.exec(await page.locator("main", { hasText: address }).innerText())?.[0] ?? "";
  const link = await operator.signInLink({ email: "other@example.com" });
  const init = { method: "POST", body: new URLSearchParams({ client_id: "belfry-terminal" }) };
  const answer: unknown = await (await reach(new Request(`${origin}/oauth/device`, init))).json();
  const device = z.object({ verification_uri_complete: z.string() }).parse(answer).verification_uri_complete;
  await page.goto(device);
  await page.locator("main form button[type=submit]").first().click();
  // Where the network drops packets, Chromium may never close a page that is still loading.
  await page.waitForURL(/\/console\/access\//);
  const access = page.url();
  await page.close();
  return {
    "/approve/:secret": approve,
    "/invitations/:secret": invitation,
    "/sign-in/link/:secret": link,
    "/device/:secret": device,
    "/access/:secret": access,
  };
}

const Media = z.object({ media_id: z.string() });

/** A file in the media library. */
async function keptFile(): Promise<void> {
  const { origin, control, token, call } = here;
  const picture = await (await reach(new Request(control.media("square.jpg")))).blob();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "image/jpeg" };
  const init = { method: "POST", headers, body: picture };
  const sent = await reach(new Request(`${origin}/api/v1/social/upload-media`, init));
  const { data } = z.object({ data: Media }).parse(await sent.json());
  await call("PUT", `update-media/${data.media_id}`, { title: "Square", tags: ["logo"] });
}

/** A file of posts with a row that is refused. */
async function checkedImport(): Promise<void> {
  const { origin, token, channels } = here;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "text/csv" };
  const body = `channel_id,caption_text\n${channels.facebook},Bread\nx,Cake`;
  await reach(new Request(`${origin}/api/v1/social/import-posts`, { method: "POST", headers, body }));
}

const Accounts = z.object({ ad_accounts: z.array(z.object({ id: z.unknown() })) });

/** A campaign for a live post. */
async function boost(): Promise<void> {
  const { api, call, channels, control } = here;
  const channel_id = channels.facebook;
  const media_urls = [control.media("square.jpg")];
  const id = await newPost(here, { channel_type: "facebook", channel_id, media_urls, publish_mode: "now" });
  await untilPublished(api, id, 300_000);
  const answer = await call("GET", `../boost-campaigns/get-ad-accounts?channel_id=${channel_id}`);
  const [account] = Accounts.parse(answer).ad_accounts;
  const terms = { duration_type: "lifetime_budget", budget: 210, duration: 7, countries: ["DE"] };
  const body = { social_post_id: id, ad_account_id: account?.id, ...terms };
  await call("POST", "../boost-campaigns/create-campaign", body);
  // Another amount, which an agent requests: a person must confirm it.
  const asked = { post_id: id, ad_account_id: account?.id, budget: 220, days: 7, countries: ["DE"] };
  spending = await askThroughAgent(asked);
}

const Listed = z.object({
  comments: z.object({ data: z.array(z.unknown()) }).optional(),
  conversations: z.object({ data: z.array(z.unknown()) }).optional(),
});

/** A comment and a direct message that a person has written on Facebook. */
async function written(): Promise<void> {
  const { accounts, call, channels, control } = here;
  const channel = channels.facebook;
  await call("PUT", `update-channel/${channel}`, { collect_comments: true, collect_messages: true });
  const post = (await control.posts("facebook")).find(({ account_id }) => account_id === accounts.facebook);
  if (!post) throw new Error("No post is live on Facebook.");
  await control.comment("facebook", post.id, "Fresh today?");
  const message = { platform: "facebook", account_id: post.account_id, author: "Ada Reader", text: "Fresh today?" };
  await control.control("POST", "messages", message);
  const isListed = async () => {
    const { comments } = Listed.parse(await call("GET", "get-comments"));
    const { conversations } = Listed.parse(await call("GET", "get-conversations"));
    return Boolean(comments?.data.length && conversations?.data.length);
  };
  if (!(await waitFor(isListed, { timeoutMs: 150_000, everyMs: 1000 }))) throw new Error("They are not listed.");
}

/** The address at which a person confirms what an agent wants to spend. */
async function askThroughAgent(terms: object): Promise<string> {
  const { origin, token } = here;
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
  };
  const params = { name: "boost_post", arguments: terms };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const answer = await (await reach(new Request(`${origin}/mcp`, { method: "POST", headers, body }))).text();
  return /https?:[^"\\\s]+\/spending\/\d+/.exec(answer)?.[0] ?? `No address in ${answer}`;
}

/** Addresses of files to download. */
const DOWNLOAD = /\/(export|archive|sample)$/;
const PAGES = CONSOLE.filter(({ kind, path }) => kind === "page" && !DOWNLOAD.test(path)).map(({ path }) => path);

/** An address of each page: of those with ids, the first to which a link of the console leads. */
async function addresses(): Promise<ReadonlyMap<string, string>> {
  const { origin } = new URL(here.project);
  const id = /\d+$/.exec(here.project)?.[0] ?? "";
  // No page of the crawl links to what an agent requests.
  const found = new Map([["/projects/:project/spending/:spending", spending]]);
  for (const path of PAGES) {
    const plain = path.replace(":project", id);
    const address = secrets[path] ?? (plain.includes(":") ? undefined : `${origin}/console${plain}`);
    if (address !== undefined) found.set(path, address);
  }
  const patterns = PAGES.map((path) => {
    const parts = path.replace(":project", id).replace(/:\w+/g, "[^/?]+");
    return { path, pattern: new RegExp(`^/console${parts}$`) };
  });
  const open = [...found].flatMap(([path, address]) => (path.includes(":secret") ? [] : [address]));
  for (const address of open) {
    const html = await (await owner.request.get(address)).text();
    for (const [, href = ""] of html.matchAll(/href="([^"#?]+)/g)) {
      if (DOWNLOAD.test(href)) continue;
      const { path } = patterns.find(({ pattern }) => pattern.test(href)) ?? {};
      if (path === undefined || found.has(path) || path.includes(":secret")) continue;
      found.set(path, `${origin}${href}`);
      open.push(`${origin}${href}`);
    }
  }
  return found;
}

/** Opens the page and returns what is wrong with it. */
async function problemsOf(page: Page, address: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const note = (message: { type(): string; text(): string }) => {
    if (message.type() === "error") problems.push(`${address}: ${message.text()}`);
  };
  page.on("console", note);
  const answer = await page.goto(address);
  if (answer?.status() !== 200) problems.push(`${address}: ${answer?.status()}`);
  problems.push(...(await findingsIn(page)));
  page.off("console", note);
  const scripts = await scriptBytes(page);
  if (scripts > MAX_SCRIPT) problems.push(`${address}: ${scripts} bytes of script`);
  return problems;
}

describe.skipIf(isOff)("accessible, under a silent policy, in both schemes and widths, is", () => {
  test("every page of the console, with rows that exist", { timeout: 900_000 }, async ({ expect }) => {
    const found = await addresses();
    expect(PAGES.filter((path) => !found.has(path))).toEqual([]);
    const page = await owner.newPage();
    const problems: string[] = [];
    for (const address of found.values()) problems.push(...(await problemsOf(page, address)));
    expect(problems).toEqual([]);
  });

  test("the documentation: pages of every kind", { timeout: 600_000 }, async ({ expect }) => {
    const { origin, browser } = here;
    const listed = await (await fetch(`${origin}/llms.txt`)).text();
    const guides = Array.from(listed.matchAll(/\/docs\/guides\/[\w-]+(?=\.md)/g), ([path]) => path);
    expect(guides.length).toBeGreaterThan(12);
    // With wide tables, long code, and the longest page.
    const others = ["", "/errors", "/proof", "/storage", "/platforms/bluesky", "/reference"].map(
      (path) => `/docs${path}`,
    );
    const page = await (await browser.newContext()).newPage();
    const problems: string[] = [];
    // All guides come from one template.
    for (const path of [...drawn("guides", [...new Set(guides)], 4), ...others])
      problems.push(...(await problemsOf(page, `${origin}${path}`)));
    expect(problems).toEqual([]);
  });

  test("every page for people who are not signed in", { timeout: 600_000 }, async ({ expect }) => {
    const { api, origin, browser } = here;
    const page = await (await browser.newContext()).newPage();
    const problems: string[] = [];
    for (const address of [`${origin}/console/sign-in`, ...Object.values(secrets)]) {
      problems.push(...(await problemsOf(page, address)));
    }
    await page.goto(`${origin}/console/sign-in`);
    await page.locator("input[name=email]").fill("demo@example.com");
    await page.locator("form[action$='/sign-in'] button[type=submit]").first().click();
    await page.locator("input[name=code]").waitFor();
    problems.push(...(await findingsIn(page)));
    const { connect_url: connect } = await api.connectChannel({ userId: "someone" });
    problems.push(...(await problemsOf(page, connect)));
    await page.locator("input[name=platform][value=facebook]").check();
    await page.locator("main button[type=submit], button[type=submit]").first().click();
    // The platform's own pages are the sandbox's.
    for (let step = 0; step < 4 && new URL(page.url()).origin !== origin; step++) {
      await page.locator("button[type=submit], button").first().click();
      await page.waitForLoadState();
    }
    problems.push(...(await findingsIn(page)));
    expect(problems).toEqual([]);
  });
});
