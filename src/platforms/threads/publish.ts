import type { AccountContext, Duplicate, Failure, Unknown } from "../context.ts";
import { post } from "../meta/graph.ts";
import { rejected, unknown } from "../outcomes.ts";
import { Created, graphOf } from "./api.ts";
import { afterLoss, type Container } from "./containers.ts";
import { isHeldBack, isLost } from "./errors.ts";

/** The call that makes a container public, for posts and comments. */
export type Published =
  | { readonly kind: "published"; readonly id: string }
  /** Certainly not public: the container is not found, or not ready. Retry after this wait. */
  | { readonly kind: "lost"; readonly container: Container; readonly message: string; readonly afterSeconds: number }
  | Unknown
  | Duplicate
  | Failure;

export async function publish(context: AccountContext, container: Container): Promise<Published> {
  if (container.id === null || container.readyAt === null) return rejected("The post was not prepared at Threads.");
  if (container.isPublished) return unknown("Threads reports this post as published. Looking it up.");
  const graph = graphOf(context);
  const answer = await graph.request(post("me/threads_publish", { creation_id: container.id }));
  const outcome = graph.interpretWrite(answer, Created);
  if (outcome.kind === "ok") return { kind: "published", id: outcome.value.id };
  if (outcome.kind !== "failed") return outcome;
  // Instagram returned this for posts that were live.
  if (isHeldBack(answer)) return unknown(outcome.message);
  if (!isLost(answer) && outcome.reason !== "down") return outcome;
  return { kind: "lost", ...afterLoss(container, context.now), message: outcome.message };
}
