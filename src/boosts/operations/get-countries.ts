import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { listCountries } from "../estimate.ts";
import { CountriesQuery } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetCountries = operation({
  ...COMMON,
  id: "getCountries",
  method: "get",
  path: "/boost-campaigns/get-countries",
  summary: "List countries",
  description: "Where the account can advertise.",
  query: CountriesQuery,
  answer: z.object({ countries: z.array(z.object({ code: z.string(), name: z.string() })), status: Done }),
  answerDescription: "The countries.",
  example: { countries: [{ code: "DE", name: "Germany" }], status: true },
  run: async (as, { query }) => {
    const { channel_id, ad_account_id } = query;
    const advertiser = await requireAdAccess(as, idOf<ChannelId>(channel_id), "channel_id");
    const countries = await listCountries(advertiser, ad_account_id);
    return { countries: countries.map((one) => ({ ...one })), status: true } as const;
  },
});
