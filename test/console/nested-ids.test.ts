import { load } from "cheerio";
import { beforeAll, describe, test } from "vitest";
import type { Page } from "../support/browser.ts";
import { sample, uploaded, uploadIn } from "../support/uploads.ts";
import { createPost } from "../support/world.ts";
import { send, type Values, type Writer, writer } from "./compose/writer.ts";
import { CONSOLE_URL, proofOf } from "./console-browser.ts";

/** Ids of another project that form-ids.test.ts finds in no page: answered like ids that do not exist. */

let own: Writer;
let other: Writer;
beforeAll(async () => {
  [own, other] = [await writer("facebook"), await writer("facebook")];
});

const pathOf = (end: string) => `${CONSOLE_URL}/projects/${own.id}${end}`;
const shownBy = ({ status, html }: Page, id: string) => [status, load(html)("main").text().replaceAll(id, "ID")];

describe("an upload of another project", () => {
  test.for([
    ["/compose", "/compose"],
    ["/series/new", "/series/new"],
    ["/library", "/library"],
  ] as const)("cannot be continued in the form of %s", async ([path, form], { expect }) => {
    const begun = await other.project.call("POST", "/social/create-upload", { body: { bytes: 6_000_000 } });
    const id = uploadIn(begun).upload_id;
    const page = await own.browser.go(pathOf(path));
    const answerTo = async (upload_id: string) => {
      const values = { upload_id, upload_step: "complete", upload_name: "a.png", channel: String(own.channels[0]) };
      return shownBy(await send(own.browser, page, values, { form }), upload_id);
    };
    const foreign = await answerTo(id);
    expect(foreign[0]).toBe(404);
    expect(foreign).toEqual(await answerTo("x".repeat(id.length)));
    const progress = await other.project.call("GET", `/social/get-upload/${id}`);
    expect(uploadIn(progress).received).toEqual([]);
  });
});

test("a row of a file of posts with a channel of another project is refused", async ({ expect }) => {
  const answerTo = async (channel: number) => {
    const body = new FormData();
    body.set("form", proofOf(await own.browser.go(`${CONSOLE_URL}/account`)));
    body.set("file", new File([`channel_id,caption_text\n${channel},Bread`], "posts.csv"));
    const { status, html } = await own.browser.go(pathOf("/imports"), { method: "POST", body });
    const rows = load(html)("section[aria-label] tbody tr").text().replace(`not ${channel}:`, "not ID:");
    return [status, rows];
  };
  const foreign = await answerTo(other.channels[0] ?? 0);
  expect(foreign).toEqual([200, expect.stringContaining("channel_id")]);
  expect(foreign).toEqual(await answerTo(8_999_999));
});

test("a series with a file of another project for one of its texts is refused, with the form", async ({ expect }) => {
  const file = (await uploaded(other.project, await sample("square.png"))).url;
  const FORM = { form: "/series/new" };
  const values: Values = {
    channel: String(own.channels[0]),
    caption_text: "Rye\n---\nSpelt",
    freq: "DAILY",
    interval: "1",
    start_date: "2030-03-25",
    start_clock: "08:00",
    end: "never",
  };
  const answerTo = async (media_url: string) => {
    const page = await own.browser.go(pathOf("/series/new"));
    const dates = await send(own.browser, page, { ...values, media_url }, { ...FORM, to: "/series/new/preview" });
    const { status, html } = await send(own.browser, dates, { media_url }, FORM);
    return [status, load(html)("form[action$='/series/new']").length, load(html)("[role=alert]").text()];
  };
  const foreign = await answerTo(file);
  expect(foreign).toEqual([404, 1, expect.stringMatching(/./)]);
  const listed = await own.project.call("GET", "/social/get-series");
  expect(listed.body).toMatchObject({ series: [] });
});

test("a campaign for a post of another project shows the choice of posts with the error", async ({ expect }) => {
  const [channel_id = 0] = other.channels;
  const draft = { caption_text: "Bread", publish_mode: "draft" };
  const id = await createPost(other.project, { channel_type: "facebook", channel_id }, draft);
  const proof = proofOf(await own.browser.go(`${CONSOLE_URL}/account`));
  const body = new URLSearchParams({ form: proof, social_post_id: String(id), act: "interests" });
  const { status, html } = await own.browser.go(pathOf("/campaigns"), { method: "POST", body });
  const $ = load(html);
  expect([status, $("h1").text(), $("[role=alert]").text()]).toEqual([
    404,
    "Boost a post",
    expect.stringContaining(String(id)),
  ]);
});
