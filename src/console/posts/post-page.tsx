import { absent } from "../../core/errors.ts";
import { readPostHistory } from "../../posts/timelines/timeline.ts";
import { type Entry, projectPage } from "../definition.ts";
import { POST_ACTIONS, POST_PATH, postIdOf } from "./post-actions.ts";
import { PostView } from "./post-views.tsx";
import { postsPage } from "./posts-page.tsx";

/** Everything that is known of one post, also of a deleted one for as long as its timeline is kept. */
const postPage = projectPage({
  path: POST_PATH,
  role: "viewer",
  title: ({ posts }, { params }) => posts.pageTitle(postIdOf({ params })),
  load: async ({ deps, project, params }) => {
    const id = postIdOf({ params });
    const found = await readPostHistory(deps, project.id, id);
    if (!found) throw absent("post", id);
    return found;
  },
  view: (found, visit) => <PostView visit={visit} found={found} />,
});

export const POSTS: readonly Entry[] = [postsPage, postPage, ...POST_ACTIONS];
