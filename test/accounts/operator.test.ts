import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { type CallOptions, call, issueToken } from "../support/world.ts";

/** What `npm run token` calls. */
const operator = { "X-Operator-Key": env.OPERATOR_KEY };
const request = (path: string, options: CallOptions) =>
  call("POST", `/internal/${path}`, { ...options, headers: { ...operator, ...options.headers } });

const Tokens = z.object({ tokens: z.array(z.object({ name: z.string() })) });
async function namesOfTokens(): Promise<string[]> {
  const { body } = await call("GET", "/internal/tokens", { headers: operator });
  return Tokens.parse(body).tokens.map(({ name }) => name);
}

describe("the operator's tokens", () => {
  test("without the key there is nothing at this address", async ({ expect }) => {
    for (const headers of [{}, { "X-Operator-Key": "guessed" }]) {
      const answer = await call("POST", "/internal/tokens", { headers, body: {} });
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
  });

  test("what does not fit is reported field by field, and issues nothing", async ({ expect }) => {
    const name = `unissued ${crypto.randomUUID()}`;
    const answer = await request("tokens", {
      body: { name, permissions: ["fly"], expires_at: "tomorrow", time_zone: "Mars" },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: "invalid_request",
        errors: {
          "permissions.0": [expect.stringMatching(/^permissions\.0 must be add-channels, .+, not "fly"\.$/)],
          expires_at: ['expires_at must be an ISO 8601 date and time with its offset, not "tomorrow".'],
          time_zone: ['time_zone must be an IANA time zone name (e.g. Europe/Berlin), not "Mars".'],
        },
      },
    });
    expect(await request("tokens/revoke", { body: {} })).toMatchObject({
      status: 422,
      body: { errors: { id: ["id is required: a whole number."] } },
    });
    expect(await namesOfTokens()).not.toContain(name);
  });

  test("a body that is no JSON, or does not say that it is, issues nothing", async ({ expect }) => {
    const name = `unread ${crypto.randomUUID()}`;
    expect(await request("tokens", { raw: "{" })).toMatchObject({ status: 422, body: { code: "malformed_json" } });
    const headers = { "Content-Type": "text/plain" };
    expect(await request("tokens", { raw: JSON.stringify({ name }), headers })).toMatchObject({
      status: 422,
      body: { code: "unsupported_content_type" },
    });
    expect(await namesOfTokens()).not.toContain(name);
  });

  test("a token that is not there cannot be revoked", async ({ expect }) => {
    const { id } = await issueToken(`revoked ${crypto.randomUUID()}`);
    expect(await request("tokens/revoke", { body: { id } })).toMatchObject({ status: 200 });
    expect(await request("tokens/revoke", { body: { id: id + 1_000_000 } })).toMatchObject({ status: 404 });
  });
});
