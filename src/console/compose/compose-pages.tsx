import { listChannelsByCursor } from "../../channels/list.ts";
import type { ChannelState } from "../../channels/store.ts";
import { hasOwnForm } from "../../platforms/facts.ts";
import { validatePost } from "../../posts/create/validate.ts";
import {
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  type ProjectVisit,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { requireFormKey } from "../once-for-form.ts";
import { MOST_CHANNELS, readChosenChannels } from "./chosen-channels.ts";
import { bodyFor, firstOf } from "./compose-form.ts";
import { ComposePage, composePath } from "./compose-views.tsx";
import { createOne, isProposed, problemsOf } from "./create-posts.ts";
import { formAction, mediaActions } from "./form-action.tsx";
import { GENERATE, readGenerating, withGenerated } from "./generate-actions.ts";
import type { Generating } from "./generate-section.tsx";
import { type Checked, Report, statusOf } from "./report.tsx";
import { threadFor, withSplit } from "./split-long.ts";
import { withUpload } from "./upload.ts";

/**
 * Writing posts: the functions of create-post and validate-post, once for each chosen channel. Posts are
 * created with a key of the form and the channel, so a form that is sent twice creates each post once.
 */

const PATH = "/projects/:project/compose";
const composePage = projectPage({
  path: PATH,
  role: "author",
  menu: { title: ({ compose }) => compose.title, icon: "pen" },
  title: ({ compose }) => compose.title,
  load: async (visit) => {
    const { deps, project, now } = visit;
    const filter = { userRef: null, platforms: null, health: null, limit: MOST_CHANNELS };
    const [channels, generating] = await Promise.all([
      listChannelsByCursor(deps.db, project.id, { filter, now, after: null }),
      readGenerating(visit),
    ]);
    return { ...channels, generating };
  },
  view: ({ items, next, generating }, visit) => {
    const filled = withForm(visit, startOf(visit, generating));
    const page = { visit: filled, channels: items, hasMore: next !== null, generating };
    return <ComposePage {...page} />;
  },
});

/** A generation that the address names is in the form from the start. */
function startOf({ form, origin }: ProjectVisit, { generation }: Generating): Fields {
  const isNew = Object.keys(form.fields).length === 0;
  return isNew && generation?.state === "done" ? withGenerated({}, generation, { origin }) : form.fields;
}

const withForm = (visit: ProjectVisit, fields: Fields): ProjectVisit => ({ ...visit, form: { ...visit.form, fields } });

const checkAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/check",
  isRecorded: false,
  run: async (visit, fields) => {
    const checked = await checkAll(visit, fields, await chosenChannels(visit, fields));
    return shown(visit, fields, checked, 200);
  },
});

const splitAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/split",
  isRecorded: false,
  run: async (visit, sent) => {
    const channels = await chosenChannels(visit, sent);
    const fields = withSplit(visit, sent, channels);
    return shown(visit, fields, await checkAll(visit, fields, channels), 200);
  },
});

const createAction = formAction({
  effect: "creates",
  page: PATH,
  run: async (visit, sent, key): Promise<Redirect | ShowForm> => {
    const channels = await chosenChannels(visit, sent);
    const mode = firstOf(sent, "publish_mode");
    requireFormKey(sent);
    const fields = await withUpload(visit, sent);
    const created: string[] = [];
    const refused: Checked[] = [];
    // A draft may be incomplete at the platform. All others are checked before the first is created.
    if (mode !== "draft" && channels.length > 1) {
      const checked = await checkAll(visit, fields, channels);
      if (checked.some((one) => "problems" in one)) return shown(visit, fields, checked, 422);
    }
    for (const channel of channels) {
      const found = await problemsOf(visit, async () => {
        created.push(
          `${channel.name}: ${await createOne(visit, fields, { key, channel, body: bodyFor(fields, channel, visit.project.timeZone) })}`,
        );
      });
      if (found) refused.push({ channel, ...found, threadItems: itemsFor(visit, fields, channel) });
    }
    if (refused.length > 0) return shownRest(visit, fields, refused, created);
    const { compose } = visit.texts;
    const lead = isProposed(visit, fields)
      ? compose.proposed({ count: created.length })
      : compose.created({ count: created.length });
    const notice = [lead, ...(created.length > MOST_NAMED ? [] : created)].join(" ");
    return { to: composePath(visit), flash: { notice } };
  },
});

/** A notice is kept in a cookie. */
const MOST_NAMED = 5;

/** Without those that have a page of their own. */
async function chosenChannels(visit: ProjectVisit, fields: Fields) {
  const channels = (await readChosenChannels(visit, fields)).filter(({ platform }) => !hasOwnForm(platform));
  if (channels.length === 0) throw new FormProblem({ channel: [visit.texts.compose.chooseChannel] });
  return channels;
}

async function checkAll(visit: ProjectVisit, fields: Fields, channels: readonly ChannelState[]): Promise<Checked[]> {
  const { deps, caller, project } = visit;
  const checked: Checked[] = [];
  // One after another: the project's concurrent checks of files are limited.
  for (const channel of channels) {
    const refused = await problemsOf(visit, async () => {
      const body = bodyFor(fields, channel, project.timeZone);
      checked.push({ channel, type: body.post_type, found: await validatePost(deps, caller, body) });
    });
    if (refused) checked.push({ channel, ...refused, threadItems: itemsFor(visit, fields, channel) });
  }
  return checked;
}

const itemsFor = (visit: ProjectVisit, fields: Fields, channel: ChannelState) =>
  threadFor(visit, fields, channel, false)?.length;

const splitPath = (visit: ProjectVisit): string => `${composePath(visit)}/split`;

function shown(visit: ProjectVisit, fields: Fields, checked: readonly Checked[], status: ShowForm["status"]): ShowForm {
  const { problems } = visit.texts.compose;
  const report = (
    <Report visit={visit} fields={fields} checked={checked} problemsTitle={problems} splitPath={splitPath(visit)} />
  );
  return { again: { ...NO_FORM, fields, report }, status: statusOf(checked, status) };
}

/** Some posts exist: only the channels without one stay chosen. */
function shownRest(visit: ProjectVisit, fields: Fields, refused: readonly Checked[], created: readonly string[]) {
  const { compose } = visit.texts;
  const title = created.length === 0 ? compose.problems : compose.problemsRest;
  const report = (
    <Report visit={visit} fields={fields} checked={refused} problemsTitle={title} splitPath={splitPath(visit)} />
  );
  const channel = refused.map(({ channel: { id } }) => String(id));
  const problem = created.length === 0 ? null : compose.partly({ names: created.join(" ") });
  const again = { ...NO_FORM, fields: { ...fields, channel }, problem, report };
  const status = created.length === 0 ? statusOf(refused, 422) : 422;
  return { again, status, isRecorded: created.length > 0 } as const;
}

export const COMPOSE: readonly Entry[] = [
  composePage,
  checkAction,
  splitAction,
  ...mediaActions(PATH),
  createAction,
  ...GENERATE,
];
