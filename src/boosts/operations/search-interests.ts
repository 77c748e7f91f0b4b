import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { searchInterests } from "../estimate.ts";
import { InterestsQuery } from "../schema.ts";
import { COMMON } from "./common.ts";

export const SearchInterests = operation({
  ...COMMON,
  id: "searchInterests",
  method: "get",
  path: "/boost-campaigns/search-interests",
  summary: "Search interests",
  description: "The platform's interests that match the words, for targeting.",
  query: InterestsQuery,
  answer: z.object({ interests: z.array(z.object({ id: z.string(), name: z.string() })), status: Done }),
  answerDescription: "Those that match.",
  example: { interests: [{ id: "6003107902433", name: "Baking" }], status: true },
  run: async (as, { query }) => {
    const { channel_id, ad_account_id, q } = query;
    const advertiser = await requireAdAccess(as, idOf<ChannelId>(channel_id), "channel_id");
    const interests = await searchInterests(advertiser, { adAccountId: ad_account_id, words: q });
    return { interests: interests.map((one) => ({ ...one })), status: true } as const;
  },
});
