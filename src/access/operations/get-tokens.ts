import { z } from "@hono/zod-openapi";
import { selectTokens } from "../../accounts/store.ts";
import { isValid, MAX_TOKENS } from "../../accounts/tokens.ts";
import { PERMISSIONS } from "../../core/permissions.ts";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";

const ListedToken = z
  .object({
    id: z.int(),
    name: z.string(),
    permissions: z.array(z.enum(PERMISSIONS)),
    created_at: z.string(),
    expires_at: z.string().nullable().openapi({ description: "Null: never." }),
    last_used_at: z.string().nullable().openapi({ description: "To within minutes. Null: not used yet." }),
  })
  .openapi("Token");

export const GetTokens = operation({
  id: "getTokens",
  method: "get",
  path: "/social/get-tokens",
  tag: "Tokens",
  // It already sends all that happens in the project elsewhere: no other permission is about integrations.
  permission: "manage-webhooks",
  extension: true,
  summary: "Tokens of the project",
  description:
    "The valid access tokens of the project, at most 200, newest first: what they may do, until when, and when each was used last. Never a value, nor a part of one. Needs manage-webhooks, the permission for what connects other systems with the project.",
  answer: z.object({ tokens: z.array(ListedToken), status: Done }),
  answerDescription: "The tokens.",
  example: {
    tokens: [
      {
        id: 7,
        name: "Shop",
        permissions: ["social-read-posts", "social-create-post"],
        created_at: "2030-03-05T10:00:00.000+00:00",
        expires_at: null,
        last_used_at: "2030-03-05T10:05:00.000+00:00",
      },
    ],
    status: true,
  },
  run: async ({ deps, caller }) => {
    const now = Date.now();
    const found = await selectTokens(deps.directory, caller.projectId, now, MAX_TOKENS);
    const tokens = found
      .filter((token) => isValid(token, now))
      .map(({ id, name, permissions, createdAt, expiresAt, lastUsedAt }) => ({
        id,
        name,
        permissions: [...permissions],
        created_at: isoUtc(createdAt),
        expires_at: isoUtcOrNull(expiresAt),
        last_used_at: isoUtcOrNull(lastUsedAt),
      }));
    return { tokens, status: true } as const;
  },
});
