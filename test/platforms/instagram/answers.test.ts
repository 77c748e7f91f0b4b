import { describe, test } from "vitest";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { accountContext, content, image, type Scripted, scriptedSend } from "../../scripted-send.ts";
import { expectLinearTime } from "../../support/cost.ts";

/** What Instagram's errors mean for a post that is being prepared, and what its captions may hold. */

const { posts, rules, usedUp } = instagram;
const ROOM: Scripted = { body: { data: [{ quota_usage: 0, config: { quota_total: 100, quota_duration: 86_400 } }] } };

async function refusal(error: object, status = 400, headers: Readonly<Record<string, string>> = {}) {
  const body = { error: { message: "Refused", type: "OAuthException", fbtrace_id: "A", ...error } };
  const { send } = scriptedSend(ROOM, { status, body, headers });
  return posts.prepare(accountContext(send), content("post", ["x", image("a.jpg")]), null);
}

test("the pair is not reliable: a subcode of seven digits decides alone, also in the code's place", async ({
  expect,
}) => {
  for (const error of [{ code: 1, error_subcode: 2207005 }, { code: 2207005 }]) {
    expect(await refusal(error, 500)).toMatchObject({ reason: "rejected", code: "media_invalid" });
  }
});

test("words that are written for people are passed on, with the numbers; a token is not", async ({ expect }) => {
  const said = { code: 36003, error_subcode: 2207009, error_user_msg: "Make it square." };
  expect(await refusal(said)).toMatchObject({
    message: expect.stringMatching(/Make it square\.” \(36003\/2207009\)$/),
  });
  const leaking = await refusal({ code: 190, error_subcode: 463, message: "Malformed access token IGAA123" });
  expect(JSON.stringify(leaking)).not.toContain("IGAA123");
});

test("the wait is the account's header's", async ({ expect }) => {
  const use = [
    { type: "instagram", call_count: 100, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 7 },
  ];
  const headers = { "x-business-use-case-usage": JSON.stringify({ "17841": use }) };
  expect(await refusal({ code: 80_002 }, 400, headers)).toMatchObject({ retryAfterSeconds: 420, limit: "account" });
  const answer = { kind: "answered", status: 200, headers: new Headers(headers), text: "{}", body: {} } as const;
  const call = { method: "GET", url: "https://graph.facebook.com/v27.0/17841" } as const;
  expect(usedUp?.(call, answer, 0)).toMatchObject({ scope: "account", until: 420_000 });
});

describe("a caption", () => {
  const text = rules({}).post?.text;
  const problems = (caption: string) => (text?.problems?.(caption) ?? []).map(({ message }) => message);
  const words = (mark: string, count: number) => Array.from({ length: count }, (_, at) => `${mark}word${at}`).join(" ");

  test("has thirty hashtags and twenty mentions at most", ({ expect }) => {
    expect(problems(`${words("#", 30)} ${words("@", 20)}`)).toEqual([]);
    expect(problems(words("#", 31))).toEqual(["must have at most 30 hashtags, not 31."]);
    expect(problems(words("@", 21))).toEqual(["must have at most 20 mentions, not 21."]);
  });

  test("counts neither addresses nor signs in words", ({ expect }) => {
    expect(problems(Array.from({ length: 40 }, (_, at) => `me${at}@example.com C# a#b &#39; @ #`).join("\n"))).toEqual(
      [],
    );
  });

  test.for(["#", "@", "a.", "#a", "@a ", "＃é", "a_"])("of %j only is counted in linear time", (piece, { expect }) => {
    const prepare = (size: number) => {
      const caption = piece.repeat(size / piece.length);
      return () => problems(caption);
    };
    expectLinearTime(expect, piece, { prepare, size: 40_000, budgetMs: 50 });
  });
});
