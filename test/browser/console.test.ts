import { execFileSync } from "node:child_process";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { CHROMIUM, type Started, startService } from "./service.ts";
import { PHONE } from "./world.ts";

/**
 * The console in a real browser, from the address that `npm start` prints: a person's path, and passkeys.
 */
if (CHROMIUM === null) process.stdout.write("Skipped: the console in a browser, because Chromium is not installed.\n");

const MAX_CLICKS = 12;
const MAX_TYPED = 3;
const MAX_TABS = 60;

let service: Started;
let browser: Browser;
/** A context in which the demo account is signed in. */
let demo: BrowserContext;

/** How a person uses a page; counts what they do. */
class Person {
  clicks = 0;
  typed = 0;
  readonly page: Page;
  readonly #hasPointer: boolean;

  constructor(page: Page, hasPointer: boolean) {
    this.page = page;
    this.#hasPointer = hasPointer;
  }

  async choose(target: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
    this.clicks += 1;
    if (this.#hasPointer) return target.first().click();
    await this.#focus(target.first());
    await this.page.keyboard.press(key);
  }

  async type(target: Locator, text: string): Promise<void> {
    this.typed += 1;
    if (this.#hasPointer) await target.click();
    else await this.#focus(target);
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.type(text);
  }

  async #focus(target: Locator): Promise<void> {
    await target.waitFor();
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      if ((await target.and(this.page.locator(":focus")).count()) > 0) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`The keyboard does not reach ${String(target)}`);
  }

  async openMenu(name: string): Promise<void> {
    await this.choose(this.page.locator(".menu > summary"));
    await this.choose(this.page.locator(".menu .side a", { hasText: name }));
  }
}

/** From the printed address to a token, and the command that was copied with it. */
async function pathOf(person: Person, address: string): Promise<string> {
  const { page } = person;
  await page.goto(address);
  await person.choose(page.locator("main button[type=submit]"));
  await person.openMenu("Channels");
  // The first channel is connected right there.
  await page.waitForURL(/\/channels$/);
  const another = page.getByRole("link", { name: "Connect channels" });
  if ((await another.count()) > 0) await person.choose(another);
  await person.choose(page.locator("input[name=platform][value=twitter]"), "Space");
  await person.choose(page.getByRole("button", { name: "Continue to sign-in" }));
  await person.choose(page.getByRole("button", { name: "Continue", exact: true }));
  await person.choose(page.getByRole("button", { name: "Authorize app" }));
  await person.openMenu("Access tokens");
  await person.choose(page.getByRole("link", { name: "Create token" }));
  await person.type(page.locator("input[name=name]"), "My website");
  await person.choose(page.locator("main form button[type=submit]"));
  await person.choose(page.locator("[data-copy=curl]"));
  return z.string().parse(await page.evaluate("navigator.clipboard.readText()"));
}

const Channels = z.object({ channels: z.object({ data: z.array(z.object({ channel_id: z.number() })) }) });
const Created = z.object({ data: z.object({ post_id: z.number() }) });

/** Pastes the command, and publishes a post with its token; the result returns how the API shows the post. */
async function publishWith(command: string): Promise<() => Promise<string>> {
  const listed = execFileSync("bash", ["-c", `${command} -s`], { encoding: "utf8" });
  const channel = Channels.parse(JSON.parse(listed)).channels.data[0]?.channel_id;
  const token = /Bearer (blf_\w+)/.exec(command)?.[1] ?? "";
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const content = { channel_type: "twitter", channel_id: channel, caption_text: crypto.randomUUID() };
  const post = { ...content, post_type: "post", media_urls: [], publish_mode: "now" };
  const api = `${service.origin}/api/v1/social`;
  const created = await fetch(`${api}/create-post`, { method: "POST", headers, body: JSON.stringify(post) });
  const text = await created.text();
  if (!created.ok) throw new Error(text);
  const { data } = Created.parse(JSON.parse(text));
  return async () => (await fetch(`${api}/post/${data.post_id}`, { headers })).text();
}

describe.skipIf(CHROMIUM === null)("the console in a browser", () => {
  beforeAll(async () => {
    service = await startService();
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
    demo = await browser.newContext({ viewport: PHONE });
    await demo.grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.origin });
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test("leads from the printed address to a published post, in at most 12 clicks and 3 typed fields", async ({
    expect,
  }) => {
    const person = new Person(await demo.newPage(), true);
    const command = await pathOf(person, service.address);
    expect([person.clicks <= MAX_CLICKS, person.typed <= MAX_TYPED], `${person.clicks} clicks`).toEqual([true, true]);
    await expect.poll(await publishWith(command), { timeout: 120_000 }).toMatch(/"STATUS":"published"/);
  });

  test("leads there with the keyboard alone", async ({ expect }) => {
    const context = await browser.newContext({ viewport: PHONE });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: service.origin });
    const command = await pathOf(new Person(await context.newPage(), false), await service.signInAddress());
    await expect.poll(await publishWith(command), { timeout: 120_000 }).toMatch(/"STATUS":"published"/);
    await context.close();
  });

  test("adds a passkey, and signs in with it alone", async ({ expect }) => {
    const page = await demo.newPage();
    const session = await demo.newCDPSession(page);
    await session.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    await session.send("WebAuthn.addVirtualAuthenticator", { options });
    await page.goto(`${service.origin}/console/account`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The passkey is added.").waitFor();
    await demo.clearCookies();
    await page.goto(`${service.origin}/console/sign-in`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(/\/console\/projects/);
    await page.goto(`${service.origin}/console/account`);
    expect(await page.locator("main").textContent()).toContain("You are signed in as demo@example.com.");
    await page.close();
  });
});
