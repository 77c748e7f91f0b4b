import { z } from "zod";
import { ENDINGS } from "../../api/endings.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { updatePost } from "../../posts/change/update.ts";
import { type Again, dismissFailed, postAgain } from "../../posts/create/again.ts";
import { recallCreated } from "../../posts/create/created.ts";
import { deletePost } from "../../posts/delete/remove.ts";
import { UpdatePostBody } from "../../posts/schema.ts";
import { apiBody } from "../api-body.ts";
import { type Entry, type ProjectVisit, projectAction } from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import type { FormKey } from "../form-key.ts";
import { projectPath } from "../layout.tsx";
import { onceForForm } from "../once-for-form.ts";

/** What a person does with a post: the use cases of the API, and posting a failed post again. */

export const POST_PATH = "/projects/:project/posts/:post";

export const postIdOf = ({ params }: Pick<ProjectVisit, "params">): PostId => idOf<PostId>(idIn(params.post));
export const postPath = (projectId: number, id: number): string => `${projectPath(projectId)}/posts/${id}`;

const changeAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/schedule`,
  page: POST_PATH,
  role: "editor",
  body: () => z.object({ mode: field(z.enum(["now", "scheduled", "queued", "draft"])), at: field(z.string()) }),
  run: async ({ deps, caller, project, params, texts }, { mode, at }) => {
    const id = postIdOf({ params });
    const time = { schedule_time: at.replace("T", " ").slice(0, 16), time_zone: project.timeZone };
    const body = apiBody(UpdatePostBody, { publish_mode: mode, ...(mode === "scheduled" ? time : {}) });
    await updatePost(deps, caller, id, body);
    return { to: postPath(project.id, id), flash: { notice: texts.posts.done[mode] } };
  },
});

/** Answers with the sentence of the API, which says what happens to the live items. */
const deleteAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/delete`,
  page: POST_PATH,
  role: "editor",
  body: () => NoFields,
  run: async ({ deps, caller, project, params }) => {
    const notice = await deletePost(deps, caller, postIdOf({ params }), ENDINGS.post);
    return { to: `${projectPath(project.id)}/posts`, flash: { notice } };
  },
});

async function createAgain(visit: ProjectVisit, again: Again, key: FormKey): Promise<PostId> {
  const { deps, caller, params } = visit;
  const post = postIdOf({ params });
  const { id } = await onceForForm(
    visit,
    { key, operationId: "postAgain", body: { post, mode: again.mode } },
    (record) => postAgain(deps, caller, post, { ...again, record }),
    recallCreated,
  );
  return id;
}

const againAction = projectAction({
  effect: "creates",
  path: `${POST_PATH}/again`,
  page: POST_PATH,
  role: "editor",
  body: () => z.object({ checked: field(z.enum(["", "yes"])) }),
  run: async (visit, { checked }, key) => {
    const { project, texts } = visit;
    const id = await createAgain(visit, { mode: "now", isChecked: checked === "yes" }, key);
    return { to: postPath(project.id, id), flash: { notice: texts.posts.done.again } };
  },
});

const copyAction = projectAction({
  effect: "creates",
  path: `${POST_PATH}/copy`,
  page: POST_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit, _, key) => {
    const { project, texts } = visit;
    const id = await createAgain(visit, { mode: "draft", isChecked: false }, key);
    return { to: `${postPath(project.id, id)}/edit`, flash: { notice: texts.posts.done.copied } };
  },
});

const dismissAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/dismiss`,
  page: POST_PATH,
  role: "editor",
  body: () => NoFields,
  run: async ({ deps, project, params, texts, now }) => {
    const id = postIdOf({ params });
    await dismissFailed(deps, project.id, id, now);
    return { to: projectPath(project.id), flash: { notice: texts.posts.done.dismissed } };
  },
});

export const POST_ACTIONS: readonly Entry[] = [changeAction, deleteAction, againAction, copyAction, dismissAction];
