import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import worker from "../../../src/worker.ts";
import { callsTo, calm, type Home, healthOf } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { type Browser, fieldsOf, formsOf, type Page } from "../../support/browser.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, expectPage, statusOf } from "../../support/connecting.ts";
import { send } from "../../support/platform.ts";
import { bindings, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY, MINUTE } from "../../support/times.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Bluesky from the front door to the feed: what the contract suite does not meet. */
const CALM = { bluesky_moved: false, bluesky_deactivated: false, bluesky_lie: "none" };
afterEach(async () => {
  await calm();
  await sandbox.settings(CALM);
});

const home = async (): Promise<Home> => projectWith("bluesky", await newAccount("bluesky"));

async function publish({ project, channel }: Home, text: string, more: Record<string, unknown> = {}) {
  const id = await createPost(project, channel, { caption_text: text, ...more });
  await queuesIdle(DAY);
  return findPost(project, id);
}

const Stored = z.object({ value: z.looseObject({ text: z.string() }) });

/** The record of a live post, as its server shows it. */
async function recordOf({ accountId }: Home, text: string) {
  const live = (await sandbox.posts("bluesky")).find((post) => post.account_id === accountId && post.text === text);
  const key = live?.id.split("/").at(-1);
  const query = new URLSearchParams({ repo: accountId ?? "", collection: "app.bsky.feed.post", rkey: key ?? "" });
  const server = "https://morel.us-east.host.bsky.network";
  return Stored.parse((await send(`${server}/xrpc/com.atproto.repo.getRecord?${query}`)).json).value;
}

/** Fills in the page for a handle or a server; returns the next page. */
function enter(browser: Browser, page: Page, answer: string): Promise<Page> {
  const [form] = formsOf(page);
  if (!form) throw new Error(`No form on ${page.url}`);
  const fields = form.fields.map((field) => (field.name === "answer" ? { ...field, value: answer } : field));
  return browser.send({ ...form, fields });
}

describe("signing in", () => {
  test("asks for a handle or a server, and proposes the usual one", async () => {
    const { connection, browser } = await begun();
    const page = await choose(browser, connection, ["bluesky"]);
    expectPage(expect, page, 200, "Sign in to Bluesky");
    expect(fieldsOf(page).find(({ name }) => name === "answer")?.value).toBe("bsky.social");
    expectPage(expect, await enter(browser, page, ""), 422, "Handle or server is required.");
    expectPage(expect, await enter(browser, page, "not a handle"), 422, "neither a handle nor the address of a server");
    expectPage(expect, await enter(browser, page, "nobody.bsky.social"), 422, "Check its spelling");
    expectPage(expect, await enter(browser, page, "https://127.0.0.1"), 422, "neither a handle nor");
  });

  test("by a handle goes to the server of the account, and proposes it there", async () => {
    const { connection, browser } = await begun();
    const page = await choose(browser, connection, ["bluesky"]);
    const consent = await enter(browser, page, "@FernAndOak.bsky.social");
    expect(consent.url).toMatch(/^http:\/\/sandbox\.test\/bsky\.social\/oauth\/authorize\?client_id=/);
    const end = await browser.submit(consent, undefined, { name: "decision", value: "allow" });
    expect(end.status).toBe(200);
    expect((await statusOf(connection)).body).toMatchObject({ connect_status: "success", account_name: "Fern & Oak" });
  });

  test.for(["issuer", "subject", "scope"] as const)(
    "believes no server that lies about its %s",
    async (bluesky_lie) => {
      const { connection, browser } = await begun();
      const page = await choose(browser, connection, ["bluesky"]);
      const consent = await enter(browser, page, "acmebikes.bsky.social");
      await sandbox.settings({ bluesky_lie });
      const end = await browser.submit(consent, undefined, { name: "decision", value: "allow" });
      expect(end.status).toBe(400);
      expect((await statusOf(connection)).body).toMatchObject({ connect_status: "failed", channel_ids: null });
    },
  );

  test("is by an app whose document this service serves, with public keys only", async () => {
    const { privateKey } = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
    ])) as CryptoKeyPair;
    const bytes = new Uint8Array((await crypto.subtle.exportKey("pkcs8", privateKey)) as ArrayBuffer);
    const keys = `2026-11:${btoa(String.fromCharCode(...bytes))}`;
    const read = async (environment: object) => {
      const context = createExecutionContext();
      const request = new Request("https://belfry.test/connect/client/bluesky.json");
      const answer = await worker.fetch(request, { ...bindings, ...environment }, context);
      await waitOnExecutionContext(context);
      return answer;
    };
    const PUBLIC_ORIGIN = "https://posts.example.com";
    const answer = await read({ PUBLIC_ORIGIN, BLUESKY_CLIENT_KEYS: keys });
    expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
    const text = await answer.text();
    expect(text).not.toContain('"d":');
    expect(JSON.parse(text)).toMatchObject({
      client_id: `${PUBLIC_ORIGIN}/connect/client/bluesky.json`,
      redirect_uris: [`${PUBLIC_ORIGIN}/connect/callback/bluesky`],
      dpop_bound_access_tokens: true,
      jwks: { keys: [{ kid: "2026-11", alg: "ES256", kty: "EC", crv: "P-256" }] },
    });
    expect((await read({ PUBLIC_ORIGIN })).status).toBe(404);
  });
});

describe("publishing", () => {
  test("marks links, hashtags and existing accounts, and sends the languages", async () => {
    const own = await home();
    const text = `🔔 @acmebikes.bsky.social and @nobody.bsky.social: https://example.com #bells`;
    const post = await publish(own, text, { options: { languages: ["en", "de"] } });
    expect(post.STATUS).toBe("published");
    const record = await recordOf(own, text);
    const facets = JSON.stringify(record.facets);
    expect(facets.match(/#mention/g)).toHaveLength(1);
    expect(facets).toContain('"tag":"bells"');
    expect(facets).toContain('"uri":"https://example.com"');
    expect(record.langs).toEqual(["en", "de"]);
  });

  test("an account that has moved is not posted to at its old server, and says so", async () => {
    const own = await home();
    expect((await publish(own, "Before")).STATUS).toBe("published");
    await sandbox.settings({ bluesky_moved: true });
    const post = await publish(own, "After");
    expect(post).toMatchObject({ STATUS: "failed", error: expect.stringContaining("moved to another server") });
    expect((await sandbox.posts("bluesky")).some(({ text }) => text === "After")).toBe(false);
    expect(await healthOf(own)).toMatchObject({ health: "reconnect_needed" });
  });

  test("a deactivated account's post waits, and is published once when it is back", async () => {
    const own = await home();
    const id = await createPost(own.project, own.channel, { caption_text: "Paused" });
    await sandbox.fault("bluesky", "publish", "accept_then_drop");
    await sandbox.settings({ bluesky_deactivated: true });
    await queuesIdle(10 * MINUTE);
    expect((await findPost(own.project, id)).STATUS).toBe("processing");
    await sandbox.settings({ bluesky_deactivated: false });
    await queuesIdle(DAY);
    expect((await findPost(own.project, id)).STATUS).toBe("published");
    expect((await sandbox.posts("bluesky")).filter(({ text }) => text === "Paused")).toHaveLength(1);
  });

  test("renews tokens only when they are used", async () => {
    const own = await home();
    const renewals = async () => (await callsTo("bluesky")).filter(({ operation }) => operation === "token").length;
    const before = await renewals();
    await advance(20 * DAY);
    await queuesIdle();
    expect(await renewals()).toBe(before);
    expect((await publish(own, "Used again")).STATUS).toBe("published");
    expect(await renewals()).toBe(before + 1);
  });
});
