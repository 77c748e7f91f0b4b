import type { PostHistory } from "../../posts/timelines/timeline.ts";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { Facts } from "../lists.tsx";
import { FailureButtons, todoOf } from "./post-parts.tsx";

interface Failed {
  readonly visit: ProjectVisit;
  readonly post: PostHistory["post"];
}

/** Why a post failed, what to do, and the buttons that do it. */
export function FailureCard({ visit, post }: Failed) {
  const { posts: texts } = visit.texts;
  return (
    <section class="card bad">
      <p>
        <FailureText visit={visit} code={post.errorCode ?? "unexpected"} sentence={post.error} />
      </p>
      <Facts
        items={[
          [texts.todo, todoOf(visit.texts, post.errorCode)],
          [texts.code, <code>{post.errorCode ?? "unexpected"}</code>],
        ]}
      />
      {post.handledAt === null ? <FailureButtons visit={visit} post={post} /> : <p class="hint">{texts.handled}</p>}
    </section>
  );
}
