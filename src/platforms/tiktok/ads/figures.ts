import { z } from "zod";
import type { BoostTerms } from "../../advertising.ts";
import type { AccountContext, Failure } from "../../context.ts";
import { read } from "./api.ts";
import { fromUnits } from "./money.ts";

/**
 * The results of a boost: of its campaign over its whole period in one report, so that people reached on
 * several days count once. Every figure is a text, and `-` means no data. Deleted campaigns are omitted
 * unless they are requested.
 */
const Metric = z.union([z.string(), z.number()]).optional().catch(undefined);
const Report = z.object({
  list: z.array(z.object({ metrics: z.object({ spend: Metric, impressions: Metric, reach: Metric }) })).nullish(),
});

export interface Figures {
  readonly kind: "figures";
  readonly reach: number;
  readonly impressions: number;
  readonly spendMinor: number;
}

export async function readFigures(
  context: AccountContext,
  { adAccountId, currency }: Pick<BoostTerms, "adAccountId" | "currency">,
  campaignId: string,
): Promise<Figures | Failure> {
  const query = {
    advertiser_id: adAccountId,
    report_type: "BASIC",
    data_level: "AUCTION_CAMPAIGN",
    dimensions: ["campaign_id"],
    metrics: ["spend", "impressions", "reach"],
    query_lifetime: true,
    filtering: [among("campaign_ids", campaignId), among("campaign_status", "STATUS_ALL")],
    page: 1,
    page_size: 10,
  };
  const answer = await read(context, "report/integrated/get", query, Report);
  if (answer.kind === "failed") return answer;
  // No row: nothing was shown yet.
  const { reach = 0, impressions = 0, spend = 0 } = answer.value.list?.[0]?.metrics ?? {};
  return {
    kind: "figures",
    reach: count(reach),
    impressions: count(impressions),
    spendMinor: fromUnits(spend, currency),
  };
}

/** The value is JSON in a text, within the JSON of the filter. */
function among(field_name: string, value: string) {
  return { field_name, filter_type: "IN", filter_value: JSON.stringify([value]) };
}

function count(metric: string | number): number {
  const value = Math.round(Number(metric));
  return Number.isFinite(value) ? value : 0;
}
