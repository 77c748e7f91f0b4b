import { z } from "@hono/zod-openapi";
import type { As } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { ActView, EXAMPLE_ACT, toActView } from "../act-schema.ts";
import type { ActKind } from "../acts.ts";
import { recallAct, requestAct, type WantedAct } from "../request-act.ts";
import { CommentIdParam } from "../schema.ts";

/** What is done with comments: each request opens a job, which acts once. */
export const COMMON = {
  tag: "Comments",
  permission: "social-manage-comments",
  extension: true,
  audited: true,
  quotas: "waiting requests on a comment",
  params: CommentIdParam,
  answer: z.object({ act: ActView, status: z.literal(true) }),
  answerDescription: "What is carried out next.",
} as const;

/** The refusal of what only a comment that exists allows. */
export const DELETED = "Comment 981 was deleted.";

export const exampleOf = (act: ActKind) => ({ act: { ...EXAMPLE_ACT, act, text: null }, status: true }) as const;

/** What acts without a text share: each is requested once for a key, on a comment that exists. */
export const textlessAct = (kind: Exclude<ActKind, "reply" | "delete">) =>
  ({
    idempotent: true,
    refusedByState: DELETED,
    example: exampleOf(kind),
    run: (as: As, { params }: { readonly params: z.output<typeof CommentIdParam> }) =>
      requestOnce(as, { id: readPathId("comment", params.comment_id), kind, text: null }),
  }) as const;

/** Requests the act once for each key. The operation names its kind. */
export async function requestOnce({ deps, caller, endings, once }: As, act: Omit<WantedAct, "projectId">) {
  const { id, text } = act;
  const requested = await once(
    text === null ? { id } : { id, text },
    (record) => requestAct(deps, { projectId: caller.projectId, ...act }, endings.comment, record),
    (stored) => recallAct(deps, stored),
  );
  return { act: toActView(requested), status: true } as const;
}
