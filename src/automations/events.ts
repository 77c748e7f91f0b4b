import { z } from "zod";
import { FAILURE_CODES } from "../core/failures.ts";
import { eventLog } from "../events/store.ts";

/** The events of a comment automation. The compiler checks writes against this list. */

const comment = {
  post_id: z.int(),
  comment_id: z.string(),
};

export const AUTOMATION_EVENTS = {
  "automation.created": { description: "The comment automation was created.", detail: z.object({}) },
  "automation.changed": {
    description: "The comment automation was changed, stopped or started on request.",
    detail: z.object({ fields: z.array(z.string()), status: z.enum(["active", "stopped"]) }),
  },
  "automation.deleted": { description: "The comment automation was deleted on request.", detail: z.object({}) },
  "automation.replied": {
    description: "A comment was answered: in public, by a direct message, or both.",
    detail: z.object({
      ...comment,
      /** Null if none was sent. */
      comment_reply: z.string().nullable(),
      comment_reply_id: z.string().nullable(),
      direct_message: z.string().nullable(),
      direct_message_id: z.string().nullable(),
    }),
  },
  "automation.reply_failed": {
    description: "A comment could not be answered, or it is unconfirmed whether it was.",
    detail: z.object({ ...comment, error_code: z.enum(FAILURE_CODES) }),
  },
} as const;

export const automationEvents = eventLog("automation", AUTOMATION_EVENTS);
