import { z } from "@hono/zod-openapi";
import { readHeldToken } from "../../accounts/held-token.ts";
import { RATE_LIMIT } from "../../core/limits.ts";
import { Done, operation } from "../../http/operation.ts";
import { EXAMPLE_TOKEN, TokenFields, toTokenFields } from "./token-common.ts";

const Rate = z.object({
  requests: z.int().openapi({ description: "Requests that the token may send in `seconds`." }),
  seconds: z.int(),
  remaining: z.int().openapi({ description: "Those that are left now, as in the header `RateLimit`." }),
});

const TokenView = TokenFields.extend({
  project: z.object({
    id: z.int(),
    name: z.string(),
    is_test: z.boolean().openapi({ description: "A test project reaches the sandbox, never a real platform." }),
    time_zone: z.string(),
  }),
  needs_person_to_spend: z
    .boolean()
    .openapi({ description: "Whether a person must confirm what the token spends: on for tokens of agents." }),
  last_used_at: z
    .string()
    .nullable()
    .openapi({ description: "To within minutes; this request may count. Null: not noted yet." }),
  rate_limit: Rate,
}).openapi("HeldToken");

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
      ...EXAMPLE_TOKEN,
      project: { id: 3, name: "Shop", is_test: false, time_zone: "Europe/Berlin" },
      needs_person_to_spend: false,
      rate_limit: { requests: 100, seconds: 1, remaining: 99 },
    },
    status: true,
  },
  run: async ({ deps, caller }) => {
    const { projectName, ...held } = await readHeldToken(deps, caller);
    const token = {
      ...toTokenFields(held),
      project: { id: caller.projectId, name: projectName, is_test: held.isTest, time_zone: held.timeZone },
      needs_person_to_spend: held.moneyNeedsPerson,
      rate_limit: { requests: RATE_LIMIT, seconds: 1, remaining: caller.remaining },
    };
    return { token, status: true } as const;
  },
});
