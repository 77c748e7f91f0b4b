import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { toAmount } from "../core/money.ts";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc } from "../core/time.ts";
import {
  ChannelIdQuery,
  IdCursorQuery,
  LimitQuery,
  PageBesideCursor,
  pageView,
  pathId,
  refuseBoth,
} from "../http/page.ts";
import { OBJECTIVES } from "../platforms/advertising.ts";
import { CAMPAIGN_EVENTS } from "./events.ts";
import { CAMPAIGN_STATES, type Campaign, type CampaignDay } from "./table.ts";

/** Schemas of spec 2.10, 2.11 and 4.15 to 4.18, and of their extensions. */

const DURATION_TYPES = ["daily_budget", "lifetime_budget"] as const;
const MOST_DAYS = 365;
const MOST_BUDGET = 10_000_000;
const MOST_PLACES = 25;
const MOST_INTERESTS = 100;

let regions: Intl.DisplayNames | undefined;

/** The names of regions are loaded on first use. */
function isRegion(code: string): boolean {
  regions ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  return regions.of(code) !== undefined;
}

/** Deduplicated, in upper case. */
const Countries = z
  .array(
    z
      .string()
      .max(2)
      .regex(/^[A-Za-z]{2}$/, "must be an ISO 3166-1 alpha-2 code such as DE")
      .transform((code) => code.toUpperCase())
      .refine(isRegion, "must be an ISO 3166-1 alpha-2 code such as DE"),
  )
  .min(1)
  .max(MOST_PLACES)
  .transform((codes) => [...new Set(codes)])
  .openapi({
    type: "array",
    items: { type: "string", pattern: "^[A-Za-z]{2}$" },
    minItems: 1,
    maxItems: MOST_PLACES,
    example: ["DE", "AT"],
  });

const Interests = z
  .array(z.object({ id: z.string().min(1).max(100), name: text(200) }))
  .max(MOST_INTERESTS)
  .openapi({ example: [{ id: "6003107902433", name: "Baking" }], description: "As search-interests returns them." });
const Audience = z
  .array(z.string().min(1).max(100))
  .max(50)
  .openapi({ example: ["23843000000000001"], description: "Ids of custom audiences of the ad account." });
const AdAccountId = z
  .string()
  .min(1)
  .max(100)
  .openapi({ example: "act_330000000000001", description: "As get-ad-accounts returns it." });
const Budget = z.number().positive().max(MOST_BUDGET).openapi({
  example: 15.5,
  description: "In the ad account's currency: per day or in total, as `duration_type` says.",
});
const Duration = z.int().min(1).max(MOST_DAYS).openapi({ example: 7, description: "Days." });
const DurationType = z.enum(DURATION_TYPES);
const ObjectiveField = z.enum(OBJECTIVES);
const BoostType = text(64).openapi({ example: "weekend", description: "Your own free text." });
const PostId = z.int().positive().openapi({ example: 42, description: "A published post." });

export const CreateCampaignBody = z
  .object({
    social_post_id: PostId,
    name: text(255)
      .refine((words) => !isBlank(words), "must not be blank.")
      .optional()
      .openapi({ example: "Opening week", description: "If absent, a name is created." }),
    boost_type: BoostType.optional(),
    duration_type: DurationType,
    budget: Budget,
    duration: Duration,
    ad_account_id: AdAccountId,
    campaign_objective: ObjectiveField.optional().openapi({
      description: "If absent: `engagement`, or the platform's closest objective.",
    }),
    countries: Countries,
    interests: Interests.optional(),
    audience: Audience.optional(),
  })
  .openapi("CreateCampaign", {
    example: {
      social_post_id: 42,
      name: "Opening week",
      duration_type: "daily_budget",
      budget: 15.5,
      duration: 7,
      ad_account_id: "act_330000000000001",
      campaign_objective: "engagement",
      countries: ["DE", "AT"],
    },
  });
export type CreateCampaignBody = z.output<typeof CreateCampaignBody>;

/** Null clears an optional field. */
export const UpdateCampaignBody = z
  .strictObject({
    boost_type: BoostType.nullish(),
    duration_type: DurationType.optional(),
    budget: Budget.optional(),
    duration: Duration.optional(),
    countries: Countries.optional(),
    interests: Interests.nullish(),
    campaign_objective: ObjectiveField.optional(),
    audience: Audience.nullish(),
  })
  .openapi("UpdateCampaign", { example: { budget: 20, duration: 10 } });
export type UpdateCampaignBody = z.output<typeof UpdateCampaignBody>;

export const CampaignIdParam = z.object({ campaign_id: pathId("campaign_id") });
export const ListCampaignsQuery = z
  .object({ limit: LimitQuery, page: PageBesideCursor, cursor: IdCursorQuery })
  .superRefine(refuseBoth);

export const EligibilityBody = z
  .object({
    channel_id: z.int().positive().openapi({ example: 12, description: "A connected instagram channel." }),
    social_post_id: PostId,
  })
  .openapi("InstagramPostEligibilityRequest", { example: { channel_id: 12, social_post_id: 42 } });

const channelQuery = ChannelIdQuery.openapi({ description: "The channel that advertises." });
const accountQuery = z.string().min(1).max(100).openapi({ example: "act_330000000000001" });

export const AdAccountsQuery = z.object({ channel_id: channelQuery });
export const CountriesQuery = z.object({ channel_id: channelQuery, ad_account_id: accountQuery });
export const InterestsQuery = z.object({
  channel_id: channelQuery,
  ad_account_id: accountQuery,
  q: z.string().min(1).max(100).openapi({ example: "baking" }),
});

const Terms = {
  channel_id: z.int().positive().openapi({ example: 12 }),
  ad_account_id: AdAccountId,
  campaign_objective: ObjectiveField.optional(),
  countries: Countries,
  interests: Interests.optional(),
  audience: Audience.optional(),
};
const EXAMPLE_TERMS = { channel_id: 12, ad_account_id: "act_330000000000001", countries: ["DE", "AT"] };
export const ReachBody = z.object(Terms).openapi("ReachEstimateRequest", { example: EXAMPLE_TERMS });
export const ValidateBudgetBody = z
  .object({
    ...Terms,
    duration_type: DurationType,
    budget: Budget,
    duration: Duration,
  })
  .openapi("ValidateBudgetRequest", {
    example: { ...EXAMPLE_TERMS, duration_type: "daily_budget", budget: 15.5, duration: 7 },
  });
export type TermsBody = z.output<typeof ReachBody>;
export type ValidateBudgetBody = z.output<typeof ValidateBudgetBody>;

export const CampaignView = z
  .object({
    id: z.int(),
    social_post_id: z.int(),
    name: z.string(),
    boost_type: z.string().nullable(),
    duration_type: DurationType,
    budget: z.number(),
    duration: z.int(),
    ad_account_id: z.string(),
    campaign_objective: ObjectiveField,
    countries: z.array(z.string()),
    interests: z.array(z.object({ id: z.string(), name: z.string() })),
    audience: z.array(z.string()),
    status: z.enum(CAMPAIGN_STATES),
    reason: z.string().nullable().openapi({ description: "The current or last problem; null if there is none." }),
    error_code: z.union([FailureCodeView, z.null()]),
    currency: z.string(),
    reach: z.int(),
    impressions: z.int(),
    spend: z
      .number()
      .openapi({ description: "In `currency`, as the platform counts it. The platform may correct it for days." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Campaign");
export const CampaignPage = pageView(CampaignView, "CampaignPage");

export const CampaignEventView = z.object({
  id: z.int(),
  type: z.enum(Object.keys(CAMPAIGN_EVENTS)),
  message: z.string(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.string(),
});

export const CampaignDayView = z
  .object({
    day: z.string().openapi({ example: "2030-03-05", description: "In UTC." }),
    reach: z.int(),
    impressions: z.int(),
    spend: z.number(),
  })
  .openapi("CampaignDay", { description: "The sums since the start of the campaign, as last read on that day." });

export function toDayView(
  { spendMinor, ...day }: CampaignDay,
  { decimals }: Pick<Campaign, "decimals">,
): z.output<typeof CampaignDayView> {
  return { ...day, spend: toAmount(spendMinor, decimals) };
}

export const EXAMPLE_CAMPAIGN = {
  id: 7,
  social_post_id: 42,
  name: "Opening week",
  boost_type: null,
  duration_type: "lifetime_budget" as const,
  budget: 15.5,
  duration: 7,
  ad_account_id: "act_330000000000001",
  campaign_objective: "engagement" as const,
  countries: ["DE", "AT"],
  interests: [{ id: "6003107902433", name: "Baking" }],
  audience: [],
  status: "active" as const,
  reason: null,
  error_code: null,
  currency: "EUR",
  reach: 1830,
  impressions: 2411,
  spend: 4.2,
  created_at: "2030-03-05T10:00:00.000+00:00",
  updated_at: "2030-03-06T10:00:00.000+00:00",
};

export function toCampaignView(campaign: Campaign): z.input<typeof CampaignView> {
  const { id, postId, name, boostType, wantedTerms: terms, state, reason, errorCode, currency, decimals } = campaign;
  return {
    id,
    social_post_id: postId,
    name,
    boost_type: boostType,
    duration_type: `${terms.budgetType}_budget`,
    budget: toAmount(terms.budgetMinor, decimals),
    duration: terms.days,
    ad_account_id: terms.adAccountId,
    campaign_objective: terms.objective,
    countries: [...terms.countries],
    interests: terms.interests.map((one) => ({ ...one })),
    audience: [...terms.audiences],
    status: state,
    reason: isBeingEnded(campaign) ? `The campaign is being ended. ${reason ?? ""}`.trim() : reason,
    error_code: errorCode,
    currency,
    reach: campaign.reach,
    impressions: campaign.impressions,
    spend: toAmount(campaign.spendMinor, decimals),
    created_at: isoUtc(campaign.createdAt),
    updated_at: isoUtc(campaign.updatedAt),
  };
}

const isBeingEnded = ({ goal, endedAt }: Campaign): boolean => goal === "failed" && endedAt === null;
