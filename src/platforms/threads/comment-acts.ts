import type { CommentActs } from "../commenting.ts";
import { post, Success } from "../meta/graph.ts";
import { graphOf } from "./api.ts";

/** Acts on other people's replies: those below a hidden reply are hidden with it. */
export const acts = {
  async hide(context, { id }, isOn) {
    const graph = graphOf(context);
    const call = post(`${id}/manage_reply`, { hide: String(isOn) });
    const outcome = graph.interpretRead(await graph.request(call), Success);
    return outcome.kind === "ok" ? { kind: "done" } : outcome;
  },
  hidesTopLevelOnly: "Threads hides only replies to the post itself; the replies below follow them.",
  like: "The API of Threads cannot like replies.",
  remove: "Threads does not let an account delete other people's replies. Hide it instead.",
} satisfies CommentActs;
