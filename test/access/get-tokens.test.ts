import { describe, expect, test } from "vitest";
import { PERMISSIONS } from "../../src/core/permissions.ts";
import { sha256Hex, tokenHint } from "../../src/core/tokens.ts";
import { call, issueToken, Project } from "../support/world.ts";

const PATH = "/social/get-tokens";

describe("get-tokens", () => {
  test("lists the valid tokens of the project only, newest first, without their values", async () => {
    const project = await Project.create();
    await Project.create();
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const other = await issueToken(project.name, { permissions: ["social-read-posts"], expiresAt });
    const { status, body } = await project.call("GET", PATH);
    expect([status, body]).toEqual([
      200,
      {
        tokens: [
          {
            id: other.id,
            name: expect.any(String),
            permissions: ["social-read-posts"],
            created_at: expect.any(String),
            expires_at: expect.stringContaining(expiresAt.slice(0, 19)),
            last_used_at: null,
          },
          expect.objectContaining({ permissions: PERMISSIONS, expires_at: null }),
        ],
        status: true,
      },
    ]);
    const text = JSON.stringify(body);
    for (const { token } of [project, other])
      for (const part of [token.slice(-12), tokenHint(token), await sha256Hex(token)]) expect(text).not.toContain(part);
  });

  test("is refused to every token without manage-webhooks", async () => {
    const project = await Project.create();
    const permissions = PERMISSIONS.filter((permission) => permission !== "manage-webhooks");
    const { token } = await issueToken(project.name, { permissions });
    expect(await call("GET", PATH, { token })).toMatchObject({ status: 403, body: { code: "permission_missing" } });
  });
});
