import fc from "fast-check";
import { describe, test } from "vitest";
import { interpretWrite } from "../../src/platforms/answers.ts";
import { FACEBOOK } from "../../src/platforms/facebook/api.ts";
import { LINKEDIN } from "../../src/platforms/linkedin/errors.ts";
import { maskQuote, secretsOf } from "../../src/platforms/masking.ts";
import { graphTable } from "../../src/platforms/meta/errors.ts";
import { Success } from "../../src/platforms/meta/graph.ts";
import type { RefusalTable } from "../../src/platforms/refusals.ts";
import { type CallRequest, createSend } from "../../src/platforms/request.ts";
import { TIKTOK } from "../../src/platforms/tiktok/errors.ts";
import { X } from "../../src/platforms/twitter/errors.ts";
import { YOUTUBE } from "../../src/platforms/youtube/errors.ts";
import { runsOf } from "../contract/sample.ts";
import { NOW } from "../scripted-send.ts";
import { expectLinearTime } from "../support/cost.ts";

/** The words of a refusal are shown, and no secret in them. */

const text = (units: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...units), minLength, maxLength });
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE62 = `${LETTERS}0123456789`;
const HEX = "0123456789abcdef";

/** Secrets in the forms that platforms give them. */
const SECRETS = {
  "a token of Meta": text(BASE62, 20, 220).map((rest) => `EAA${rest}`),
  "a token of Instagram Login": text(BASE62, 20, 180).map((rest) => `IGAA${rest}`),
  "a token of Google": text(`${BASE62}-_`, 30, 120).map((rest) => `ya29.${rest}`),
  "a refresh token of Google": text(`${BASE62}-_`, 30, 90).map((rest) => `1//0${rest}`),
  "a token of TikTok": text(`${BASE62}!`, 20, 70).map((rest) => `act.${rest}9a`),
  "an app secret proof": text(HEX, 62, 62).map((rest) => `a7${rest}`),
  "an opaque string": text(BASE62, 40, 200).map((rest) => `aB3${rest}`),
  "a JWT": text(`${BASE62}-_`, 20, 90).map((rest) => `eyJhbGciOiJFUzI1NiJ9.eyJ${rest}.sig${rest}`),
} as const;

/** Where a platform may put one. */
const PLACES: readonly ((secret: string) => string)[] = [
  (secret) => `Error validating access token: ${secret}`,
  (secret) => `(#190) Malformed access token ${secret}`,
  (secret) => `The token “${secret}” has expired.`,
  (secret) => `Invalid appsecret_proof=${secret} provided in the API argument`,
  (secret) => `Authorization: Bearer ${secret} was refused`,
  (secret) => `Cannot fetch https://files.example.com/a.jpg?sig=${secret}&x=1`,
  (secret) => `Cannot fetch https://files.example.com/a.jpg?x=${encodeURIComponent(secret)}`,
  (secret) => `Unexpected value ${secret} in the request`,
  (secret) => JSON.stringify({ access_token: secret, hint: "try again" }),
];

describe("a quote", () => {
  test.for(Object.entries(SECRETS))("shows no part of %s, wherever it stands", ([, secrets], { expect }) => {
    fc.assert(
      fc.property(secrets, fc.constantFrom(...PLACES), fc.lorem({ maxCount: 8 }), (secret, place, words) => {
        const shown = maskQuote(`${words} ${place(secret)} ${words}`);
        expect(shown).not.toContain(secret);
        // Half of a secret is one too.
        expect(shown).not.toContain(secret.slice(-20));
        expect(shown).toContain("•••");
        expect(shown.length).toBeLessThanOrEqual(300);
      }),
      { numRuns: runsOf(300) },
    );
  });

  test("shows no secret of the request, whatever it looks like", ({ expect }) => {
    const secret = text(`${LETTERS}._~-`, 8, 60);
    const calls = fc.constantFrom<((secret: string) => CallRequest)[]>(
      (token) => ({ method: "GET", url: "https://x.test/", headers: { authorization: `Bearer ${token}` } }),
      (token) => ({ method: "GET", url: "https://x.test/", query: { access_token: token } }),
      (token) => ({ method: "POST", url: "https://x.test/", form: { client_secret: token } }),
      (token) => ({ method: "POST", url: "https://x.test/", json: { refresh_token: token } }),
    );
    fc.assert(
      fc.property(secret, calls, (hidden, call) => {
        expect(maskQuote(`Refused “${hidden}”, sorry`, secretsOf(call(hidden)))).not.toContain(hidden);
      }),
    );
  });

  test.for([
    "Any of the pages_read_engagement, pages_manage_metadata permission(s) must be granted before impersonating a user's page.",
    "Invalid OAuth access token - Cannot parse access token",
    "(#100) THREADS_API__LINK_LIMIT_EXCEEDED: more than 5 links",
    "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com'",
    "urn:li:share:7500130262000000000 is a duplicate of urn:li:ugcPost:7500130262000000001",
    "Object with ID '122000100000001_122000100000002' does not exist",
    "Error validating access token: The session has expired on Friday, 27-Nov-26 10:00:00 PST.",
    "See https://developers.facebook.com/docs/graph-api/guides/error-handling",
  ])("keeps what a platform says: %s", (words, { expect }) => {
    expect(maskQuote(words)).toBe(words);
  });

  test("takes time in line with its length", ({ expect }) => {
    for (const piece of ["token ", "https://a", "?a=", "EAA", "ya29.", "key ("]) {
      const prepare = (size: number) => {
        const words = piece.repeat(size);
        return () => maskQuote(words, ["a1".repeat(200)]);
      };
      expectLinearTime(expect, piece, { prepare, size: 100_000, budgetMs: 50 });
    }
  });
});

describe("a refusal", () => {
  const bodies: readonly (readonly [string, RefusalTable, number, (words: string) => object])[] = [
    [
      "Facebook",
      graphTable(FACEBOOK),
      400,
      (message) => ({ error: { code: 190, type: "OAuthException", message, fbtrace_id: "A1" } }),
    ],
    ["LinkedIn", LINKEDIN, 401, (message) => ({ status: 401, serviceErrorCode: 65_600, message })],
    ["TikTok", TIKTOK, 401, (message) => ({ error: { code: "access_token_invalid", message, log_id: "1" } })],
    ["X", X, 403, (detail) => ({ title: "Forbidden", type: "about:blank", status: 403, detail })],
    [
      "YouTube",
      YOUTUBE,
      401,
      (message) => ({ error: { code: 401, message, errors: [{ reason: "authError", message }] } }),
    ],
  ];

  test.for(bodies)(
    "of %s is shown with the token of the call masked",
    async ([, table, status, bodyOf], { expect }) => {
      const token = "short-odd-token";
      const words = `The access token ${token} is not accepted for this user.`;
      const reach: typeof fetch = async () => Response.json(bodyOf(words), { status });
      const send = createSend({ sandboxUrl: null, fetch: reach });
      const answer = await send({
        method: "POST",
        url: "https://x.test/",
        headers: { authorization: `Bearer ${token}` },
      });
      const outcome = interpretWrite(table, answer, Success, NOW);
      expect(outcome).toMatchObject({ message: expect.stringContaining("is not accepted for this user.") });
      expect(JSON.stringify(outcome)).not.toContain(token);
    },
  );
});
