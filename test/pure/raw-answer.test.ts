import fc from "fast-check";
import { describe, test } from "vitest";
import { toRawAnswer } from "../../src/platforms/raw-answer.ts";
import type { Answered } from "../../src/platforms/request.ts";

/** What of a platform's answer may be shown: pure. */
const call = { method: "POST", url: "https://api.example.com/v1/posts?access_token=never" } as const;

function answered(text: string, headers: Record<string, string> = {}): Answered {
  return { kind: "answered", status: 400, headers: new Headers(headers), text, body: null };
}

describe("an answer in the timeline", () => {
  test("shows no secret that is known, wherever it stands, and is bounded", ({ expect }) => {
    const letters = fc.constantFrom(..."abcXYZ019-_.~");
    const secret = fc.string({ unit: letters, minLength: 8, maxLength: 300 });
    const words = fc.string({ maxLength: 6_000 });
    fc.assert(
      fc.property(words, secret, words, (before, hidden, after) => {
        const text = `${before}${hidden}${after}`;
        const shown = toRawAnswer(call, answered(text, { "x-rate-limit-note": hidden }), [hidden]);
        expect(JSON.stringify(shown)).not.toContain(hidden);
        expect(shown.body?.length).toBeLessThanOrEqual(2_048);
        expect(shown.url).toBe("https://api.example.com/v1/posts");
      }),
    );
  });

  test.for([
    ['{"access_token":"ya29.short-and-new"}', "ya29.short-and-new"],
    ["refresh_token=abc123def456&x=1", "abc123def456"],
    ["Authorization: Bearer abcdefghijkl", "abcdefghijkl"],
    [`(#190) Malformed access token ${"EAAB1c".repeat(20)}`, "EAAB1cEAAB1cEAAB1c"],
    [`https://upload.example.com/?upload_id=${"AbC-12".repeat(4)}`, "AbC-12AbC-12"],
  ] as const)("masks what looks like one: %s", ([text, hidden], { expect }) => {
    expect(toRawAnswer(call, answered(text), []).body).not.toContain(hidden);
  });

  test.for([
    "urn:li:share:7500130262000000000",
    "122000100000001_122000100000002",
    "com.linkedin.common.error.BadRequest",
    "https://developers.facebook.com/docs/graph-api/guides/error-handling",
    "5f0c1a2e-8f3b-4c55-9a0e-0e6f9b1f2a3c",
  ])("keeps what tells a thing: %s", (text, { expect }) => {
    expect(toRawAnswer(call, answered(`{"error":"${text}"}`), []).body).toContain(text);
  });

  test("keeps the headers about limits and for support, and no others", ({ expect }) => {
    const headers = {
      "retry-after": "60",
      "x-rate-limit-reset": "1790000000",
      "x-app-usage": '{"call_count":97}',
      "x-request-id": "r1",
      "set-cookie": "session=secret-of-theirs",
      "x-frame-options": "DENY",
    };
    expect(Object.keys(toRawAnswer(call, answered("", headers), []).headers).toSorted()).toEqual([
      "retry-after",
      "x-app-usage",
      "x-rate-limit-reset",
      "x-request-id",
    ]);
  });
});
