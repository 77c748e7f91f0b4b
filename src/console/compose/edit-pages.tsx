import { selectChannels } from "../../channels/store.ts";
import { absent } from "../../core/errors.ts";
import { includesRole } from "../../people/roles.ts";
import { hasOwnForm, platformTitle } from "../../platforms/facts.ts";
import { requireChangeable } from "../../posts/change/update-store.ts";
import { toPostingOptionsView } from "../../posts/content/posting-options.ts";
import { validatePost } from "../../posts/create/validate.ts";
import type { CreatePostBody } from "../../posts/schema.ts";
import { findWholePost } from "../../posts/store.ts";
import {
  type Entry,
  type Fields,
  NO_FORM,
  PageProblem,
  type ProjectVisit,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { Top } from "../parts.tsx";
import { POST_PATH, postIdOf, postPath } from "../posts/post-actions.ts";
import { inLanguage } from "../problem-texts.ts";
import { isShown } from "../refusal.ts";
import { bodyFor, firstOf } from "./compose-form.ts";
import { problemsOf } from "./create-posts.ts";
import { Conflict, type Edited, EditPage, FixedPost } from "./edit-views.tsx";
import { formAction, mediaActions } from "./form-action.tsx";
import { changedSince, fieldsOf, readWritten, type Written, writtenOf } from "./post-fields.ts";
import { type Checked, Report, statusOf } from "./report.tsx";
import { saveEdited } from "./save-edited.ts";
import { checkTiktok, optionsOf, tiktokBody } from "./tiktok-pages.tsx";
import { withUpload } from "./upload.ts";

/**
 * A post in the composer again: update-post of the same post. The form carries the post as it was opened, so
 * a change by someone else in between is shown, and never overwritten unseen.
 */

const PATH = `${POST_PATH}/edit`;
const pathOf = (visit: ProjectVisit) => `${postPath(visit.project.id, postIdOf(visit))}/edit`;

/** The post with its channel: two D1 calls. Errors: `not_found`, `not_changeable`, as posting-options. */
async function readEdited(visit: ProjectVisit) {
  const { deps, project, role } = visit;
  const { edit } = visit.texts.compose;
  const id = postIdOf(visit);
  const post = await findWholePost(deps, project.id, id);
  if (!post) throw absent("post", id);
  requireChangeable(post);
  if (post.state !== "draft" && !includesRole(role, "editor")) throw new PageProblem("not_changeable", edit.notYours);
  const written = writtenOf(post, project.timeZone);
  if (hasOwnForm(post.channelType)) {
    const found = await optionsOf(visit, post.channelId);
    return { post, channel: { ...found.channel, grants: [] }, written, found };
  }
  const [channel] = await selectChannels(deps.db, project.id, [post.channelId]);
  if (!channel) throw new PageProblem("not_changeable", edit.noChannel);
  return { post, channel, written, found: null };
}
type Opened = Awaited<ReturnType<typeof readEdited>>;

const editPage = projectPage({
  path: PATH,
  role: "author",
  title: ({ compose }) => compose.edit.title,
  load: async (visit) => {
    try {
      return { edited: await readEdited(visit), problem: null };
    } catch (error) {
      if (!isShown(error)) throw error;
      return { edited: null, problem: inLanguage(error, visit.language).problem };
    }
  },
  view: ({ edited, problem }, visit) => {
    const { edit } = visit.texts.compose;
    const back = postPath(visit.project.id, postIdOf(visit));
    if (!edited) return <FixedPost visit={visit} problem={problem} back={back} />;
    const { form } = visit;
    const isRefused = Object.keys(form.fields).length > 0;
    const fields = isRefused ? form.fields : formOf(edited);
    const options = edited.found && toPostingOptionsView(edited.found);
    const page = { visit: { ...visit, form: { ...form, fields } }, edited, options, path: pathOf(visit), back };
    return (
      <>
        <Top
          title={edit.title}
          lead={edit.lead({ channel: edited.channel.name, platform: platformTitle(edited.post.channelType) })}
        />
        <EditPage {...page} />
      </>
    );
  },
});

/** The fields of the form, with the post as it is now. */
function formOf({ post, channel, written }: Edited): Fields {
  const isAsked = post.state === "draft" && ["waiting", "sent_back"].includes(post.approvalState ?? "");
  const approval = isAsked ? { approval: ["wait"] } : {};
  return { ...fieldsOf(written, channel, post), ...approval, opened: [JSON.stringify(written)] };
}

/** The body of create-post that the form stands for. */
function bodyOf(visit: ProjectVisit, fields: Fields, { channel, found }: Opened): CreatePostBody {
  return found ? tiktokBody(visit, fields, found) : bodyFor(fields, channel, visit.project.timeZone);
}

const checkAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/check",
  isRecorded: false,
  run: async (visit, fields): Promise<ShowForm> => {
    const opened = await readEdited(visit);
    const { channel } = opened;
    const checked: Checked[] = [];
    const refused = await problemsOf(visit, async () => {
      checked.push(await check(visit, opened, bodyOf(visit, fields, opened)));
    });
    if (refused) checked.push({ channel, ...refused });
    const report = (
      <Report visit={visit} fields={fields} checked={checked} problemsTitle={visit.texts.compose.problems} />
    );
    return { again: { ...NO_FORM, fields, report }, status: statusOf(checked, 200) };
  },
});

async function check(visit: ProjectVisit, { post, channel, found }: Opened, body: CreatePostBody): Promise<Checked> {
  if (found) return checkTiktok(visit, found, body, post.id);
  return { channel, type: body.post_type, found: await validatePost(visit.deps, visit.caller, body, post.id) };
}

const saveAction = formAction({
  effect: "sets",
  page: PATH,
  run: async (visit, sent): Promise<Redirect | ShowForm> => {
    const edited = await readEdited(visit);
    const fields = await withUpload(visit, sent);
    const opened = readWritten(firstOf(fields, "opened"));
    // A form without the post that it was opened with overwrites nothing.
    if (!opened || Object.keys(changedSince(opened, edited.written)).length > 0) {
      return conflictOf(visit, fields, edited, opened);
    }
    const notice = await saveEdited(visit, fields, { ...edited, wanted: bodyOf(visit, fields, edited) });
    return { to: postPath(visit.project.id, edited.post.id), flash: { notice } };
  },
});

/** Nothing is saved: the form has the new values where the person changed nothing, and the differences. */
function conflictOf(visit: ProjectVisit, fields: Fields, edited: Edited, opened: Written | null): ShowForm {
  const { channel, post, written } = edited;
  const now = formOf(edited);
  const before = fieldsOf(opened ?? written, channel, post);
  const names = new Set([...Object.keys(before), ...Object.keys(now), ...Object.keys(fields)]);
  const isSame = (one: Fields, other: Fields, name: string) =>
    (one[name] ?? []).filter((value) => value !== "").join("\n") ===
    (other[name] ?? []).filter((value) => value !== "").join("\n");
  const merged = [...names].map((name) => [name, isSame(fields, before, name) ? now[name] : fields[name]] as const);
  const kept = Object.fromEntries(merged.flatMap(([name, values]) => (values === undefined ? [] : [[name, values]])));
  const report = <Conflict visit={visit} changes={changedSince(opened ?? written, written)} path={pathOf(visit)} />;
  const problem = visit.texts.compose.edit.conflict;
  return { again: { ...NO_FORM, fields: { ...kept, opened: now.opened ?? [] }, problem, report }, status: 422 };
}

export const EDIT: readonly Entry[] = [editPage, checkAction, ...mediaActions(PATH, { open: readEdited }), saveAction];
