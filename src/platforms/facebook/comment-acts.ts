import { z } from "zod";
import type { CommentActs } from "../commenting.ts";
import { lenient } from "../lists.ts";
import { isGone } from "../meta/errors.ts";
import { get, post, Success } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import { graphOf } from "./api.ts";

/**
 * Acts on other people's comments under a Page's posts, by the scope of writing comments. `can_hide` is read
 * before hiding, because Facebook does not document the refusal.
 */
const Shown = z.object({ can_hide: lenient(z.boolean()), is_hidden: lenient(z.boolean()) });
const DONE = { kind: "done" } as const;

export const acts = {
  async hide(context, { id }, isOn) {
    const graph = graphOf(context);
    const shown = await graph.read(get(id, { fields: "can_hide,is_hidden" }), Shown);
    if (shown.kind === "failed") return shown;
    if (shown.value.is_hidden === isOn) return DONE;
    if (isOn && shown.value.can_hide === false) return rejected("Facebook does not let the Page hide this comment.");
    const call = post(id, { is_hidden: String(isOn) });
    const outcome = graph.interpretRead(await graph.request(call), Success);
    return outcome.kind === "ok" ? DONE : outcome;
  },
  async like(context, { id }, isOn) {
    const graph = graphOf(context);
    const path = `${id}/likes`;
    const call = isOn ? post(path, {}) : ({ method: "DELETE", path } as const);
    const outcome = graph.interpretRead(await graph.request(call), Success);
    return outcome.kind === "ok" ? DONE : outcome;
  },
  async remove(context, { id }) {
    const graph = graphOf(context);
    const answer = await graph.request({ method: "DELETE", path: id });
    if (isGone(answer)) return DONE;
    const outcome = graph.interpretRead(answer, Success);
    return outcome.kind === "ok" ? DONE : outcome;
  },
} satisfies CommentActs;
