import { AppError } from "../../core/errors.ts";
import { type ChannelId, idOf, type PostId } from "../../core/ids.ts";
import { findPostingOptions, toPostingOptionsView } from "../../posts/content/posting-options.ts";
import { validatePost } from "../../posts/create/validate.ts";
import { CreatePostBody } from "../../posts/schema.ts";
import { apiBody } from "../api-body.ts";
import {
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  PageProblem,
  type ProjectVisit,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { idIn } from "../fields.ts";
import { requireFormKey } from "../once-for-form.ts";
import { PageStyle } from "../page-style.tsx";
import { Notices, Top } from "../parts.tsx";
import { inLanguage } from "../problem-texts.ts";
import { isShown } from "../refusal.ts";
import { firstOf, inputFor, mediaOf } from "./compose-form.ts";
import { COMPOSE_STYLE } from "./compose-style.ts";
import { createOne, problemsOf } from "./create-posts.ts";
import { formAction, mediaActions } from "./form-action.tsx";
import { type Checked, Report, statusOf } from "./report.tsx";
import { TiktokForm } from "./tiktok-views.tsx";
import { withUpload } from "./upload.ts";

/** Posting to TikTok: the choices come from posting-options, and the post goes to create-post. */

const PATH = "/projects/:project/compose/tiktok/:tiktok";
const pathOf = ({ project, params }: ProjectVisit) =>
  `/console/projects/${project.id}/compose/tiktok/${params.tiktok ?? ""}`;

const channelOf = ({ params }: ProjectVisit): ChannelId => idOf<ChannelId>(idIn(params.tiktok));

/** A channel of another platform has no such page. */
export async function optionsOf({ deps, caller }: ProjectVisit, channel: ChannelId) {
  try {
    return await findPostingOptions(deps, caller, channel);
  } catch (error) {
    if (error instanceof AppError && error.code === "unsupported_by_platform") {
      throw new AppError("not_found", error.message, { cause: error });
    }
    throw error;
  }
}

const tiktokPage = projectPage({
  path: PATH,
  role: "author",
  title: ({ tiktok }) => tiktok.title,
  load: async (visit) => {
    try {
      return { found: await optionsOf(visit, channelOf(visit)), problem: null };
    } catch (error) {
      if (!isShown(error)) throw error;
      return { found: null, problem: inLanguage(error, visit.language).problem };
    }
  },
  view: ({ found, problem }, visit) => {
    // The account must be connected again, or TikTok does not answer.
    if (!found) return <Top title={visit.texts.tiktok.title} lead={problem} />;
    const page = { visit, channel: found.channel, options: toPostingOptionsView(found), path: pathOf(visit) };
    return (
      <>
        <PageStyle visit={visit} rules={COMPOSE_STYLE} />
        <Top title={visit.texts.tiktok.title} />
        <Notices visit={visit} />
        <TiktokForm {...page} submit={visit.texts.tiktok.submit} />
      </>
    );
  },
});

type Found = Awaited<ReturnType<typeof optionsOf>>;

/** The choices of the person, checked against what the account offers now. Throws the problems by field. */
function readChoices({ texts }: ProjectVisit, fields: Fields, { options, reason }: Found) {
  const { tiktok } = texts;
  if (!options) throw new PageProblem("content_invalid", `${tiktok.cannotPost} ${reason ?? ""}`.trim());
  const isOn = (name: string) => firstOf(fields, name) !== "";
  const privacy = options.privacyLevels.find((level) => level === firstOf(fields, "privacy_level"));
  if (privacy === undefined) throw new FormProblem({ privacy_level: [tiktok.choosePrivacy] });
  const [isOwn, isPaid] = [isOn("disclose") && isOn("own_brand"), isOn("disclose") && isOn("paid_partnership")];
  if (isOn("disclose") && !isOwn && !isPaid) throw new FormProblem({ disclose: [tiktok.chooseBrand] });
  if (isPaid && privacy === "SELF_ONLY") throw new FormProblem({ privacy_level: [tiktok.notPrivate] });
  const isPhoto = mediaOf(fields).some(({ url }) => /\.(jpe?g|webp|png)$/i.test(url));
  const title = firstOf(fields, "title");
  return {
    declared: {
      own_brand: isOwn,
      paid_partnership: isPaid,
      ...(isOn("declared") ? { made_with_ai: true } : {}),
    },
    options: {
      privacy_level: privacy,
      comments: options.comments && isOn("comments"),
      ...(isPhoto ? {} : { duets: options.duets && isOn("duets"), stitches: options.stitches && isOn("stitches") }),
      ...(isPhoto && title !== "" ? { title } : {}),
      // The sentence stands above the button that sends the form.
      consent_given: true,
    },
  };
}

/** The body of create-post. Throws the problems of the choices by field. */
export function tiktokBody(visit: ProjectVisit, fields: Fields, found: Found): CreatePostBody {
  const input = inputFor(fields, { ...found.channel, grants: [] }, visit.project.timeZone);
  return apiBody(CreatePostBody, { ...input, ...readChoices(visit, fields, found) });
}

/** Runs validate-post, and compares the video with the longest that the account may post. */
export async function checkTiktok(
  visit: ProjectVisit,
  found: Found,
  body: CreatePostBody,
  except?: PostId,
): Promise<Checked> {
  const channel = { ...found.channel, grants: [] };
  const max = found.options?.maxVideoSeconds ?? null;
  const validated = await validatePost(visit.deps, visit.caller, body, except);
  const seconds = validated.items.flatMap(({ media }) => media.map(({ durationSeconds }) => durationSeconds ?? 0));
  const longest = Math.max(0, ...seconds);
  if (max !== null && longest > max) {
    return { channel, problems: [visit.texts.tiktok.tooLong({ seconds: Math.ceil(longest), max })], isAbsent: false };
  }
  return { channel, type: body.post_type, found: validated };
}

/** The report on the form, and the body if the post can be published. */
async function report(visit: ProjectVisit, fields: Fields) {
  const found = await optionsOf(visit, channelOf(visit));
  const body = tiktokBody(visit, fields, found);
  const channel = { ...found.channel, grants: [] };
  const checked: Checked[] = [];
  const refused = await problemsOf(visit, async () => {
    checked.push(await checkTiktok(visit, found, body));
  });
  if (refused) checked.push({ channel, ...refused });
  const isRefused = checked.some((one) => "problems" in one);
  const shown = <Report visit={visit} fields={fields} checked={checked} problemsTitle={visit.texts.compose.problems} />;
  const again: ShowForm = {
    again: { ...NO_FORM, fields, report: shown },
    status: statusOf(checked, isRefused ? 422 : 200),
  };
  return { again, channel, body, isRefused };
}

const checkAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/check",
  isRecorded: false,
  run: async (visit, fields) => (await report(visit, fields)).again,
});

const createAction = formAction({
  effect: "creates",
  page: PATH,
  run: async (visit, sent, key): Promise<Redirect | ShowForm> => {
    requireFormKey(sent);
    // Before a file is stored: the choices are complete, and the account is the project's.
    readChoices(visit, sent, await optionsOf(visit, channelOf(visit)));
    const { again, channel, body, isRefused } = await report(visit, await withUpload(visit, sent));
    if (isRefused) return again;
    return { to: pathOf(visit), flash: { notice: await createOne(visit, sent, { key, channel, body }) } };
  },
});

export const TIKTOK: readonly Entry[] = [
  tiktokPage,
  checkAction,
  ...mediaActions(PATH, { open: (visit) => optionsOf(visit, channelOf(visit)) }),
  createAction,
];
