import { load } from "cheerio";
import { afterEach, beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { calm } from "../../contract/world.ts";
import type { Page } from "../../support/browser.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { calmTiktok } from "../../support/tiktok.ts";
import { CONSOLE_URL, formTo, type Owned, owned } from "../console-browser.ts";

/** TikTok's posting page against every answer of creator_info, by the Content Sharing Guidelines. */

beforeEach(calmTiktok);
afterEach(async () => {
  await calm();
  await calmTiktok();
});

interface Creator extends Owned {
  readonly page: string;
}

const Account = z.object({ id: z.string() });

async function creator(...tasks: readonly string[]): Promise<Creator> {
  const owner = await owned();
  const account = await sandbox.control("POST", "accounts", { platform: "tiktok", name: "Nut & Bolt", tasks });
  const [channel = 0] = await owner.project.connect("tiktok", [Account.parse(account).id]);
  return { ...owner, page: `/projects/${owner.id}/compose/tiktok/${channel}` };
}

const open = ({ browser, page }: Creator): Promise<Page> => browser.go(`${CONSOLE_URL}${page}`);
const text = ({ html }: Page) => load(html)("main").text().replace(/\s+/g, " ");

/** Sends the form with only these choices. */
async function send(here: Creator, values: Readonly<Record<string, string>>, end = ""): Promise<Page> {
  const form = formTo(await open(here), here.page);
  const hidden = form.fields.filter(({ type }) => type === "hidden").map(({ name, value }) => [name, value]);
  const usual = { caption_text: crypto.randomUUID(), media_url: media("reel.mp4"), publish_mode: "draft" };
  const body = new URLSearchParams(hidden);
  for (const [name, value] of Object.entries({ ...usual, ...values })) body.set(name, value);
  return here.browser.go(`${CONSOLE_URL}${here.page}${end}`, { method: "POST", body });
}

async function stored({ project }: Creator) {
  const answer = await project.call("GET", "/social/get-posts?channels=tiktok&include=content");
  const Post = z.object({ options: z.unknown(), declared: z.unknown() });
  return z.object({ posts: z.object({ data: z.array(Post) }) }).parse(answer.body).posts.data;
}

describe("the page", () => {
  test.for([
    ["a public account", [], ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"], []],
    [
      "a private account",
      ["private"],
      ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
      ["duets", "stitches"],
    ],
    ["no comments", ["no_comments"], null, ["comments"]],
    ["no duets", ["no_duets"], null, ["duets"]],
    ["no stitches", ["no_stitches"], null, ["stitches"]],
    ["nothing allowed", ["no_comments", "no_duets", "no_stitches"], null, ["comments", "duets", "stitches"]],
    ["short videos only", ["max:60"], null, []],
  ] as const)(
    "of %s offers what creator_info says, with nothing chosen",
    async ([name, tasks, levels, off], { expect }) => {
      const here = await creator(...tasks);
      const page = await open(here);
      const $ = load(page.html);
      expect(text(page)).toContain("Posting as Nut & Bolt");
      const options = $("select[name=privacy_level] option").toArray();
      expect($("select[name=privacy_level] option[selected]").attr("value")).toBe("");
      const offered = options.map((option) => $(option).attr("value")).filter((value) => value !== "");
      expect(offered).toEqual(levels ?? ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]);
      const isOff = (one: string) => $(`input[name=${one}]`).attr("disabled") !== undefined;
      const disabled = ["comments", "duets", "stitches"].filter(isOff);
      // TikTok documents the options of a private account, and not whether it takes duets.
      if (name !== "a private account") expect(disabled).toEqual(off);
      expect($("input[type=checkbox][checked]")).toHaveLength(0);
      expect(text(page)).toContain(`A video may have at most ${name === "short videos only" ? 60 : 600} seconds.`);
      for (const words of [
        "By posting, you agree to TikTok's Music Usage Confirmation.",
        "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
        "Your photo/video will be labeled as 'Promotional content'",
        "Your photo/video will be labeled as 'Paid partnership'",
        "it may take a few minutes",
      ]) {
        expect(text(page)).toContain(words);
      }
      expect($(".consent a").first().attr("href")).toContain("music-usage-confirmation");
    },
  );

  test("of an account that cannot post now says so, and its button is off", async ({ expect }) => {
    const here = await creator("banned");
    const page = await open(here);
    expect(text(page)).toContain("This account cannot post now. Try again later.");
    expect(load(page.html)(".publish").attr("disabled")).toBeDefined();
    const answer = await send(here, { privacy_level: "SELF_ONLY" });
    expect(answer.status).toBe(422);
    expect(await stored(here)).toEqual([]);
  });
});

describe("the form", () => {
  test("needs a choice of who may see the post, and stores what was chosen", async ({ expect }) => {
    const here = await creator("no_duets");
    const refused = await send(here, {});
    expect([refused.status, text(refused)]).toEqual([422, expect.stringContaining("Choose who can view this post.")]);
    const foreign = await send(here, { privacy_level: "FOLLOWER_OF_CREATOR" });
    expect(foreign.status).toBe(422);
    expect(await stored(here)).toEqual([]);
    expect((await send(here, { privacy_level: "SELF_ONLY", comments: "on", duets: "on" })).status).toBe(200);
    expect(await stored(here)).toMatchObject([
      {
        options: { privacy_level: "SELF_ONLY", comments: true, duets: false, stitches: false, consent_given: true },
        declared: { own_brand: false, paid_partnership: false },
      },
    ]);
  });

  test("requires the promoted brand, and keeps branded content from being private", async ({ expect }) => {
    const here = await creator();
    const undecided = await send(here, { privacy_level: "PUBLIC_TO_EVERYONE", disclose: "on" });
    expect(text(undecided)).toContain(
      "You need to indicate if your content promotes yourself, a third party, or both.",
    );
    const paid = { disclose: "on", paid_partnership: "on" };
    const hidden = await send(here, { privacy_level: "SELF_ONLY", ...paid });
    expect([undecided.status, hidden.status]).toEqual([422, 422]);
    expect(load(hidden.html)("#privacy_level-error").text()).toBe(
      "Branded content visibility cannot be set to private.",
    );
    expect(await stored(here)).toEqual([]);
    await send(here, { privacy_level: "PUBLIC_TO_EVERYONE", ...paid });
    expect(await stored(here)).toMatchObject([{ declared: { paid_partnership: true, own_brand: false } }]);
  });

  test("refuses a video that is longer than the account may post", async ({ expect }) => {
    const here = await creator("max:1");
    const answer = await send(here, { privacy_level: "SELF_ONLY" });
    expect([answer.status, text(answer)]).toEqual([422, expect.stringContaining("this account may post at most 1.")]);
    expect(await stored(here)).toEqual([]);
  });

  test("stays as it was filled in when it is checked", async ({ expect }) => {
    const here = await creator();
    const checked = await send(here, { privacy_level: "MUTUAL_FOLLOW_FRIENDS", comments: "on" }, "/check");
    const $ = load(checked.html);
    expect(checked.status).toBe(200);
    expect($("select[name=privacy_level] option[selected]").attr("value")).toBe("MUTUAL_FOLLOW_FRIENDS");
    expect($("input[name=comments]").attr("checked")).toBeDefined();
    expect(await stored(here)).toEqual([]);
  });
});
