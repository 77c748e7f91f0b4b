import { env } from "cloudflare:workers";
import { load } from "cheerio";
import { describe, test } from "vitest";
import { z } from "zod";
import { painted } from "../../support/pictures.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { send, writer } from "../compose/writer.ts";
import { CONSOLE_URL, formTo, type Owned, owned, proofOf } from "../console-browser.ts";

/** A part of a picture, which the browser makes, becomes a new file of the library. */

const libraryOf = ({ id }: Pick<Owned, "id">) => `${CONSOLE_URL}/projects/${id}/library`;

async function sentPart(owner: Owned, name: string, values: Readonly<Record<string, string>>) {
  const body = new FormData();
  body.set("form", proofOf(await owner.browser.go(`${CONSOLE_URL}/account`)));
  for (const [field, value] of Object.entries(values)) body.set(field, value);
  body.set("file", new File([await painted(40, 30)], "part.jpg"));
  return owner.browser.go(`${libraryOf(owner)}/${name}/crop`, { method: "POST", body });
}

const Media = z.object({
  media: z.array(z.object({ media_id: z.string(), title: z.string(), alt_text: z.unknown() })),
});

async function mediaOf({ project }: Owned) {
  return Media.parse((await project.call("GET", "/social/get-media")).body).media;
}

const nameIn = (url: string) => /\/(\w{32})\.\w+$/.exec(url)?.[1] ?? "";

describe("a part of a picture", () => {
  test("is a new file of the library, with the description of the whole, made once for a form", async ({ expect }) => {
    const owner = await owned();
    const { url } = await uploaded(owner.project, await sample("square.png"));
    const name = nameIn(url);
    const entry = { title: "Buns", alt_text: "Buns on a table", tags: ["bakery"] };
    await owner.project.call("PUT", `/social/update-media/${name}`, { body: entry });
    const key = "abcdefghijklmnopqrstuv";
    const made = await sentPart(owner, name, { key, area: "0,0,40,30" });
    expect(load(made.html)("main").text()).toContain("The part is saved as a new file.");
    expect(load(made.html)("img.shown").attr("alt")).toBe("Buns on a table");
    expect(made.url).toMatch(/\/library\/\w{32}$/);
    expect(made.url).not.toContain(name);
    await sentPart(owner, name, { key, area: "0,0,40,30" });
    expect((await mediaOf(owner)).map(({ title }) => title)).toEqual(["Buns", "Buns"]);
    await sentPart(owner, name, { key, area: "1,0,40,30", alt_text: "One bun" });
    const all = await mediaOf(owner);
    expect([all.length, all[0]?.alt_text]).toEqual([3, "One bun"]);
  });

  test("of a generated picture counts as generated", async ({ expect }) => {
    const owner = await owned();
    const { url } = await uploaded(owner.project, await sample("square.png"));
    const name = nameIn(url);
    await env.DB.prepare("UPDATE files SET is_generated = 1 WHERE name = ?").bind(name).run();
    const made = await sentPart(owner, name, { area: "0,0,40,30" });
    const part = made.url.split("/").at(-1) ?? "";
    const row = await env.DB.prepare("SELECT is_generated FROM files WHERE name = ?").bind(part).first();
    expect(row).toEqual({ is_generated: 1 });
  });

  test("of a file of another project, or without a place, is refused", async ({ expect }) => {
    const [owner, other] = [await owned(), await owned()];
    const { url } = await uploaded(other.project, await sample("square.png"));
    expect((await sentPart(owner, nameIn(url), { area: "0,0,40,30" })).status).toBe(404);
    const own = await uploaded(owner.project, await sample("square.png"));
    expect((await sentPart(owner, nameIn(own.url), { area: "all" })).status).toBe(422);
    expect(await mediaOf(owner)).toEqual([]);
  });
});

describe("the composer", () => {
  test("offers the crop of a picture whose ratio is refused, with what the channel takes", async ({ expect }) => {
    const here = await writer("instagram");
    const [instagram = 0] = here.channels;
    const { url } = await uploaded(here.project, await painted(1600, 400));
    const page = await here.browser.go(`${CONSOLE_URL}/projects/${here.id}/compose`);
    const values = { channel: String(instagram), caption_text: "Wide", media_url: url, publish_mode: "now" };
    const refused = await send(here.browser, page, values, { to: "/compose/check" });
    const $ = load(refused.html);
    expect($("#report").text()).toContain("ratio of 4");
    expect($("#report").text()).toContain("Choose the part that is shown.");
    const button = $("#report [data-crop]");
    expect([button.attr("data-crop"), button.attr("data-crop-min"), button.attr("data-crop-max")]).toEqual([
      url,
      "0.75",
      "1.91",
    ]);
    expect($("dialog#crop form").length).toBe(1);
    expect(formTo(refused, `/console/projects/${here.id}/library`)).toBeDefined();
  });

  test("asks to upload a picture that is elsewhere", async ({ expect }) => {
    const here = await writer("instagram");
    const [instagram = 0] = here.channels;
    const url = "https://sandbox.test/_media/wide.jpg";
    const page = await here.browser.go(`${CONSOLE_URL}/projects/${here.id}/compose`);
    const values = { channel: String(instagram), caption_text: "Wide", media_url: url, publish_mode: "now" };
    const refused = await send(here.browser, page, values, { to: "/compose/check" });
    expect(load(refused.html)("#report").text()).toContain("Upload it here to choose the part that is shown.");
    expect(load(refused.html)("#report [data-crop]").length).toBe(0);
  });
});
