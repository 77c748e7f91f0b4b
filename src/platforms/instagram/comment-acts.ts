import type { CommentActs } from "../commenting.ts";
import { isGone } from "../meta/errors.ts";
import { post, Success } from "../meta/graph.ts";
import { graphOf } from "./api.ts";

/**
 * Acts on other people's comments under an account's posts. By Facebook Login a hidden comment vanishes from
 * lists, so only its stored id shows it again.
 */
const DONE = { kind: "done" } as const;

export const acts = {
  async hide(context, { id }, isOn) {
    const graph = graphOf(context);
    const outcome = graph.interpretRead(await graph.request(post(id, { hide: String(isOn) })), Success);
    return outcome.kind === "ok" ? DONE : outcome;
  },
  like: "Instagram's API cannot like comments.",
  async remove(context, { id }) {
    const graph = graphOf(context);
    const answer = await graph.request({ method: "DELETE", path: id });
    if (isGone(answer)) return DONE;
    const outcome = graph.interpretRead(answer, Success);
    return outcome.kind === "ok" ? DONE : outcome;
  },
} satisfies CommentActs;
