import { load } from "cheerio";
import { describe, test } from "vitest";
import type { Page } from "../../support/browser.ts";
import { ascii, PNG } from "../../support/media-files.ts";
import { largeVideo, sample } from "../../support/uploads.ts";
import { CONSOLE_URL, newEmail, type Owned, owned, proofOf, signedIn } from "../console-browser.ts";

/** Files in the form of a new post, as a browser sends them with and without scripts. */

const MIB = 1024 * 1024;

async function send({ browser, id }: Owned, fields: Readonly<Record<string, string | Blob>>): Promise<Page> {
  const body = new FormData();
  body.set("form", proofOf(await browser.go(`${CONSOLE_URL}/account`)));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return browser.go(`${CONSOLE_URL}/projects/${id}/compose/upload`, { method: "POST", body });
}

const valuesOf = ({ html }: Page, name: string): string[] => {
  const $ = load(html);
  const inputs = $(`input[name=${name}]`).toArray();
  return inputs.map((input) => $(input).attr("value") ?? "").filter((value) => value !== "");
};
const fileOf = (bytes: Uint8Array<ArrayBuffer>) => new File([bytes], "file");

async function withChannel(): Promise<Owned> {
  const owner = await owned();
  await owner.project.connect("facebook");
  return owner;
}

describe("a file of the form", () => {
  test("becomes one of the media, beside the earlier ones", async ({ expect }) => {
    const here = await withChannel();
    const first = await send(here, { file: fileOf(PNG), caption_text: "Kept." });
    const [url = ""] = valuesOf(first, "media_url");
    expect([first.status, url]).toEqual([200, expect.stringMatching(/\/media\/\w+\.png$/)]);
    expect(first.html).toContain("Kept.");
    const second = await send(here, { file: fileOf(PNG), media_url: url, alt_text: "A bun" });
    expect(valuesOf(second, "media_url")).toEqual([url, expect.stringMatching(/\.png$/)]);
    expect(valuesOf(second, "alt_text")).toEqual(["A bun"]);
  });

  test("that no platform takes is refused in the words of upload-media", async ({ expect }) => {
    const page = await send(await withChannel(), { file: fileOf(ascii("no picture")) });
    expect(page.status).toBe(422);
    expect(load(page.html)("#file-error").text()).not.toBe("");
    expect(valuesOf(page, "media_url")).toEqual([]);
  });

  test("that is large comes in parts", async ({ expect }) => {
    const here = await withChannel();
    const video = await largeVideo(20 * MIB);
    const begun = await send(here, { upload_step: "begin", upload_bytes: String(video.byteLength) });
    const [id = ""] = valuesOf(begun, "upload_id");
    for (const number of [1, 2]) {
      const file = fileOf(video.slice((number - 1) * 16 * MIB, number * 16 * MIB));
      const part = await send(here, { upload_step: "part", upload_id: id, part_number: String(number), file });
      expect([part.status, valuesOf(part, "upload_id")]).toEqual([200, [id]]);
    }
    const done = await send(here, { upload_step: "complete", upload_id: id });
    expect(valuesOf(done, "media_url")).toEqual([expect.stringMatching(/\.mp4$/)]);
  });

  test("is not taken from a viewer, nor an upload of another project", async ({ expect }) => {
    const [here, other] = [await withChannel(), await withChannel()];
    const viewer = await signedIn({ email: newEmail(), project: here.project.name, role: "viewer" });
    expect((await send({ ...here, browser: viewer }, { file: fileOf(await sample("picture.jpg")) })).status).toBe(403);
    const [id = ""] = valuesOf(await send(other, { upload_step: "begin", upload_bytes: "1000" }), "upload_id");
    expect((await send(here, { upload_step: "complete", upload_id: id })).status).toBe(404);
  });
});
