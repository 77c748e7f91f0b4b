import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";

/** What can happen to a boost campaign. Writing an event is checked against this, and the API document is made from it. */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });
const about = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ social_post_id: z.int(), ...shape });
const figures = { reach: z.int(), impressions: z.int(), spend: z.number(), currency: z.string() };

export const CAMPAIGN_EVENTS = {
  "campaign.created": { tells: "The campaign was accepted.", detail: about({}) },
  "campaign.submitted": { tells: "The campaign is at the platform, which reviews it.", detail: about({}) },
  "campaign.waiting": {
    tells: "It waits, and goes on by itself; told once for each cause.",
    detail: z.object({
      until: instant,
      error_code: z
        .union([FailureCodeView, z.null()])
        .openapi({ description: "What stands in the way; null for nothing." }),
    }),
  },
  "campaign.live": { tells: "The platform shows the campaign.", detail: about({}) },
  "campaign.paused": {
    tells: "The platform shows it no more for now, or somebody has paused it there.",
    detail: about({}),
  },
  "campaign.rejected": { tells: "The platform does not show the campaign; the message says why.", detail: about({}) },
  "campaign.completed": { tells: "Its time is over.", detail: about(figures) },
  "campaign.failed": {
    tells: "The campaign could not be made. Nothing of it runs.",
    detail: about({ error_code: FailureCodeView }),
  },
  "campaign.updated": { tells: "It was changed on request.", detail: about({ fields: z.array(z.string()) }) },
  "campaign.changed": { tells: "The platform has it as it was changed.", detail: about({}) },
  "campaign.change_failed": {
    tells: "The platform did not take a change; the campaign is as the platform has it.",
    detail: about({ error_code: FailureCodeView }),
  },
  "campaign.deleted": {
    tells: "The campaign was deleted on request. It ends at the platform then.",
    detail: about({}),
  },
  "campaign.removed": { tells: "Nothing of the deleted campaign is at the platform any more.", detail: about({}) },
  "campaign.removal_failed": {
    tells: "The deleted campaign may still be at the platform, and spend: somebody has to look.",
    detail: about({ error_code: FailureCodeView }),
  },
} as const;

export const campaignEvents = eventLog("campaign", CAMPAIGN_EVENTS);
export type CampaignEvent = EventOf<typeof CAMPAIGN_EVENTS>;
