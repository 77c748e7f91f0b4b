import fc from "fast-check";
import { describe, test } from "vitest";
import { toRawAnswer } from "../../src/platforms/raw-answer.ts";
import type { Answered } from "../../src/platforms/request.ts";
import { runsOf } from "../contract/sample.ts";
import { expectLinearTime } from "../support/cost.ts";

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
  ])("keeps informative headers: %s", (text, { expect }) => {
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

  test("shows no secret in whatever it is wrapped, however deep, or cut off", ({ expect }) => {
    const wrap = fc.constantFrom<((text: string) => string)[]>(
      (text) => JSON.stringify({ error: { message: text } }),
      (text) => JSON.stringify([text]),
      encodeURIComponent,
      (text) => `a=1&refresh=${encodeURIComponent(text)}&b=2`,
      (text) => `X-Answer: ${text}\r\n`,
      (text) => text.replaceAll("/", "\\/"),
    );
    const secret = fc.stringMatching(/^[A-Za-z0-9_.~|:+/=-]{12,120}$/);
    const plainer = (text: string): string[] => {
      const forms = [text];
      for (let layer = 0; layer < 8; layer++) {
        const last = forms[layer] ?? "";
        forms.push(
          last
            .replace(/\\+(["/\\])/g, "$1")
            .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        );
      }
      return forms;
    };
    fc.assert(
      fc.property(
        secret,
        fc.array(wrap, { maxLength: 4 }),
        fc.nat(2_300),
        fc.nat(400),
        (hidden, wraps, before, cut) => {
          const wrapped = wraps.reduce((text, wrapping) => wrapping(text), `x ${hidden} y`);
          const text = `${"word ".repeat(before / 5)}${wrapped}`;
          for (const one of [text, text.slice(0, text.length - Math.min(cut, text.length))]) {
            const { body } = toRawAnswer(call, answered(one, { "x-request-id": wrapped }), [hidden]);
            for (const form of plainer(body ?? "")) {
              expect(form).not.toContain(hidden);
              if (hidden.length > 16 && wraps.length === 0) expect(form).not.toContain(hidden.slice(0, -4));
            }
          }
        },
      ),
      { numRuns: runsOf(250) },
    );
  });

  test.for([
    ['{"error":"{\\"access_token\\":\\"s3cr3t-of-Ada\\"}"}', "s3cr3t-of-Ada"],
    [JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ client_secret: "s3cr3t-of-Ada" }) }) }), "s3cr3t-of-Ada"],
    ["redirect=https%3A%2F%2Fa.example%2F%3Fcode%3Ds3cr3t-of-Ada%26x%3D1", "s3cr3t-of-Ada"],
    ["next=https%253A%252F%252Fa.example%252F%253Faccess_token%253Ds3cr3t-of-Ada", "s3cr3t-of-Ada"],
    ["bad id_token eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0. sent", "eyJzdWIiOiIxIn0"],
    ["got eyJhIjoxfQ.e30.x", "eyJhIjoxfQ"],
    ['{"jwt":"eyJhIjoxfQ%2Ee30%2Exyz"}', "eyJhIjoxfQ"],
    ["Authorization: Basic YTpzM2NyM3Q=", "YTpzM2NyM3Q"],
    ['{\\"Authorization\\":\\"Bearer s3cr3t-of-Ada\\"}', "s3cr3t-of-Ada"],
    ["grant_type=refresh_token&refresh_token=s3cr3t%2Dof%2DAda", "s3cr3t"],
  ] as const)("masks what is named a secret, in any wrapping: %s", ([text, hidden], { expect }) => {
    expect(toRawAnswer(call, answered(text), []).body).not.toContain(hidden);
  });

  test.for([
    '{"error":{"message":"Invalid OAuth access token: Cannot parse it","type":"OAuthException","code":190}}',
    '{"error_code":"media_type_invalid","error_subcode":2207026}',
    '{"serviceErrorCode":65600,"message":"Invalid access token"}',
  ])("keeps what the platform says: %s", (text, { expect }) => {
    expect(toRawAnswer(call, answered(text), []).body).toBe(text);
  });

  test("takes time in line with the length of an answer", ({ expect }) => {
    for (const piece of ["\\", "%25", "token", 'token=\\"', "eyJ", "a1", '\\"', "%", "key: ", "Bearer "]) {
      const prepare = (size: number) => {
        const text = piece.repeat(size);
        return () => toRawAnswer(call, answered(text), ["a1".repeat(200), "token".repeat(60)]);
      };
      expectLinearTime(expect, piece, { prepare, size: 100_000, budgetMs: 50 });
    }
  });
});
