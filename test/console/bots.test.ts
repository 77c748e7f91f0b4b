import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { formsOf } from "../support/browser.ts";
import { CONSOLE_URL, callsOf, filled, formTo, newEmail, type Owned, owned, signedIn } from "./console-browser.ts";

const botsOf = ({ id }: Owned) => `${CONSOLE_URL}/projects/${id}/bots`;
const textOf = (html: string) => load(html)("main").text();

const VALUES = {
  name: "Prices",
  target_type: "all",
  trigger_type: "keywords",
  keywords: "price\nhow much",
  response_type: "comment",
  comment_reply: "Five euros.",
  direct_message: "",
  response_time: "instant",
  ai_enable: "no",
  frequency: "once",
};

async function opened() {
  const owner = await owned();
  const [channel] = await owner.project.connect("facebook");
  const page = await owner.browser.go(`${botsOf(owner)}/new`);
  const send = (values: Readonly<Record<string, string>> = {}) =>
    owner.browser.send(filled(formTo(page, "/bots"), { ...VALUES, channels: String(channel), ...values }));
  return { owner, channel, page, send };
}

const found = async ({ project }: Owned, url: string) =>
  (await project.call("GET", `/social/get-comment-automation/${url.split("/").at(-1)}`)).body;

describe("a bot", () => {
  test("is built with the fields of the API, and active at once", async ({ expect }) => {
    const { owner, channel, page, send } = await opened();
    expect(callsOf(page)).toBe(2);
    const made = await send({ response_time: "delayed", delay_time: "60", ai_enable: "yes" });
    expect(made.html).toContain("The bot is active.");
    expect(await found(owner, made.url)).toMatchObject({
      comment_bot: {
        name: "Prices",
        channels: [channel],
        triggers: ["price", "how much"],
        response: { comment_responses: ["Five euros."] },
        delay_time: 60,
        reply_frequency: "once",
        ai_enable: "yes",
        ai_settings: { disclose: "yes" },
      },
    });
  });

  test.for([
    [404, { channels: "999999" }, "channels.0 must be a connected channel of this project"],
    [422, { keywords: "" }, "keywords must have at least 1 entry"],
    [404, { target_type: "posts", post_ids: "12" }, "post_ids.0 must be a published post of these channels"],
    [422, { target_type: "posts", post_ids: "twelve" }, "post_ids.0 must be a whole number"],
    [422, { response_time: "delayed", delay_time: "-1" }, "delay_time must be at least 0"],
  ] as const)("is refused with %d in the API's words: %o", async ([status, values, sentence], { expect }) => {
    const { send } = await opened();
    const refused = await send(values);
    expect([refused.status, load(refused.html)(".error").text()]).toEqual([status, expect.stringContaining(sentence)]);
  });

  test("says in the page's language what it cannot do", async ({ expect }) => {
    const { owner, send } = await opened();
    const [unpaired] = await owner.project.connect("youtube");
    await owner.browser.send(
      filled(formTo(await owner.browser.go(`${CONSOLE_URL}/account`), "/language"), { language: "de" }),
    );
    const made = await send({ channels: String(unpaired), response_type: "both" });
    const text = textOf(made.html);
    expect(text).toContain("Der Bot ist aktiv. Er sendet keine Direktnachricht: Ihm fehlt ein Text dafür");
    expect(text).toMatch(/Auf .+ \(youtube\) gibt es keine Direktnachrichten: Er antwortet dort nur öffentlich\./);
  });

  test("is changed, paused, resumed and deleted", async ({ expect }) => {
    const { owner, channel, send } = await opened();
    const { url } = await send();
    const path = new URL(url).pathname;
    const edit = await owner.browser.go(`${url}/edit`);
    await owner.browser.send(filled(formTo(edit, path), { ...VALUES, channels: String(channel), name: "Offers" }));
    expect(await found(owner, url)).toMatchObject({ comment_bot: { name: "Offers" } });
    const press = async (end: string) => owner.browser.send(formTo(await owner.browser.go(url), end));
    expect((await press("/state")).html).toContain("The bot is paused.");
    expect((await press("/state")).html).toContain("The bot is active.");
    expect((await press("/delete")).html).toContain("“Offers” was deleted.");
    expect((await owner.browser.go(url)).status).toBe(404);
  });

  test("is tried without sending anything", async ({ expect }) => {
    const { owner, send } = await opened();
    const { url } = await send();
    const page = await owner.browser.go(`${url}/trial`);
    expect(formsOf(page).some(({ method }) => method === "GET")).toBe(false);
    const form = formsOf(page).find(({ action }) => action.endsWith("/trial"));
    if (!form) throw new Error("The page has no form.");
    const tried = (text: string) => owner.browser.send(filled(form, { text, author: "" }));
    const answered = await tried("How MUCH is it?");
    for (const part of ["Matched keyword: how much", "Five euros."]) expect(textOf(answered.html)).toContain(part);
    expect(textOf((await tried("Lovely!")).html)).toContain("None of the keywords is in the comment.");
  });
});

test("the log has each comment with its answer or the reason for none, also for viewers", async ({ expect }) => {
  const { owner, send } = await opened();
  const { url } = await send();
  const bot = Number(url.split("/").at(-1));
  const [first, ...others] = [
    ["How much?", "replied", null, "Answered.", { state: "sent", text: "Five euros.", id: "c1", at: Date.now() }],
    ["Lovely!", "skipped", "no_keyword", "None of the keywords is in the comment.", null],
    ["Price?", "failed", "platform_rejected", "The platform refused the answer.", null],
  ] as const;
  for (const [at, [text, outcome, reason, message, part]] of [first, ...others].entries()) {
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO comments (project_id, channel_id, post_id, comment_id, author_name, text, created_at, seen_at) VALUES (?, 1, ?, ?, ?, ?, ?, 1)",
      ).bind(owner.id, 1000 + bot, `log-${at}`, "Ada Reader", text, Date.now()),
      env.DB.prepare(
        `INSERT INTO replies (project_id, automation_id, post_id, comment_id, outcome, reason, message, comment_part,
          due_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 1, 1)`,
      ).bind(owner.id, bot, 1000 + bot, `log-${at}`, outcome, reason, message, part && JSON.stringify(part)),
    ]);
  }
  const viewer = await signedIn({ email: newEmail(), project: owner.project.name, role: "viewer" });
  const page = await viewer.go(url);
  const text = textOf(page.html);
  for (const part of ["Five euros.", "None of the keywords", "Skipped", "refused the answer", "Ada Reader"]) {
    expect(text).toContain(part);
  }
  expect(callsOf(page)).toBe(3);
  expect(formsOf(page).filter(({ action }) => action.includes("/bots/"))).toEqual([]);
});
