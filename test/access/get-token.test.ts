import { describe, expect, test } from "vitest";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import { call, issueToken, Project } from "../support/world.ts";

const PATH = "/social/get-token";

describe("get-token", () => {
  test("answers what the token is, and never the token", async () => {
    const project = await Project.create({ timeZone: "Europe/Berlin" });
    const { body, headers, status } = await project.callOnce("GET", PATH);
    expect([status, body]).toEqual([
      200,
      {
        token: {
          id: expect.any(Number),
          name: expect.any(String),
          project: { id: expect.any(Number), name: project.name, is_test: true, time_zone: "Europe/Berlin" },
          permissions: PERMISSIONS,
          needs_person_to_spend: false,
          created_at: expect.stringMatching(/^\d{4}-/),
          expires_at: null,
          last_used_at: expect.toBeOneOf([null, expect.stringMatching(/^\d{4}-/)]),
          rate_limit: { requests: 100, seconds: 1, remaining: expect.any(Number) },
        },
        status: true,
      },
    ]);
    const secret = project.token.split("_").at(-1) ?? project.token;
    expect(JSON.stringify(body)).not.toContain(secret.slice(0, 12));
    const remaining = /r=(\d+)/.exec(headers.get("RateLimit") ?? "")?.[1];
    expect(body).toMatchObject({ token: { rate_limit: { remaining: Number(remaining) } } });
  });

  test("needs no permission of its own, and shows only the ones that the token has", async () => {
    const owner = await Project.create();
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { id, token } = await issueToken(owner.name, { permissions: ["social-send-messages"], expiresAt });
    const { status, body } = await call("GET", PATH, { token });
    const expected = { id, project: { name: owner.name }, permissions: ["social-send-messages"] };
    expect([status, body]).toMatchObject([200, { token: expected }]);
    expect(JSON.stringify(body)).toContain(`"expires_at":"${expiresAt.slice(0, 19)}`);
  });

  test("is refused without a valid token", async () => {
    expect([
      (await call("GET", PATH)).status,
      (await call("GET", PATH, { token: "belfry_live_invented" })).status,
    ]).toEqual([401, 401]);
  });
});
