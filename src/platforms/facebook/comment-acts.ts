import { z } from "zod";
import type { CommentActs } from "../commenting.ts";
import { lenient } from "../lists.ts";
import { isGone } from "../meta/errors.ts";
import { get, post, Success } from "../meta/graph.ts";
import { okAs, rejected } from "../outcomes.ts";
import { graphOf } from "./api.ts";

/**
 * Acts on other people's comments under a Page's posts, by the scope of writing comments. `can_hide` is read
 * before hiding, because Facebook does not document the refusal.
 */
const Shown = z.object({ can_hide: lenient(z.boolean()), is_hidden: lenient(z.boolean()) });
export const acts = {
  async hide(context, { id }, isOn) {
    const graph = graphOf(context);
    const shown = await graph.read(get(id, { fields: "can_hide,is_hidden" }), Shown);
    if (shown.kind === "failed") return shown;
    if (shown.value.is_hidden === isOn) return { kind: "done" };
    if (isOn && shown.value.can_hide === false) return rejected("Facebook does not let the Page hide this comment.");
    return okAs(await graph.read(post(id, { is_hidden: String(isOn) }), Success), "done");
  },
  async like(context, { id }, isOn) {
    const path = `${id}/likes`;
    const call = isOn ? post(path, {}) : ({ method: "DELETE", path } as const);
    return okAs(await graphOf(context).read(call, Success), "done");
  },
  async remove(context, { id }) {
    const graph = graphOf(context);
    const answer = await graph.request({ method: "DELETE", path: id });
    if (isGone(answer)) return { kind: "done" };
    return okAs(graph.interpretRead(answer, Success), "done");
  },
} satisfies CommentActs;
