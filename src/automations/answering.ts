import type { Actor } from "../channels/store.ts";
import type { SeenComment } from "../comments/store.ts";
import type { Journal } from "../jobs/journal.ts";
import type { Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import type { Reply } from "./reply-store.ts";
import type { Automation } from "./table.ts";

/** An answer that is about to be sent, with everything it needs. */
export interface Answering {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly reply: Reply;
  readonly comment: SeenComment;
  readonly automation: Automation;
  readonly post: Post;
  /** Of the channel's other comments under the post. */
  readonly ownIds: readonly string[];
  readonly actor: Actor;
}
