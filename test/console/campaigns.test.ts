import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { type Boostable, boostHome, campaignOf, ceiling, type Home, pass } from "../support/boosts.ts";
import { type Form, formsOf, type Page } from "../support/browser.ts";
import { hook, noHooks, refusedByMeta } from "../support/platform-hooks.ts";
import { queuesIdle } from "../support/queue.ts";
import { MINUTE, SECOND } from "../support/times.ts";
import { findPost } from "../support/world.ts";
import { CONSOLE_URL, callsOf, filled, formTo, newEmail, signedIn } from "./console-browser.ts";

/** The campaigns room: from a published post to a campaign, its figures, changes and its end. */

const textOf = ({ html }: Page): string => load(html)("main").text();

async function opened(platform: Boostable, caption?: string) {
  const home = await boostHome(platform, caption);
  const email = newEmail();
  const browser = await signedIn({ email, project: home.project.name });
  const { url } = await browser.go(CONSOLE_URL);
  const base = `${CONSOLE_URL}/projects/${/projects\/(\d+)/.exec(url)?.[1]}`;
  const open = (path: string) => browser.go(`${base}${path}`);
  return { home, email, browser, base, open };
}
type Opened = Awaited<ReturnType<typeof opened>>;

const valuesOf = ({ account }: Home) => ({
  ad_account_id: account.id,
  duration_type: "lifetime_budget",
  budget: "210",
  duration: "7",
  countries: "DE",
});

/** The page with the estimate. */
async function estimated({ home, browser, open }: Opened, values: Readonly<Record<string, string>> = {}) {
  const page = await open(`/campaigns/new?post=${home.postId}`);
  const form = formTo(page, "/campaigns");
  return browser.send(filled(form, { act: "estimate", ...valuesOf(home), ...values }));
}

/** The form with which a person agrees, with its box selected. */
function agreed(page: Page, end = "/campaigns"): Form {
  const form = formsOf(page).find(
    (one) => one.action.endsWith(end) && one.fields.some(({ name }) => name === "agreed"),
  );
  if (!form) throw new Error(`Nothing to agree to: ${textOf(page)}`);
  return { ...form, fields: form.fields.map((field) => ({ ...field, checked: true })) };
}

const idIn = ({ url }: Page): number => Number(/campaigns\/(\d+)/.exec(url)?.[1]);

describe("a boost", () => {
  test("starts from the page of a published post, with an estimate and an agreement to the amount", async ({
    expect,
  }) => {
    const visited = await opened("facebook", "Fresh bread");
    const { home, browser, open } = visited;
    const post = await open(`/posts/${home.postId}`);
    expect(load(post.html)(`a[href$="/campaigns/new?post=${home.postId}"]`).text()).toBe("Boost this post");
    const chosen = await open("/campaigns/new");
    expect([textOf(chosen).includes("Fresh bread"), callsOf(chosen)]).toEqual([true, 2]);
    const page = await open(`/campaigns/new?post=${home.postId}`);
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    expect(load(page.html)('select[name="countries"] option[value="DE"]').text()).toBe("Germany");
    const estimate = await estimated(visited);
    expect(estimate.status).toBe(200);
    const text = textOf(estimate);
    for (const part of [
      "210.00 EUR",
      "People it could reach",
      "I agree that up to 210.00 EUR may be spent within 7 days.",
    ])
      expect(text).toContain(part);
    expect((await home.project.call("GET", "/boost-campaigns/get-campaigns")).body).toMatchObject({
      campaigns: { total: 0 },
    });
    const made = await browser.send(agreed(estimate));
    expect(textOf(made)).toContain("The campaign is queued.");
    expect(await campaignOf(home, idIn(made))).toMatchObject({
      budget: 210,
      duration: 7,
      countries: ["DE"],
      campaign_objective: "engagement",
    });
  });

  test("is not started without the agreement, or for an amount that is not the shown one", async ({ expect }) => {
    const visited = await opened("facebook");
    const { browser, home } = visited;
    const form = agreed(await estimated(visited));
    const other = filled(form, { budget: "500" });
    const refused = await browser.send(other);
    expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining("The cost is different")]);
    expect(textOf(refused)).toContain("500.00 EUR");
    const silent = await browser.send(filled(form, { agreed: "" }));
    expect([silent.status, textOf(silent).includes("I agree")]).toEqual([200, true]);
    expect((await home.project.call("GET", "/boost-campaigns/get-campaigns")).body).toMatchObject({
      campaigns: { total: 0 },
    });
  });

  test("is one campaign when its button is pressed twice at once", async ({ expect }) => {
    const visited = await opened("facebook");
    const { browser, home } = visited;
    const form = agreed(await estimated(visited));
    const pages = await Promise.all([browser.send(form), browser.send(form)]);
    pages.push(await browser.send(form));
    expect(new Set(pages.map(idIn)).size).toBe(1);
    expect((await home.project.call("GET", "/boost-campaigns/get-campaigns")).body).toMatchObject({
      campaigns: { total: 1 },
    });
  });

  test.for([
    [{ budget: "0.01" }, "budget must be at least"],
    [{ budget: "many" }, "budget must be a number"],
    [{ duration: "0" }, "duration must be at least 1"],
    [{ ad_account_id: "act_1" }, "ad_account_id"],
  ] as const)("is refused as by the API: %o", async ([values, sentence], { expect }) => {
    const refused = await estimated(await opened("facebook"), values);
    expect([refused.status, textOf(refused)]).toEqual([422, expect.stringContaining(sentence)]);
  });

  test("stays below the ceiling of its project", async ({ expect }) => {
    const visited = await opened("facebook");
    await ceiling(visited.home, 100);
    const refused = await visited.browser.send(agreed(await estimated(visited)));
    expect([refused.status, textOf(refused)]).toEqual([429, expect.stringContaining("may cost 100.00 EUR together")]);
  });

  test("finds interests and keeps the form", async ({ expect }) => {
    const visited = await opened("facebook");
    const { browser, home, open } = visited;
    const page = await open(`/campaigns/new?post=${home.postId}`);
    const search = { ...valuesOf(home), act: "interests", interest_words: "bak" };
    const found = await browser.send(filled(formTo(page, "/campaigns"), search));
    const value = load(found.html)('input[name="interests"]').first().attr("value") ?? "";
    expect(value).toMatch(/^\S+ \S/);
    expect(load(found.html)('input[name="budget"]').attr("value")).toBe("210");
    const estimate = await estimated(visited, { interests: value });
    const made = await browser.send(agreed(estimate));
    expect(await campaignOf(home, idIn(made))).toMatchObject({ interests: [{ id: value.split(" ")[0] }] });
  });

  test("of a post that cannot be boosted says why", async ({ expect }) => {
    const { open, home } = await opened("facebook");
    await env.DB.prepare("UPDATE grants SET health = 'reconnect_needed' WHERE channel_id = ?")
      .bind(home.channel.channel_id)
      .run();
    const page = await open(`/campaigns/new?post=${home.postId}`);
    expect([page.status, load(page.html)('main a[href*="/connect/"]').length]).toEqual([200, 1]);
    expect((await open("/campaigns/new?post=999999")).status).toBe(404);
    expect(await findPost(home.project, home.postId)).toMatchObject({ STATUS: "published" });
  });
});

describe("a campaign", () => {
  test("shows its figures over time, is changed after an agreement, and deleted", { timeout: 90_000 }, async ({
    expect,
  }) => {
    const visited = await opened("instagram");
    const { browser, email, home, open } = visited;
    const id = idIn(await browser.send(agreed(await estimated(visited))));
    await queuesIdle(30 * SECOND);
    await pass(20 * MINUTE, 5 * MINUTE);
    await pass(26 * 60 * MINUTE, 6 * 60 * MINUTE);
    // The first page after so long notes that the session is in use.
    await open("/campaigns");
    const page = await open(`/campaigns/${id}`);
    const $ = load(page.html);
    expect(callsOf(page)).toBeLessThanOrEqual(3);
    expect([$("svg polyline").length, $("svg[aria-hidden=true] polyline").length]).toEqual([2, 2]);
    const rows = $("tbody tr").toArray();
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(textOf(page)).toContain("The platform shows the campaign.");
    const list = await open("/campaigns");
    expect(callsOf(list)).toBeLessThanOrEqual(3);
    expect(textOf(list)).toMatch(/Live.*210\.00 EUR in all, 7 days/s);

    // What spends needs a sign-in of the last ten minutes.
    expect((await open(`/campaigns/${id}/edit`)).url).toContain("/console/sign-in?to=");
    await signedIn({ email }, browser);
    const edit = await open(`/campaigns/${id}/edit`);
    expect(callsOf(edit)).toBeLessThanOrEqual(3);
    const change = filled(formTo(edit, `/campaigns/${id}`), {
      act: "estimate",
      budget: "280",
      countries: "DE",
      campaign_objective: "engagement",
    });
    const estimate = await browser.send(change);
    expect(textOf(estimate)).toContain("I agree that up to 280.00 EUR");
    expect(await campaignOf(home, id)).toMatchObject({ budget: 210 });
    const saved = await browser.send(agreed(estimate, `/campaigns/${id}`));
    expect(textOf(saved)).toContain("The campaign is changed.");
    expect(await campaignOf(home, id)).toMatchObject({ budget: 280, duration: 7, countries: ["DE"] });
    const gone = await browser.send(formTo(saved, `/campaigns/${id}/delete`));
    expect(textOf(gone)).toContain("was deleted; the platform will end it.");
    expect((await open(`/campaigns/${id}`)).status).toBe(404);
  });

  test("that the platform refuses shows the call and the answer, and needs attention", async ({ expect }) => {
    const visited = await opened("facebook", "What is not accepted");
    const { browser, open } = visited;
    const form = agreed(await estimated(visited));
    hook(({ method, url }) =>
      method === "POST" && /\/act_\d+\/campaigns$/.test(new URL(url).pathname) ? refusedByMeta("Not so.") : null,
    );
    const id = idIn(await browser.send(form));
    await queuesIdle(60 * SECOND);
    noHooks();
    const page = await open(`/campaigns/${id}`);
    expect(textOf(page)).toContain("Failed");
    expect(load(page.html)(".timeline pre").text()).toMatch(/POST https?:\/\/.*\n\n400/);
    expect(load((await open("")).html)(`a[href$="/campaigns/${id}"]`).length).toBeGreaterThan(0);
  });
});
