import { z } from "@hono/zod-openapi";
import { readHeldToken } from "../../accounts/held-token.ts";
import { RATE_LIMIT } from "../../core/limits.ts";
import { PERMISSIONS } from "../../core/permissions.ts";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";

const Rate = z.object({
  requests: z.int().openapi({ description: "Requests that the token may send in `seconds`." }),
  seconds: z.int(),
  remaining: z.int().openapi({ description: "Those that are left now, as in the header `RateLimit`." }),
});

const TokenView = z
  .object({
    id: z.int(),
    name: z.string(),
    project: z.object({
      id: z.int(),
      name: z.string(),
      is_test: z.boolean().openapi({ description: "A test project reaches the sandbox, never a real platform." }),
      time_zone: z.string(),
    }),
    permissions: z.array(z.enum(PERMISSIONS)),
    needs_person_to_spend: z
      .boolean()
      .openapi({ description: "Whether a person must confirm what the token spends: on for tokens of agents." }),
    created_at: z.string(),
    expires_at: z.string().nullable().openapi({ description: "Null: never." }),
    last_used_at: z
      .string()
      .nullable()
      .openapi({ description: "To within minutes; this request may count. Null: not noted yet." }),
    rate_limit: Rate,
  })
  .openapi("HeldToken");

export const GetToken = operation({
  id: "getToken",
  method: "get",
  path: "/social/get-token",
  tag: "Tokens",
  permission: "any",
  extension: true,
  summary: "The token of this request",
  description:
    "Which project the token works in, what it may do, until when, and how many requests are left. It never returns the token itself. `GET /social/get-usage` has the quotas of the project.",
  answer: z.object({ token: TokenView, status: Done }),
  answerDescription: "The token that was sent.",
  example: {
    token: {
      id: 7,
      name: "Shop",
      project: { id: 3, name: "Shop", is_test: false, time_zone: "Europe/Berlin" },
      permissions: ["social-read-posts", "social-create-post"],
      needs_person_to_spend: false,
      created_at: "2030-03-05T10:00:00.000+00:00",
      expires_at: null,
      last_used_at: "2030-03-05T10:05:00.000+00:00",
      rate_limit: { requests: 100, seconds: 1, remaining: 99 },
    },
    status: true,
  },
  run: async ({ deps, caller }) => {
    const { id, name, projectName, ...held } = await readHeldToken(deps, caller);
    const project = { id: caller.projectId, name: projectName, is_test: held.isTest, time_zone: held.timeZone };
    const token = {
      id,
      name,
      project,
      permissions: [...held.permissions],
      needs_person_to_spend: held.moneyNeedsPerson,
      created_at: isoUtc(held.createdAt),
      expires_at: isoUtcOrNull(held.expiresAt),
      last_used_at: isoUtcOrNull(held.lastUsedAt),
      rate_limit: { requests: RATE_LIMIT, seconds: 1, remaining: caller.remaining },
    };
    return { token, status: true } as const;
  },
});
