import { z } from "@hono/zod-openapi";
import { selectTokens } from "../../accounts/store.ts";
import { isValid, MAX_TOKENS } from "../../accounts/tokens.ts";
import { Done, operation } from "../../http/operation.ts";
import { EXAMPLE_TOKEN, TokenFields, toTokenFields } from "./token-common.ts";

const ListedToken = TokenFields.openapi("Token");

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
    tokens: [EXAMPLE_TOKEN],
    status: true,
  },
  run: async ({ deps, caller }) => {
    const now = Date.now();
    const found = await selectTokens(deps.directory, caller.projectId, now, MAX_TOKENS);
    const tokens = found.filter((token) => isValid(token, now)).map(toTokenFields);
    return { tokens, status: true } as const;
  },
});
