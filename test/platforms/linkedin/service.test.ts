import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo, calm, type Home, healthOf } from "../../contract/world.ts";
import { accountsOf } from "../../support/accounts.ts";
import { formsOf } from "../../support/browser.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, decide, expectPage, statusOf } from "../../support/connecting.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { DAY, MINUTE } from "../../support/times.ts";
import { createPost, findPost, ORIGIN, projectWith } from "../../support/world.ts";

/**
 * LinkedIn from the front door to the feed: what the contract suite, which posts as a page, does not meet.
 */

const PAGE = "urn:li:organization:9001";
const CONTENT_PAGE = "urn:li:organization:9003";
const CALM = {
  linkedin_oldest_version: "202601",
  linkedin_gives_refresh_tokens: true,
  linkedin_activation_lag_ms: 0,
  linkedin_throttle: "burst",
  linkedin_duplicate_names: "post",
  processing_ms: 1500,
};

let person = "";
beforeAll(async () => {
  const found = (await accountsOf("linkedin")).find((id) => id.startsWith("urn:li:person:"));
  person = found ?? "";
});
afterEach(async () => {
  await calm();
  await sandbox.settings(CALM);
});

async function post({ project, channel }: Home, text: string, ...files: readonly string[]) {
  const id = await createPost(project, channel, { caption_text: text, media_urls: files.map(media) });
  return { id, state: () => findPost(project, id) };
}

async function publishCalls(): Promise<number> {
  return (await callsTo("linkedin")).filter(({ operation }) => operation === "publish").length;
}

describe("connecting", () => {
  test("one login offers the person and their pages; those without a role that posts cannot be selected", async () => {
    const { connection, browser } = await begun();
    const offer = await decide(browser, await choose(browser, connection, ["linkedin"]), "allow");
    const names = ["Ana Ruiz", "Acme Bikes", "Fern &amp; Oak", "Harbour Coffee", "Northwind Ferries"];
    for (const name of names) expect(offer.html).toContain(name);
    expect(offer.html).toContain("You may not post as Northwind Ferries");
    const fields = formsOf(offer).flatMap((form) => [...form.fields]);
    const offered = fields.filter(({ name, disabled }) => name === "account" && !disabled).map(({ value }) => value);
    expect(offered).toEqual(expect.arrayContaining([person, PAGE, CONTENT_PAGE]));
    expect(offered).not.toContain("urn:li:organization:9004");

    await browser.submit(offer, ({ name, value }) => (name === "account" ? [person, PAGE].includes(value) : undefined));
    const { body } = await statusOf(connection);
    const status = z.object({ connect_status: z.string(), channel_ids: z.array(z.number()) }).parse(body);
    expect(status).toMatchObject({ connect_status: "success", channel_ids: [expect.any(Number), expect.any(Number)] });
  });

  test("a person who cancels reads that nothing was connected", async () => {
    const { connection, browser } = await begun();
    const page = await decide(browser, await choose(browser, connection, ["linkedin"]), "deny");
    expectPage(expect, page, 403, "Access was not allowed at LinkedIn");
  });

  test("an app that lacks a product is the operator's to mend, and the page says so", async () => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["linkedin"]);
    const state = new URL(consent.url).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "unauthorized_scope_error", error_description: "Scope …", state });
    const page = await browser.go(`${ORIGIN}/connect/callback/linkedin?${query}`);
    expectPage(expect, page, 400, "LINKEDIN_PRODUCTS");
  });

  test("a token that is not in effect for a moment does not spoil the login", async () => {
    await sandbox.settings({ linkedin_activation_lag_ms: 600 });
    const { channel } = await projectWith("linkedin", PAGE);
    expect(channel.channel_id).toBeGreaterThan(0);
  });

  test("without a refresh token the channel is shown as expiring, a week ahead and at the end", async () => {
    await sandbox.settings({ linkedin_gives_refresh_tokens: false });
    const home = await projectWith("linkedin", PAGE);
    await advance(52 * DAY);
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    await advance(2 * DAY);
    const ending = await healthOf(home);
    expect(ending).toMatchObject({
      health: "expiring",
      reason: expect.stringContaining("cannot be renewed automatically"),
    });
    await advance(7 * DAY);
    const { state } = await post(home, "Too late");
    await queuesIdle();
    expect(await state()).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("again to publish with it"),
    });
  });

  test("after a year nothing renews: the channel is shown as expiring while it still works, then as expired", async () => {
    const home = await projectWith("linkedin", PAGE);
    const pass = async (days: number) => {
      await advance(days * DAY);
      await cron();
      await queuesIdle();
    };
    for (let days = 0; days < 364; days += 26) await pass(26);
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    while ((await healthOf(home)).health === "connected") await pass(3);
    expect(await healthOf(home)).toMatchObject({
      health: "expiring",
      reason: expect.stringContaining("LinkedIn no longer renews this connection. Reconnect"),
    });
    const { state } = await post(home, `Still there ${crypto.randomUUID()}`);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    await pass(15);
    expect(await healthOf(home)).toMatchObject({ health: "reconnect_needed" });
  });
});

describe("a person", () => {
  test("posts, and can take it down", async () => {
    const home = await projectWith("linkedin", person);
    const text = `By myself ${crypto.randomUUID()}`;
    const { id, state } = await post(home, text, "square.jpg");
    await queuesIdle();
    const [live] = await sandbox.postsWith(text);
    expect(live).toMatchObject({ account_id: person });
    expect(await state()).toMatchObject({ STATUS: "published", permalink: `${live?.permalink}/` });
    await home.project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toEqual([]);
  });

  test.for(["accept_then_drop", "accept_then_error", "error"])(
    "whose post meets %s ends at once as possibly published, and is never sent twice",
    async (kind) => {
      const home = await projectWith("linkedin", person);
      const before = await publishCalls();
      await sandbox.fault("linkedin", "publish", kind);
      const text = `Lost ${crypto.randomUUID()}`;
      const { id } = await post(home, text);
      await queuesIdle(MINUTE);
      expect((await home.project.call("GET", `/social/post/${id}?include=content`)).body).toMatchObject({
        post: {
          STATUS: "failed",
          error: expect.stringContaining("may have been published"),
          error_code: "may_be_published",
        },
      });
      expect(await sandbox.postsWith(text)).toHaveLength(kind === "error" ? 0 : 1);
      expect((await publishCalls()) - before).toBe(1);
    },
  );

  test("whose first comment is lost keeps the post, and the comment ends at once as possibly published", async () => {
    const home = await projectWith("linkedin", person);
    const text = `Commented ${crypto.randomUUID()}`;
    await sandbox.fault("linkedin", "reply", "accept_then_drop");
    const id = await createPost(home.project, home.channel, { caption_text: text, first_comment: "The first" });
    await queuesIdle(MINUTE);
    expect((await home.project.call("GET", `/social/post/${id}?include=content`)).body).toMatchObject({
      post: { STATUS: "published", first_comment_result: { state: "failed", error_code: "may_be_published" } },
    });
  });

  test("whose image takes longer than we wait posts it when it is ready", async () => {
    await sandbox.settings({ processing_ms: 30_000 });
    const home = await projectWith("linkedin", person);
    const text = `Slow ${crypto.randomUUID()}`;
    const { state } = await post(home, text, "square.jpg");
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });
});

describe("a page", () => {
  test("shows a text as it was written, whatever its characters", async () => {
    const home = await projectWith("linkedin", PAGE);
    const mark = crypto.randomUUID();
    const written = `Price (new): [10 €] {x} <b> a|b *c* _d_ ~e~ f@g \\ #1 in C#\n#bikes #Größe https://x.example/a_b#c ${mark}`;
    const mention = "\nThanks, @[Fern & Oak](urn:li:organization:9002)";
    await post(home, `${written}${mention}`);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toMatchObject([{ text: `${written}\nThanks, Fern & Oak` }]);
  });

  test("of a content administrator takes texts; a video fails alone, and the channel goes on", async () => {
    const home = await projectWith("linkedin", CONTENT_PAGE);
    const video = await post(home, `Video ${crypto.randomUUID()}`, "clip.mp4");
    await queuesIdle();
    expect(await video.state()).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("administrators only"),
    });
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    const text = await post(home, `Text ${crypto.randomUUID()}`);
    await queuesIdle();
    expect(await text.state()).toMatchObject({ STATUS: "published" });
  });

  test("whose text was deleted a moment ago is refused it again, with the reason and nothing live", async () => {
    const home = await projectWith("linkedin", PAGE);
    const text = `Once more ${crypto.randomUUID()}`;
    const first = await post(home, text);
    await queuesIdle();
    await home.project.call("DELETE", `/social/delete-post/${first.id}`);
    await queuesIdle();
    const again = await post(home, text);
    await queuesIdle();
    expect(await again.state()).toMatchObject({
      STATUS: "failed",
      error: expect.stringMatching(/already posted exactly this text.*duplicate of urn:li:share:/),
    });
    expect(await sandbox.postsWith(text)).toEqual([]);
  });

  test("finds its post also where the refusal of its repeat names one that never was", async () => {
    await sandbox.settings({ linkedin_duplicate_names: "ghost" });
    const home = await projectWith("linkedin", PAGE);
    const text = `Ghost ${crypto.randomUUID()}`;
    // The look-ups find nothing for eleven minutes: it is sent again, and refused.
    await sandbox.settings({ linkedin_listing_lag_ms: 11 * MINUTE, linkedin_duplicate_window_ms: 60 * MINUTE });
    await sandbox.fault("linkedin", "publish", "accept_then_drop");
    const { state } = await post(home, text);
    await queuesIdle(DAY);
    await sandbox.settings({ linkedin_listing_lag_ms: 0, linkedin_duplicate_window_ms: 10 * MINUTE });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  const Events = z.object({ events: z.array(z.looseObject({ message: z.string() })) });
  async function shown({ project }: Home, id: number): Promise<readonly string[]> {
    const { body } = await project.call("GET", `/social/get-post-events/${id}`);
    return Events.parse(body).events.map(({ message }) => message);
  }

  test("waits for the operator when the API's version has expired, and is published when it is raised", async () => {
    const home = await projectWith("linkedin", PAGE);
    await sandbox.settings({ linkedin_oldest_version: "202610" });
    const { id, state } = await post(home, `Version ${crypto.randomUUID()}`);
    await queuesIdle(20 * MINUTE);
    expect(await shown(home, id)).toContainEqual(expect.stringContaining("must raise LINKEDIN_VERSION"));
    await sandbox.settings({ linkedin_oldest_version: "202601" });
    await queuesIdle(60 * MINUTE);
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  test("that has reached its calls of the day reports until when", async () => {
    const home = await projectWith("linkedin", PAGE);
    await sandbox.settings({ linkedin_throttle: "member_day" });
    await sandbox.fault("linkedin", "publish", "rate_limit");
    const { id } = await post(home, `Daily ${crypto.randomUUID()}`);
    await queuesIdle(MINUTE);
    expect(await shown(home, id)).toContainEqual(expect.stringContaining("resets at midnight UTC"));
  });
});
