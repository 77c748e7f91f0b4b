import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { problemsIn, textsIn } from "../../src/pages/texts.ts";
import { minutes } from "../support/automations.ts";
import { formsOf } from "../support/browser.ts";
import { connectThrough } from "../support/person.ts";
import { sandbox } from "../support/sandbox.ts";
import {
  CONSOLE_URL,
  callsOf,
  filled,
  formTo,
  newConsoleBrowser,
  newEmail,
  type Owned,
  owned,
  signedIn,
} from "./console-browser.ts";

const channelsOf = ({ id }: Owned) => `${CONSOLE_URL}/projects/${id}/channels`;

const Listed = z.object({
  channels: z.object({ data: z.array(z.object({ channel_id: z.number(), name: z.string(), user_id: z.string() })) }),
});
async function listed({ project }: Owned) {
  return Listed.parse((await project.call("GET", "/social/get-channels")).body).channels.data;
}

/** Changes the grants of a channel, as a platform or time would. */
const setGrants = (id: number | undefined, change: string) =>
  env.DB.prepare(`UPDATE grants SET ${change} WHERE channel_id = ?`).bind(id).run();

describe("connecting", () => {
  test("begins with the chosen platforms, and comes back to the list", async ({ expect }) => {
    const owner = await owned();
    const empty = await owner.browser.go(channelsOf(owner));
    expect(empty.html).toContain("Connect the first channel");
    const link = await owner.browser.send(filled(formTo(empty, "/connect"), { platform: "twitter" }));
    expect(link.url).toContain("/connect/ey");
    expect(
      formsOf(link)[0]
        ?.fields.filter(({ checked }) => checked)
        .map(({ value }) => value),
    ).toEqual(["twitter"]);
    const back = await connectThrough(owner.browser, link.url, { platforms: ["twitter"] });
    expect(back.url.startsWith(`${channelsOf(owner)}?`)).toBe(true);
    const [channel] = await listed(owner);
    expect(back.html).toContain("The accounts are connected.");
    expect(back.html).toContain(channel?.name);
    expect([back.status, callsOf(back)]).toEqual([200, 2]);
  });

  test("needs a platform", async ({ expect }) => {
    const owner = await owned();
    const page = await owner.browser.go(`${channelsOf(owner)}/connect`);
    const refused = await owner.browser.send({ ...formTo(page, "/connect"), fields: formTo(page, "/connect").fields });
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining("Choose at least one platform.")]);
  });

  test("again keeps the user of the channel", async ({ expect }) => {
    const owner = await owned();
    const [id] = await owner.project.connect("twitter");
    const page = await owner.browser.go(`${channelsOf(owner)}/${id}`);
    const link = await owner.browser.send(formTo(page, "/reconnect"));
    await connectThrough(owner.browser, link.url, { platforms: ["twitter"] });
    expect(await listed(owner)).toEqual([expect.objectContaining({ channel_id: id, user_id: "user-1" })]);
  });
});

describe("health", () => {
  test("shows what is missing and when it expires, in the API's words", async ({ expect }) => {
    const owner = await owned();
    const [id] = await owner.project.connect("twitter");
    const isShown = async (text: string) => (await owner.browser.go(channelsOf(owner))).html.includes(text);
    expect(await isShown("Reconnect needed")).toBe(false);
    await setGrants(id, "scopes = '[\"tweet.read\"]'");
    expect(await isShown("Reconnect needed")).toBe(true);
    const page = await owner.browser.go(`${channelsOf(owner)}/${id}`);
    expect(page.html).toContain("was connected without");
    expect(callsOf(page)).toBe(2);
    await setGrants(id, `scopes = NULL, refresh_due_at = NULL, expires_at = ${Date.now() + 86_400_000}`);
    expect(await isShown("Expires soon")).toBe(true);
  });

  test("has its reason in the language of the page: list, page and composer", async ({ expect }) => {
    const owner = await owned();
    const [id] = await owner.project.connect("twitter");
    await setGrants(id, "health = 'reconnect_needed'");
    const reader = newConsoleBrowser({ "Accept-Language": "de" });
    const browser = await signedIn({ email: owner.email, project: owner.project.name }, reader);
    const compose = `${CONSOLE_URL}/projects/${owner.id}/compose`;
    for (const url of [channelsOf(owner), `${channelsOf(owner)}/${id}`, compose]) {
      const { html } = await browser.go(url);
      expect([url, html.includes(problemsIn("de")?.failures.reconnect_needed ?? "?")]).toEqual([url, true]);
    }
    await setGrants(id, `health = 'connected', refresh_due_at = NULL, expires_at = ${Date.now() + 86_400_000}`);
    for (const url of [channelsOf(owner), `${channelsOf(owner)}/${id}`]) {
      const { html } = await browser.go(url);
      expect([url, html.includes(textsIn("de").channels.expiring)]).toEqual([url, true]);
    }
  });

  test("is shown to a viewer without buttons", async ({ expect }) => {
    const owner = await owned();
    const [id] = await owner.project.connect("twitter");
    await setGrants(id, "health = 'reconnect_needed'");
    const viewer = await signedIn({ email: newEmail(), project: owner.project.name, role: "viewer" });
    for (const path of ["", `/${id}`]) {
      const page = await viewer.go(`${channelsOf(owner)}${path}`);
      expect(page.status).toBe(200);
      expect(formsOf(page).filter(({ action }) => !action.endsWith("/sign-out"))).toEqual([]);
    }
  });
});

describe("the timetable", () => {
  async function opened() {
    const owner = await owned("Europe/Berlin");
    const [id] = await owner.project.connect("twitter");
    const path = `${channelsOf(owner)}/${id}`;
    const stored = async () => (await owner.project.call("GET", `/social/get-channel-timetable/${id}`)).body;
    return { owner, stored, page: await owner.browser.go(path) };
  }
  const EMPTY = { tuesday: "", wednesday: "", thursday: "", friday: "", saturday: "", sunday: "" };
  const week = (monday: string) =>
    Object.fromEntries(Object.entries({ monday, ...EMPTY }).map(([day, times]) => [`slots.${day}`, times]));

  test("is set by weekday, in the project's zone or another", async ({ expect }) => {
    const { owner, page, stored } = await opened();
    expect(page.html).toContain("Europe/Berlin");
    const form = filled(formTo(page, "/timetable"), week("18:30, 09:00"));
    expect((await owner.browser.send(form)).html).toContain("The timetable is saved.");
    expect(await stored()).toMatchObject({
      timetable: { slots: { monday: ["09:00", "18:30"], sunday: [] }, time_zone: "Europe/Berlin", is_default: false },
    });
    await owner.browser.send(filled(form, { time_zone: "Asia/Tokyo" }));
    expect(await stored()).toMatchObject({ timetable: { time_zone: "Asia/Tokyo" } });
  });

  test.for([
    [week("25:00"), "slots.monday.0 must be a time of day"],
    [week(""), "slots must not be without a time"],
    [{ time_zone: "Mars/Base" }, "time_zone must be an IANA time zone name"],
  ] as const)("is refused as by the API: %o", async ([values, sentence], { expect }) => {
    const { owner, page } = await opened();
    const refused = await owner.browser.send(filled(formTo(page, "/timetable"), values));
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test("returns to the default, pauses and resumes", async ({ expect }) => {
    const { owner, page, stored } = await opened();
    await owner.browser.send(filled(formTo(page, "/timetable"), week("08:00")));
    const press = (change: string) => owner.browser.send(filled(formTo(page, "/queue"), { change }));
    await press("default_times");
    const paused = await press("pause");
    expect(paused.html).toContain("The queue is paused");
    expect(await stored()).toMatchObject({ timetable: { is_default: true, paused: true } });
    await press("resume");
    expect(await stored()).toMatchObject({ timetable: { paused: false } });
  });
});

test("disconnecting requires a confirmation, and does what delete-channel does", async ({ expect }) => {
  const owner = await owned();
  const [account = ""] = await sandbox.accounts("facebook");
  const [id = 0] = await owner.project.connect("facebook", [account]);
  expect(
    (await owner.project.call("PUT", `/social/update-channel/${id}`, { body: { collect_messages: true } })).body,
  ).toMatchObject({ status: true });
  await env.DB.prepare(
    `INSERT INTO conversations (project_id, channel_id, platform, person_id, person_name, priority, last_message_at, created_at, updated_at)
     VALUES (?1, ?2, 'facebook', 'p1', 'Ada', 2, ?3, ?3, ?3)`,
  )
    .bind(owner.id, id, Date.now())
    .run();
  const kept = () =>
    env.DB.prepare(
      `SELECT messages_since IS NOT NULL AS collects,
         (SELECT count(*) FROM conversations WHERE channel_id = channels.id) AS conversations
       FROM channels WHERE id = ?`,
    )
      .bind(id)
      .first();
  expect(await kept()).toEqual({ collects: 1, conversations: 1 });
  const page = await owner.browser.go(`${channelsOf(owner)}/${id}`);
  expect(page.html).toMatch(/popovertarget="disconnect"/);
  const left = await owner.browser.send(formTo(page, "/disconnect"));
  expect([left.url, left.html]).toEqual([
    channelsOf(owner),
    expect.stringContaining("is disconnected. Posts that wait"),
  ]);
  expect(await listed(owner)).toEqual([]);
  expect((await owner.browser.go(`${channelsOf(owner)}/${id}`)).status).toBe(404);
  await minutes(2);
  expect(await kept()).toEqual({ collects: 0, conversations: 0 });
});

test("longer lists continue on another page", async ({ expect }) => {
  const owner = await owned();
  const [id] = await owner.project.connect("twitter");
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 51)
    INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, created_at, updated_at, marked_health)
    SELECT project_id, user_ref, platform, 'copy-' || n.i, 'Copy ' || n.i, attributes, created_at, updated_at, marked_health
    FROM channels, n WHERE channels.id = ?`,
  )
    .bind(id)
    .run();
  const first = await owner.browser.go(channelsOf(owner));
  const [, next] = /href="[^"]*(\?after=\d+)"/.exec(first.html) ?? [];
  const second = await owner.browser.go(`${channelsOf(owner)}${next}`);
  const shown = [first, second].map(({ html }) => html.match(/class="avatar twitter"/g)?.length);
  expect(shown).toEqual([50, 2]);
});
