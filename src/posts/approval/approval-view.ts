import { z } from "@hono/zod-openapi";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import type { Post } from "../store.ts";
import { APPROVAL_STATES, WantedSchedule } from "../stored.ts";

/** The approval of a post in answers. */
export const ApprovalView = z
  .object({
    state: z.enum(APPROVAL_STATES),
    revision: z.int().openapi({ description: "Grows with every change of the post. A decision names it." }),
    wanted: z.object(WantedSchedule.shape).openapi({ description: "How the post is published once it is approved." }),
    requested_by: z.string(),
    requested_at: z.string(),
    decided_by: z.string().nullable(),
    decided_at: z.string().nullable(),
    note: z.string().nullable().openapi({ description: "Of the decision; before it, of the request." }),
  })
  .openapi("Approval", {
    example: {
      state: "waiting",
      revision: 3,
      wanted: { publish_mode: "queued" },
      requested_by: "ada@example.com",
      requested_at: "2030-03-04T08:12:30.512+00:00",
      decided_by: null,
      decided_at: null,
      note: "The price is new.",
    },
  });

export type ApprovalColumns = Pick<Post, "approvalState" | "approval" | "revision">;

/** Null if approval was never requested. */
export function toApprovalView({
  approvalState: state,
  approval,
  revision,
}: ApprovalColumns): z.output<typeof ApprovalView> | null {
  if (state === null || approval === null) return null;
  return {
    state,
    revision,
    wanted: approval.wanted,
    requested_by: approval.requestedBy,
    requested_at: isoUtc(approval.requestedAt),
    decided_by: approval.decidedBy,
    decided_at: isoUtcOrNull(approval.decidedAt),
    note: approval.note,
  };
}
