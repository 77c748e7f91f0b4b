import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import { answerProblem } from "../../src/core/answer-problems.ts";
import { problemsIn, readTexts } from "../../src/pages/texts.ts";
import type { FeedStop } from "../../src/posts/feeds/feed-problems.ts";
import { send, type Values, type Writer, writer } from "./compose/writer.ts";
import { CONSOLE_URL, callsOf, formTo, newConsoleBrowser, newEmail, signedIn } from "./console-browser.ts";

/** Feeds in the console: the list, the form, and the page of a feed. */

const feedsOf = ({ id }: Pick<Writer, "id">) => `${CONSOLE_URL}/projects/${id}/feeds`;

const homeOf = ({ id }: Pick<Writer, "id">) => `${CONSOLE_URL}/projects/${id}`;

const blog = (here: Writer): Values => ({
  channels: String(here.channels[0]),
  name: "Our blog",
  url: "https://feeds.example.com/blog.xml",
  publish_mode: "queued",
  caption_text: "{title} {link}",
  picture: "yes",
});

async function create(here: Writer, values: Values = {}) {
  const form = await here.browser.go(`${feedsOf(here)}/new`);
  return send(here.browser, form, { ...blog(here), ...values }, { form: "/feeds" });
}

const Listed = z.object({ feeds: z.array(z.looseObject({ feed_id: z.number(), state: z.string() })) });
const listOf = async ({ project }: Writer) => Listed.parse((await project.call("GET", "/social/get-feeds")).body).feeds;

const GONE: FeedStop = { unit: "once", count: 1, last: answerProblem("feed_gone") };

const stop = ({ id }: Pick<Writer, "id">, reason: FeedStop) =>
  env.DB.prepare("UPDATE feeds SET state = 'stopped', stop_reason = ? WHERE project_id = ?")
    .bind(JSON.stringify(reason), id)
    .run();

describe("feeds", () => {
  test("are created once for each form, as by create-feed", async ({ expect }) => {
    const here = await writer("facebook");
    const form = await here.browser.go(`${feedsOf(here)}/new`);
    const made = [1, 2].map(() => send(here.browser, form, blog(here), { form: "/feeds" }));
    for (const page of await Promise.all(made)) expect(page.url).toMatch(/\/feeds\/\d+$/);
    const post = { channel_id: here.channels[0], caption_text: "{title} {link}", media_urls: ["{image}"] };
    expect(await listOf(here)).toMatchObject([
      { name: "Our blog", url: "https://feeds.example.com/blog.xml", publish_mode: "queued", posts: [post] },
    ]);
  });

  test.for([
    [{ url: "https://10.0.0.1/" }, "url must be a public address"],
    [{ caption_text: "" }, "caption_text"],
    [{ channels: [] }, "Choose at least one channel."],
  ] as const)("are refused as by create-feed: %o", async ([values, sentence], { expect }) => {
    const here = await writer("facebook");
    const page = await create(here, values);
    expect([page.status, page.html.includes(sentence)]).toEqual([422, true]);
    expect(await listOf(here)).toEqual([]);
  });

  test("have posts on several channels", async ({ expect }) => {
    const here = await writer("facebook", "twitter");
    await create(here, { channels: here.channels.map(String) });
    const posts = here.channels.map((id) => expect.objectContaining({ channel_id: id }));
    expect(await listOf(here)).toMatchObject([{ posts: expect.arrayContaining(posts) }]);
  });

  test("that were stopped are on the home page, and continue at another address", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await create(here);
    const home = () => here.browser.go(`${CONSOLE_URL}/projects/${here.id}`);
    const stoppedOn = ({ html }: { readonly html: string }) => load(html)("section[aria-label='Stopped feeds']");
    expect(stoppedOn(await home()).length).toBe(0);
    await stop(here, GONE);
    const shown = await home();
    expect(stoppedOn(shown).text()).toMatch(/Our blog.*The feed's server says that the feed is gone\./);
    expect([stoppedOn(shown).find("a.button").attr("href"), callsOf(shown)]).toEqual([new URL(page.url).pathname, 3]);
    const moveTo = (url: string) => send(here.browser, page, { url }, { form: "/address" });
    const refused = await moveTo("https://10.0.0.1/");
    expect([refused.status, refused.html.includes("url must be a public address")]).toEqual([422, true]);
    const url = "https://feeds.example.com/moved.xml";
    const moved = await moveTo(url);
    expect([moved.status, await listOf(here)]).toMatchObject([200, [{ url, state: "active" }]]);
    expect(stoppedOn(await home()).length).toBe(0);
  });

  test("say why they stopped, continue, pause, and are deleted", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await create(here);
    await stop(here, GONE);
    const stopped = await here.browser.go(page.url);
    expect(load(stopped.html)(".note.bad").text()).toContain("The feed's server says that the feed is gone.");
    const active = await here.browser.send(formTo(stopped, "/state"));
    expect((await listOf(here)).map(({ state }) => state)).toEqual(["active"]);
    await here.browser.send(formTo(active, "/state"));
    expect((await listOf(here)).map(({ state }) => state)).toEqual(["paused"]);
    const list = await here.browser.go(feedsOf(here));
    expect([list.html.includes("Our blog"), callsOf(list)]).toEqual([true, 2]);
    const left = await here.browser.send(formTo(page, "/delete"));
    expect([left.url, await listOf(here)]).toEqual([feedsOf(here), []]);
  });

  test("say in the language of the page why they stopped or failed", async ({ expect }) => {
    const here = await writer("facebook");
    const path = new URL((await create(here)).url).pathname;
    const german = newConsoleBrowser({ "Accept-Language": "de" });
    const reader = await signedIn({ email: newEmail(), project: here.project.name, role: "viewer" }, german);
    const said = async () => {
      const [page, home] = [await reader.go(CONSOLE_URL.replace("/console", path)), await reader.go(homeOf(here))];
      return [load(page.html)(".note.bad").text(), load(home.html)("main").text()];
    };
    const refused = { kind: "refused", code: "quota_exceeded", message: "100 posts wait." } as const;
    const { feeds } = await readTexts(env.ASSETS, "de");
    const problems = problemsIn("de");
    const problem = JSON.stringify(answerProblem("feed_status", 503));
    await env.DB.prepare("UPDATE feeds SET problem = ? WHERE project_id = ?").bind(problem, here.id).run();
    expect((await said())[0]).toBe(`${feeds.whyFailed} Der Server des Feeds antwortet mit Status 503.`);
    const stops: readonly FeedStop[] = [GONE, { unit: "readings", count: 10, last: refused }];
    const sentences = [
      "Der Server meldet, dass es den Feed nicht mehr gibt.",
      `${feeds.inARow.readings({ count: 10 })} ${problems?.codes.quota_exceeded} ${problems?.original({ 0: "100 posts wait." })}`,
    ];
    for (const [index, reason] of stops.entries()) {
      await stop(here, reason);
      const sentence = sentences[index] ?? "";
      expect(await said()).toEqual([`${feeds.whyStopped} ${sentence}`, expect.stringContaining(sentence)]);
    }
  });

  test("are shown to a viewer, and set up by editors alone", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await create(here);
    const browser = await signedIn({ email: newEmail(), project: here.project.name, role: "viewer" });
    const pages = [await browser.go(feedsOf(here)), await browser.go(page.url)];
    expect(pages.map(({ status, html }) => [status, load(html)("main form").length])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    const author = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    expect((await author.go(`${feedsOf(here)}/new`)).status).toBe(403);
  });
});
