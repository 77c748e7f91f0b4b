import { interpretRead } from "../answers.ts";
import type { CommentActs } from "../commenting.ts";
import { okAs, rejected } from "../outcomes.ts";
import { ANY_BODY, encodeUrn, request, tableOf } from "./api.ts";
import { isExisting, isGone } from "./errors.ts";
import { commentsPath } from "./replies.ts";
import { objectIn } from "./shown-comment.ts";

/**
 * Acts on other people's comments under a page's posts, as the page. LinkedIn refuses a repeated reaction
 * (409 or 422, `isExisting`), and taking back one that does not exist (404): both are done.
 */

export const acts = {
  hide: "LinkedIn's API cannot hide comments.",
  async like(context, { id }, isOn) {
    const actor = context.account.id;
    const call = isOn
      ? ({
          method: "POST",
          path: "rest/reactions",
          query: { actor },
          json: { root: id, reactionType: "LIKE" },
        } as const)
      : ({
          method: "DELETE",
          path: `rest/reactions/(actor:${encodeUrn(actor)},entity:${encodeUrn(id)})`,
          restli: "DELETE",
        } as const);
    const answer = await request(context, call);
    if (isOn ? isExisting(answer) : isGone(answer)) return { kind: "done" };
    return okAs(interpretRead(tableOf(context), answer, ANY_BODY, context.now), "done");
  },
  async remove(context, { id, post }) {
    const number = /,(\d+)\)$/.exec(id)?.[1];
    if (number === undefined) return rejected("LinkedIn has no number for this comment. Delete it at linkedin.com.");
    const path = `${commentsPath(objectIn(id) ?? post.id)}/${number}`;
    const call = { method: "DELETE", path, query: { actor: context.account.id }, restli: "DELETE" } as const;
    const answer = await request(context, call);
    if (isGone(answer)) return { kind: "done" };
    return okAs(interpretRead(tableOf(context), answer, ANY_BODY, context.now), "done");
  },
} satisfies CommentActs;
