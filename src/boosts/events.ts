import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { answer } from "../posts/events.ts";

/**
 * The events of a boost campaign. Event writes are checked against this schema, and the OpenAPI document is
 * generated from it.
 */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });
/** Each event names the post, so that receivers need no other call. */
const about = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ social_post_id: z.int(), ...shape });
const spent = {
  spend: z.number().optional().openapi({ description: "The amount that was spent until then." }),
  currency: z.string().optional(),
};
const figures = { reach: z.int(), impressions: z.int(), spend: z.number(), currency: z.string() };

export const CAMPAIGN_EVENTS = {
  "campaign.created": { description: "The campaign was accepted.", detail: about({}) },
  "campaign.submitted": {
    description: "The campaign was created at the platform, which reviews it.",
    detail: about({}),
  },
  "campaign.waiting": {
    description: "The campaign waits and continues automatically; one event for each cause.",
    detail: about({
      until: instant,
      error_code: z
        .union([FailureCodeView, z.null()])
        .openapi({ description: "The cause of the wait; null if nothing is wrong." }),
      answer,
    }),
  },
  "campaign.live": { description: "The platform shows the campaign.", detail: about({}) },
  "campaign.paused": {
    description: "The platform has stopped showing the campaign for now, or a person paused it there.",
    detail: about({}),
  },
  "campaign.rejected": {
    description: "The platform does not show the campaign. `message` has the reason.",
    detail: about({}),
  },
  "campaign.completed": { description: "The campaign has ended.", detail: about(figures) },
  "campaign.failed": {
    description: "The campaign could not be created. Nothing of it is left at the platform.",
    detail: about({ error_code: FailureCodeView, ...spent, answer }),
  },
  "campaign.updated": {
    description: "The campaign was changed by a request.",
    detail: about({ fields: z.array(z.string()) }),
  },
  "campaign.changed": { description: "The platform has applied a change.", detail: about({}) },
  "campaign.change_failed": {
    description: "The platform did not apply a change. The previous terms are restored.",
    detail: about({ error_code: FailureCodeView, answer }),
  },
  "campaign.deleted": {
    description: "The campaign was deleted by a request. It is ended at the platform next.",
    detail: about({}),
  },
  "campaign.removed": {
    description: "Nothing of the deleted campaign is left at the platform.",
    detail: about(spent),
  },
  "campaign.removal_failed": {
    description:
      "The platform refuses to end the campaign, and it may continue to spend. The service retries until it is ended.",
    detail: about({ error_code: FailureCodeView, answer }),
  },
} as const;

export const campaignEvents = eventLog("campaign", CAMPAIGN_EVENTS);
export type CampaignEvent = EventOf<typeof CAMPAIGN_EVENTS>;
