import type { CommentActs } from "../commenting.ts";
import { post, Success } from "../meta/graph.ts";
import { okAs } from "../outcomes.ts";
import { graphOf } from "./api.ts";

/** Acts on other people's replies: those below a hidden reply are hidden with it. */
export const acts = {
  async hide(context, { id }, isOn) {
    const call = post(`${id}/manage_reply`, { hide: String(isOn) });
    return okAs(await graphOf(context).read(call, Success), "done");
  },
  hidesTopLevelOnly: "Threads hides only replies to the post itself; the replies below follow them.",
  like: "The API of Threads cannot like replies.",
  remove: "Threads does not let an account delete other people's replies. Hide it instead.",
} satisfies CommentActs;
