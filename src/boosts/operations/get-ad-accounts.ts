import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { listAdAccounts } from "../estimate.ts";
import { AdAccountsQuery } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetAdAccounts = operation({
  ...COMMON,
  id: "getAdAccounts",
  method: "get",
  path: "/boost-campaigns/get-ad-accounts",
  summary: "List ad accounts",
  description: "The ad accounts that the account owner may spend from, with the reason if one cannot start a boost.",
  query: AdAccountsQuery,
  answer: z.object({
    ad_accounts: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        currency: z.string(),
        time_zone: z.string().nullable(),
        usable: z.boolean(),
        reason: z.string().nullable().openapi({ description: "The reason if it is unusable; null otherwise." }),
      }),
    ),
    status: Done,
  }),
  answerDescription: "The accounts.",
  example: {
    ad_accounts: [
      {
        id: "act_330000000000001",
        name: "Fern ads",
        currency: "EUR",
        time_zone: "Europe/Berlin",
        usable: true,
        reason: null,
      },
    ],
    status: true,
  },
  run: async (as, { query }) => {
    const { channel_id } = query;
    const advertiser = await requireAdAccess(as, idOf<ChannelId>(channel_id), "channel_id");
    const ad_accounts = (await listAdAccounts(advertiser)).map(({ id, name, currency, timeZone, problem }) => {
      return { id, name, currency, time_zone: timeZone, usable: problem === null, reason: problem };
    });
    return { ad_accounts, status: true } as const;
  },
});
