import { z } from "@hono/zod-openapi";
import { isBlank } from "../../core/text.ts";
import { WantedSchedule } from "../stored.ts";

/** Shapes of requests for approval, and of decisions. */

const MAX_NOTE = 2_000;
const Note = z
  .string()
  .trim()
  .max(MAX_NOTE)
  .refine((words) => !isBlank(words), "must not be blank.");

const Revision = z.int().min(0).openapi({
  example: 3,
  description: "`approval.revision` of the post that was looked at. A post that changed since is refused.",
});

/** How the post is published once it is approved. */
const SCHEDULE = {
  publish_mode: WantedSchedule.shape.publish_mode,
  schedule_time: z.string().optional().openapi({ example: "2030-03-05 10:00" }),
  time_zone: z.string().optional().openapi({ example: "Europe/Berlin" }),
};

export const RequestApprovalBody = z
  .object({ ...SCHEDULE, note: Note.optional().openapi({ description: "For the approver." }) })
  .openapi("RequestApproval", { example: { publish_mode: "queued", note: "The price is new." } });

export const ApproveBody = z
  .object({
    revision: Revision,
    ...SCHEDULE,
    publish_mode: SCHEDULE.publish_mode.optional().openapi({ description: "Default: as requested." }),
    note: Note.optional(),
  })
  .openapi("ApprovePost", { example: { revision: 3 } });

export const SendBackBody = z
  .object({ revision: Revision, note: Note.openapi({ description: "What to change." }) })
  .openapi("SendBackPost", { example: { revision: 3, note: "Please name the price." } });
