import { absent } from "../../core/errors.ts";
import { readNumbersOf } from "../../insights/read.ts";
import { readPostHistory } from "../../posts/timelines/timeline.ts";
import { type Entry, projectPage } from "../definition.ts";
import { PostNumbersSection } from "../insights/post-numbers.tsx";
import { POST_ACTIONS, POST_PATH, postIdOf } from "./post-actions.ts";
import { PostView } from "./post-views.tsx";
import { postsPage } from "./posts-page.tsx";

/** Everything that is known of one post, also of a deleted one for as long as its timeline is kept. */
const postPage = projectPage({
  path: POST_PATH,
  role: "viewer",
  title: ({ posts }, { params }) => posts.pageTitle({ id: postIdOf({ params }) }),
  load: async ({ deps, project, params, caller }) => {
    const id = postIdOf({ params });
    const found = await readPostHistory(deps, project.id, id);
    if (!found) throw absent("post", id);
    return { found, numbers: await readNumbersOf(deps, caller, found.post) };
  },
  view: ({ found, numbers }, visit) => (
    <PostView visit={visit} found={found} numbers={<PostNumbersSection visit={visit} numbers={numbers} />} />
  ),
});

export const POSTS: readonly Entry[] = [postsPage, postPage, ...POST_ACTIONS];
