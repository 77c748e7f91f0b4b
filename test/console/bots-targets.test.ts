import { load } from "cheerio";
import { describe, test } from "vitest";
import { boost, boostHome, publishBoostable } from "../support/boosts.ts";
import type { Browser, Form, Page } from "../support/browser.ts";
import { CONSOLE_URL, callsOf, filled, formTo, newEmail, owned, signedIn } from "./console-browser.ts";

/** The posts and campaigns of a bot, chosen from lists. */

const VALUES = {
  name: "Prices",
  trigger_type: "any",
  response_type: "comment",
  comment_reply: "Five euros.",
  response_time: "instant",
  frequency: "once",
  ai_enable: "no",
};

async function opened() {
  const home = await boostHome("facebook", "Fresh bread");
  const browser = await signedIn({ email: newEmail(), project: home.project.name });
  const { url } = await browser.go(CONSOLE_URL);
  const base = `${CONSOLE_URL}/projects/${/projects\/(\d+)/.exec(url)?.[1]}/bots`;
  /** The form of a page, with values of a bot that is otherwise complete. */
  const form = (page: Page, values: Readonly<Record<string, string>>): Form =>
    filled(formTo(page, "/bots"), { ...VALUES, channels: String(home.channel.channel_id), ...values });
  const search = (page: Page, values: Readonly<Record<string, string>>) =>
    browser.send(form(page, values), undefined, { name: "act", value: "search" });
  return { home, browser, form, search, base, page: await browser.go(`${base}/new`) };
}

const LISTS = ["post_ids", "campaign_ids"] as const;

/** The choices of a list: its titles, and which are selected. */
function listOf({ html }: Page, name: (typeof LISTS)[number]) {
  const $ = load(html);
  return $(`input[name="${name}"]`)
    .toArray()
    .map((input) => `${$(input).attr("checked") === undefined ? "" : "+"}${$(input).parent().find(".name").text()}`);
}

const statusOf = ({ html }: Page, id: string): string => load(html)(`#${id} [role=status]`).text();

/** What the form of a bot says about where it answers. */
async function savedOf(browser: Browser, { url }: Page) {
  const edit = await browser.go(`${url}/edit`);
  const $ = load(edit.html);
  const chosen = LISTS.flatMap((name) => listOf(edit, name).filter((title) => title.startsWith("+")));
  const target = $('input[name="target_type"][checked]').attr("value");
  return { name: $("#name").attr("value"), target, chosen, calls: callsOf(edit) };
}

describe("the posts of a bot", () => {
  test("are chosen from the live posts, with platform and date", async ({ expect }) => {
    const { home, browser, form, page } = await opened();
    expect([listOf(page, "post_ids"), callsOf(page)]).toEqual([["Fresh bread"], 2]);
    expect(load(page.html)("#posts .choice .about").text()).toMatch(/ · Facebook · \w+ \d+, \d{4}$/);
    const made = await browser.send(form(page, { target_type: "posts", post_ids: String(home.postId) }));
    const saved = { name: "Prices", target: "posts", chosen: ["+Fresh bread"], calls: 3 };
    expect(await savedOf(browser, made)).toEqual(saved);
  });

  test("are searched without losing what is chosen and entered", async ({ expect }) => {
    const { home, browser, form, search, base, page } = await opened();
    await publishBoostable(home, "Birthday CAKES, 50% off_today");
    const values = { target_type: "posts", post_ids: String(home.postId), name: "Half a form" };
    const found = await search(page, { ...values, search: "cakes, 50% off_" });
    expect(found.status).toBe(200);
    expect(listOf(found, "post_ids")).toEqual(["+Fresh bread", "Birthday CAKES, 50% off_today"]);
    expect(load(found.html)("#name").attr("value")).toBe("Half a form");
    const missed = await search(found, { ...values, search: "c%kes" });
    expect(listOf(missed, "post_ids")).toEqual(["+Fresh bread"]);
    expect(statusOf(missed, "posts")).toBe("No other published post has these words.");
    const long = await search(missed, { ...values, search: "パン".repeat(50) });
    expect(long.status).toBe(200);
    expect(load((await browser.go(base)).html)("main").text()).not.toContain("Half a form");
    const made = await browser.send(form(long, { name: "Half a form" }));
    expect(await savedOf(browser, made)).toMatchObject({ name: "Half a form", chosen: ["+Fresh bread"] });
    const byAddress = await browser.go(`${base}/new?search=cakes`);
    expect(listOf(byAddress, "post_ids")).toEqual(["Birthday CAKES, 50% off_today"]);
  });

  test("of another project are not found, with the sentence of the API, and not shown", async ({ expect }) => {
    const { home, browser, form, page } = await opened();
    const other = await owned();
    const start = await other.browser.go(`${CONSOLE_URL}/projects/${other.id}/bots/new?search=bread`);
    expect(listOf(start, "post_ids")).toEqual([]);
    const [channel] = await other.project.connect("facebook");
    const theirs = { channels: String(channel), target_type: "posts", post_ids: String(home.postId) };
    const otherPage = await other.browser.go(start.url);
    expect(statusOf(otherPage, "posts")).toBe("No other published post has these words.");
    const refused = await other.browser.send(filled(formTo(otherPage, "/bots"), { ...VALUES, ...theirs }));
    const sentence = `post_ids.0 must be a published post of these channels, not ${home.postId}.`;
    expect([refused.status, load(refused.html)("#posts .error").text()]).toEqual([404, sentence]);
    expect([listOf(refused, "post_ids"), refused.html.includes("Fresh bread")]).toEqual([[], false]);
    const none = await browser.send(form(page, { target_type: "posts" }));
    expect(none.status).toBe(422);
  });
});

test("campaigns are chosen and searched by name", async ({ expect }) => {
  const { home, browser, form, search, base } = await opened();
  const campaign = await boost(home);
  const page = await browser.go(`${base}/new`);
  const [name = ""] = listOf(page, "campaign_ids");
  expect([listOf(page, "campaign_ids").length, name === "", callsOf(page)]).toEqual([1, false, 2]);
  const values = { target_type: "campaigns", campaign_ids: String(campaign) };
  const missed = await search(page, { ...values, search_campaigns: "no such campaign" });
  expect([listOf(missed, "campaign_ids"), statusOf(missed, "campaigns")]).toEqual([
    [`+${name}`],
    "No other campaign has these words in its name.",
  ]);
  const made = await browser.send(form(missed, values));
  expect(await savedOf(browser, made)).toMatchObject({ target: "campaigns", chosen: [`+${name}`], calls: 3 });
});
