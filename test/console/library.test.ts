import { load } from "cheerio";
import { describe, test } from "vitest";
import { PNG } from "../support/media-files.ts";
import { createPost } from "../support/world.ts";
import { send as sendForm, valuesOf, writer } from "./compose/writer.ts";
import {
  CONSOLE_URL,
  callsOf,
  filled,
  formTo,
  newEmail,
  type Owned,
  owned,
  post,
  proofOf,
  signedIn,
} from "./console-browser.ts";

/** The media library in the console, and where a post takes a file of it. */

const libraryOf = ({ id }: Pick<Owned, "id">) => `${CONSOLE_URL}/projects/${id}/library`;

async function upload({ browser, id }: Pick<Owned, "browser" | "id">, name: string) {
  const body = new FormData();
  body.set("form", proofOf(await browser.go(`${CONSOLE_URL}/account`)));
  body.set("file", new File([PNG], name));
  return browser.go(libraryOf({ id }), { method: "POST", body });
}

async function describeFile(owner: Owned, url: string, values: Readonly<Record<string, string>>) {
  const page = await owner.browser.go(url);
  return owner.browser.send(filled(formTo(page, new URL(url).pathname), values));
}

const titlesOn = (html: string) =>
  load(html)(".library .name")
    .toArray()
    .map((name) => load(html)(name).text());

describe("the media library", () => {
  test("keeps an uploaded file, describes it as keep-media, and finds it", async ({ expect }) => {
    const owner = await owned();
    const buns = await upload(owner, "buns.png");
    const name = buns.url.split("/").at(-1) ?? "";
    expect(buns.html).toContain("The file is kept.");
    const saved = await describeFile(owner, buns.url, {
      title: "Saffron buns",
      alt_text: "Buns on a table",
      tags: " bakery, friday ,bakery,",
    });
    expect(saved.html).toContain("The file is saved.");
    expect(callsOf(saved)).toBe(2);
    expect((await owner.project.call("GET", `/social/get-media/${name}`)).body).toMatchObject({
      media: { title: "Saffron buns", alt_text: "Buns on a table", tags: ["bakery", "friday"], in_library: true },
    });
    await upload(owner, "bike.png");
    const list = await owner.browser.go(libraryOf(owner));
    expect([titlesOn(list.html), callsOf(list)]).toEqual([["bike", "Saffron buns"], 2]);
    const found = async (query: string) => titlesOn((await owner.browser.go(`${libraryOf(owner)}?${query}`)).html);
    expect(await found("search=TABLE")).toEqual(["Saffron buns"]);
    expect(await found("tag=friday&kind=image")).toEqual(["Saffron buns"]);
    expect(await found("kind=video")).toEqual([]);
  });

  test("refuses what keep-media refuses, with what was written", async ({ expect }) => {
    const owner = await owned();
    const { url } = await upload(owner, "buns.png");
    const refused = await describeFile(owner, url, { title: "x".repeat(201) });
    expect([refused.status, load(refused.html)("#title-error").text()]).toEqual([422, expect.stringContaining("200")]);
    expect(refused.html).toContain("x".repeat(201));
  });

  test("names the posts that need a file, and deletes it once there are none", async ({ expect }) => {
    const owner = await owned();
    const [channel = 0] = await owner.project.connect("facebook");
    const { url } = await upload(owner, "buns.png");
    const address = load((await owner.browser.go(url)).html)("img.shown").attr("src") ?? "";
    const content = { caption_text: "Buns", media_urls: [address], publish_mode: "draft" };
    const id = await createPost(owner.project, { channel_type: "facebook", channel_id: channel }, content);
    const used = await owner.browser.go(url);
    expect(load(used.html)(`a[href$='/posts/${id}']`).text()).toBe(`Post ${id}`);
    const path = new URL(url).pathname.replace("/console", "");
    const refused = await post(owner.browser, `${path}/delete`, { form: proofOf(used) });
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining(`Posts need this file: ${id}.`)]);
    await owner.project.call("DELETE", `/social/delete-post/${id}`);
    const done = await owner.browser.send(formTo(await owner.browser.go(url), "/delete"));
    expect([done.url, done.html]).toEqual([libraryOf(owner), expect.stringContaining("The file is deleted.")]);
    expect((await owner.browser.go(url)).status).toBe(404);
  });

  test("shows a viewer everything, without forms that act", async ({ expect }) => {
    const owner = await owned();
    const { url } = await upload(owner, "buns.png");
    const viewer = await signedIn({ email: newEmail(), project: owner.project.name, role: "viewer" });
    const pages = [await viewer.go(libraryOf(owner)), await viewer.go(url)];
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    for (const { html } of pages) expect(load(html)("main form[method=post]")).toHaveLength(0);
  });
});

describe("the composer", () => {
  test("takes a file of the library with its alt text, and loses nothing", async ({ expect }) => {
    const here = await writer("facebook");
    const { url } = await upload(here, "buns.png");
    await describeFile(here, url, { title: "Saffron buns", alt_text: "Buns on a table" });
    await upload(here, "bike.png");
    const form = await here.browser.go(`${CONSOLE_URL}/projects/${here.id}/compose`);
    const values = { channel: String(here.channels[0]), caption_text: "Warm.", library_search: "buns" };
    const open = await sendForm(here.browser, form, values, { to: "/compose/library" });
    expect(titlesOn(open.html)).toEqual(["Saffron buns"]);
    const name = load(open.html)("button[name=library_file]").attr("value") ?? "";
    const taken = await sendForm(here.browser, open, { library_file: name }, { to: "/compose/library" });
    const shown = valuesOf(taken, "/compose");
    expect(shown).toContainEqual(["alt_text", "Buns on a table"]);
    expect(shown).toContainEqual(["caption_text", "Warm."]);
    expect(shown).toContainEqual(["channel", String(here.channels[0])]);
    expect(shown.filter(([field, value]) => field === "media_url" && value !== "")).toEqual([
      ["media_url", expect.stringContaining(name)],
    ]);
  });
});
