import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../core/ids.ts";
import type { Api } from "../http/api.ts";
import { operation } from "../http/operation.ts";
import { requireAdAccess } from "./ad-account.ts";
import { estimateCost, estimateReach, listAdAccounts, listCountries, searchInterests } from "./estimate.ts";
import { toAdRequest } from "./routes.ts";
import { AdAccountsQuery, CountriesQuery, InterestsQuery, ReachBody, ValidateBudgetBody } from "./schema.ts";

const COMMON = {
  tag: "Boost campaigns",
  permission: "boost-create-campaign",
  extension: true,
  asksPlatform: true,
} as const;
const Done = z.literal(true);

/** Platform look-ups for a boost form: the operations that spec 4.19 names. */
export function boostLookupRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "getAdAccounts",
      method: "get",
      path: "/boost-campaigns/get-ad-accounts",
      summary: "List ad accounts",
      description:
        "The ad accounts that the account owner may spend from, with the reason if one cannot start a boost.",
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
    }),
    async (c) => {
      const { channel_id } = c.req.valid("query");
      const advertiser = await requireAdAccess(toAdRequest(c), idOf<ChannelId>(channel_id), "channel_id");
      const ad_accounts = (await listAdAccounts(advertiser)).map(({ id, name, currency, timeZone, problem }) => {
        return { id, name, currency, time_zone: timeZone, usable: problem === null, reason: problem };
      });
      return c.json({ ad_accounts, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { channel_id, ad_account_id } = c.req.valid("query");
      const advertiser = await requireAdAccess(toAdRequest(c), idOf<ChannelId>(channel_id), "channel_id");
      const countries = await listCountries(advertiser, ad_account_id);
      return c.json({ countries: countries.map((one) => ({ ...one })), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const { channel_id, ad_account_id, q } = c.req.valid("query");
      const advertiser = await requireAdAccess(toAdRequest(c), idOf<ChannelId>(channel_id), "channel_id");
      const interests = await searchInterests(advertiser, { adAccountId: ad_account_id, words: q });
      return c.json({ interests: interests.map((one) => ({ ...one })), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getReachEstimate",
      method: "post",
      path: "/boost-campaigns/get-reach-estimate",
      summary: "Estimate the reach",
      description: "The platform's estimate of how many people such a boost could reach.",
      body: ReachBody,
      answer: z.object({
        lower: z.int().nullable().openapi({ description: "Null if the platform hides it." }),
        upper: z.int().nullable(),
        ready: z.boolean().openapi({ description: "False: the platform is still counting. Request it again later." }),
        status: Done,
      }),
      answerDescription: "The estimate.",
      example: { lower: 210_000, upper: 240_000, ready: true, status: true },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const advertiser = await requireAdAccess(toAdRequest(c), idOf<ChannelId>(body.channel_id), "channel_id");
      const { lower, upper, isReady } = await estimateReach(advertiser, body);
      return c.json({ lower, upper, ready: isReady, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "validateBudget",
      method: "post",
      path: "/boost-campaigns/validate-budget",
      summary: "Check a budget",
      description:
        "Checks whether the account may spend, and whether the budget meets the platform's minimum. Creates nothing.",
      body: ValidateBudgetBody,
      answer: z.object({
        valid: Done,
        currency: z.string(),
        minimum: z.number().openapi({ description: "The minimum budget of this `duration_type` and `duration`." }),
        most: z.number().openapi({ description: "The maximum cost of the campaign." }),
        status: Done,
      }),
      answerDescription: "The budget is enough. If it is not, a 422 states the minimum.",
      example: { valid: true, currency: "EUR", minimum: 7, most: 15.5, status: true },
    }),
    async (c) => {
      const body = c.req.valid("json");
      const advertiser = await requireAdAccess(toAdRequest(c), idOf<ChannelId>(body.channel_id), "channel_id");
      const { currency, minimum, most } = await estimateCost(advertiser, body);
      return c.json({ valid: true, currency, minimum, most, status: true } as const, 200);
    },
  );
}
