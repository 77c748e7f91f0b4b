import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import type { Page } from "../../support/browser.ts";
import { queuesIdle } from "../../support/queue.ts";
import { CONSOLE_URL, callsOf, newEmail, signedIn } from "../console-browser.ts";
import { open, postsOf, send, text, valuesOf, type Writer, writer } from "./writer.ts";

/** "Write with AI": generations that are begun and used in the form of a new post. */

const generate = (here: Writer, page: Page, type: string) =>
  send(
    here.browser,
    page,
    {
      input: "Saffron buns on Fridays",
      generate: type,
      caption_text: "My own text",
      channel: String(here.channels[0]),
    },
    { to: "/compose/generate" },
  );
const uuidOf = (page: Page) => Object.fromEntries(valuesOf(page, "/compose")).generation ?? "";
const begun = async ({ id }: Writer) =>
  env.DB.prepare("SELECT count(*) AS n FROM generations WHERE project_id = ?").bind(id).first<number>("n");

describe("a generation in the composer", () => {
  test("shows its price first, keeps what was written, shows its progress, and fills the form", async ({ expect }) => {
    const here = await writer("facebook");
    const page = await open(here);
    expect(text(page)).toMatch(/Free for this project.*0 of today's \d+ generations are used/);
    const started = await generate(here, page, "ai_image_post");
    expect(text(started)).toContain("In progress");
    const kept = Object.fromEntries(valuesOf(started, "/compose"));
    expect([kept.caption_text, kept.channel]).toEqual(["My own text", String(here.channels[0])]);
    // The same form again starts nothing new.
    expect(uuidOf(await generate(here, page, "ai_image_post"))).toBe(uuidOf(started));
    expect(await begun(here)).toBe(1);
    await queuesIdle();
    const ready = await send(here.browser, started, {}, { form: "/compose", to: "/compose/generation" });
    // One of them reads the session before the form, which may have a file.
    expect([text(ready), callsOf(ready) <= 4]).toEqual([expect.stringContaining("The result is ready."), true]);
    const used = await send(here.browser, ready, { use: "all" }, { to: "/compose/use" });
    const fields = valuesOf(used, "/compose");
    const all = (name: string) => fields.flatMap(([one, value]) => (one === name && value !== "" ? [value] : []));
    const { html } = used;
    expect(all("caption_text")[0]).not.toBe("My own text");
    expect([all("media_url").length, all("alt_text").length, all("declared")]).toEqual([1, 1, ["made_with_ai"]]);
    expect(load(html)("#generation img").attr("alt")).toBe(all("alt_text")[0]);
    await send(here.browser, used, { publish_mode: "draft" });
    expect(await postsOf(here)).toMatchObject([{ declared: { made_with_ai: true }, alt_texts: all("alt_text") }]);
  });

  test("is opened by its address, also by an author, who starts none", async ({ expect }) => {
    const here = await writer("facebook");
    const uuid = uuidOf(await generate(here, await open(here), "ai_banner_post"));
    await queuesIdle();
    const browser = await signedIn({ email: newEmail(), project: here.project.name, role: "author" });
    const page = await browser.go(`${CONSOLE_URL}/projects/${here.id}/compose?generation=${uuid}`);
    const fields = valuesOf(page, "/compose");
    expect(fields.filter(([name, value]) => name === "media_url" && value !== "")).toHaveLength(2);
    expect(fields.find(([name]) => name === "caption_text")?.[1]).not.toBe("");
    expect([callsOf(page) <= 3, load(page.html)("[name=input]").length]).toEqual([true, 0]);
  });

  test("of another project is 404, to open and to use", async ({ expect }) => {
    const [here, other] = [await writer("facebook"), await writer("facebook")];
    const uuid = uuidOf(await generate(other, await open(other), "text_only"));
    await queuesIdle();
    for (const named of [uuid, crypto.randomUUID(), "x"]) {
      const address = `${CONSOLE_URL}/projects/${here.id}/compose?generation=${named}`;
      expect((await here.browser.go(address)).status).toBe(404);
      const use = await send(
        here.browser,
        await open(here),
        { generation: named, use: "text" },
        { to: "/compose/use" },
      );
      expect(use.status).toBe(404);
    }
  });

  test("is refused in the words of the API", async ({ expect }) => {
    const here = await writer("facebook");
    const values = { input: " ", generate: "text_only" };
    const refused = await send(here.browser, await open(here), values, { to: "/compose/generate" });
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining("input must not be blank.")]);
  });
});
