import type { Commenting } from "../commenting.ts";
import type { Json } from "../context.ts";
import { advance, Container, isPublishable, NO_CONTAINER, type Plan } from "./containers.ts";
import { findWanted } from "./find.ts";
import { LIST_LAG_SECONDS, pauseOf, remove } from "./posts.ts";
import { publish } from "./publish.ts";
import { textRules } from "./text.ts";

/**
 * A comment at Threads is a post of its own in reply to the profile's post (under a thread: to its first item), and made as one:
 * of a container. It outlives the post that it answers.
 */
function containerOf(progress: Json | null): Container {
  return Container.safeParse(progress).data ?? NO_CONTAINER;
}

function planOf(parent: string, text: string): Plan {
  return { form: { media_type: "TEXT", text, reply_to_id: parent }, file: null, isReply: true };
}

export const comments: Commenting = {
  types: ["post", "thread"],
  text: () => textRules,
  lagSeconds: LIST_LAG_SECONDS,
  // Of the 1,000 replies that a profile may write in a day.
  pace: { most: 900, perSeconds: 24 * 3600, scope: "account" },
  async prepare(context, { post: { id } }, text, progress) {
    const container = containerOf(progress);
    if (isPublishable(container, context.now)) return { kind: "ready", progress: container };
    const step = await advance(context, container, planOf(id, text));
    if (step.kind === "failed") return step;
    const { upload } = step;
    return step.kind === "ready"
      ? { kind: "ready", progress: upload }
      : { kind: "more", progress: upload, ...pauseOf(step) };
  },
  async create(context, _target, _text, progress) {
    const outcome = await publish(context, containerOf(progress));
    if (outcome.kind !== "lost") return outcome;
    const { container, message, afterSeconds } = outcome;
    return { kind: "unprepared", progress: container, message, afterSeconds };
  },
  async find(context, { post: { id: parent } }, { text, since, taken, progress }) {
    const wanted = { container: containerOf(progress), text, type: "TEXT_POST", parent };
    const found = await findWanted(context, wanted, { since, taken });
    return found.kind === "found" ? { kind: "found", id: found.post.id } : found;
  },
  remove,
};
