import type { CommentActs } from "../commenting.ts";
import { isGone } from "../meta/errors.ts";
import { post, Success } from "../meta/graph.ts";
import { okAs } from "../outcomes.ts";
import { graphOf } from "./api.ts";

/**
 * Acts on other people's comments under an account's posts. By Facebook Login a hidden comment vanishes from
 * lists, so only its stored id shows it again.
 */
export const acts = {
  async hide(context, { id }, isOn) {
    return okAs(await graphOf(context).read(post(id, { hide: String(isOn) }), Success), "done");
  },
  like: "Instagram's API cannot like comments.",
  async remove(context, { id }) {
    const graph = graphOf(context);
    const answer = await graph.request({ method: "DELETE", path: id });
    if (isGone(answer)) return { kind: "done" };
    return okAs(graph.interpretRead(answer, Success), "done");
  },
} satisfies CommentActs;
