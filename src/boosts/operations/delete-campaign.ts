import { z } from "@hono/zod-openapi";
import type { CampaignId } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { deleteCampaign } from "../change.ts";
import { CampaignIdParam } from "../schema.ts";
import { deletedSentence } from "../sentences.ts";
import { TAG } from "./common.ts";

export const DeleteCampaign = operation({
  id: "deleteCampaign",
  audited: true,
  method: "delete",
  path: "/boost-campaigns/delete-campaign/{campaign_id}",
  tag: TAG,
  permission: "boost-delete-campaign",
  extension: true,
  summary: "Delete a boost campaign",
  description:
    "Deletes the campaign at once, and ends it at the platform within seconds. Money that is already spent is not refunded. The post stays.",
  params: CampaignIdParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "It is gone.",
  example: { message: "The campaign “Opening week” was deleted; the platform will end it.", status: true },
  run: async (as, { params }) => {
    const id: CampaignId = readPathId("campaign", params.campaign_id);
    const message = deletedSentence(await deleteCampaign(as, id));
    return { message, status: true } as const;
  },
});
