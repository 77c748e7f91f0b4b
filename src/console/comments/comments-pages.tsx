import { z } from "zod";
import { ENDINGS } from "../../api/endings.ts";
import { ReplyBody } from "../../comments/act-schema.ts";
import { ACT_KINDS } from "../../comments/acts.ts";
import { collectComments, commentPrice } from "../../comments/collect.ts";
import { listComments } from "../../comments/list.ts";
import { getComment } from "../../comments/read.ts";
import { recallAct, requestAct, type WantedAct } from "../../comments/request-act.ts";
import { cursorOfPlace, placeOfCursor, UpdateCommentBody } from "../../comments/schema.ts";
import { COMMENT_STATES } from "../../comments/states.ts";
import { updateComment } from "../../comments/update.ts";
import { type ChannelId, type CommentId, idOf } from "../../core/ids.ts";
import { selectMembers } from "../../people/members.ts";
import { apiBody } from "../api-body.ts";
import { readChannels } from "../channel-choices.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage, type Redirect } from "../definition.ts";
import { field, idIn } from "../fields.ts";
import type { FormKey } from "../form-key.ts";
import { onceForForm } from "../once-for-form.ts";
import { CommentList } from "./comment-list.tsx";
import { CommentDetails } from "./comments-views.tsx";

/** Comments of other people: the operations of the API. */

const PATH = "/projects/:project/comments";
const COMMENT_PATH = "/projects/:project/comments/:comment";
const SHOWN = 30;

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/comments`;
const commentIdOf = ({ params }: ProjectVisit): CommentId => idOf<CommentId>(idIn(params.comment));

/** An address of another form begins at the start. */
const CURSOR = /^[0-2]-[1-9]\d{0,15}$/;

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ comments }) => comments.title, icon: "list" },
  title: ({ comments }) => comments.title,
  load: async (visit) => {
    const { deps, project, query } = visit;
    const state = COMMENT_STATES.find((one) => one === query.state) ?? null;
    const after = placeOfCursor(CURSOR.test(query.after ?? "") ? (query.after ?? "") : "");
    const wanted = idIn(query.channel);
    const { items: channels } = await readChannels(visit);
    const channel = channels.find(({ id }) => id === wanted) ?? null;
    const of = channel && { channel: channel.id };
    const found = await listComments(deps.db, { projectId: project.id, of, state }, { after, limit: SHOWN });
    const price = channel && commentPrice(channel.platform);
    return { channels, channel, state, price, found, next: cursorOfPlace(found.next), isFirst: after === null };
  },
  view: (data, visit) => <CommentList visit={visit} {...data} />,
});

const commentPage = projectPage({
  path: COMMENT_PATH,
  role: "viewer",
  title: ({ comments }) => comments.title,
  load: async ({ deps, project, ...visit }) => {
    const id = idOf<CommentId>(idIn(visit.params.comment));
    const found = await getComment(deps, project.id, id);
    return { ...found, members: await selectMembers(deps.directory, project.id) };
  },
  view: (data, visit) => <CommentDetails visit={visit} {...data} />,
});

/** The same request as that of the API; a job carries it out. */
async function request(
  visit: ProjectVisit,
  { kind, text }: Pick<WantedAct, "kind" | "text">,
  key: FormKey,
): Promise<Redirect> {
  const id = commentIdOf(visit);
  const { deps, project } = visit;
  const wanted = { projectId: project.id, id, kind, text };
  await onceForForm(
    visit,
    { key, operationId: "requestAct", body: wanted },
    (record) => requestAct(deps, wanted, ENDINGS.comment, record),
    (stored) => recallAct(deps, stored),
  );
  return { to: `${pathOf(visit)}/${id}`, flash: { notice: visit.texts.comments.requested } };
}

const replyAction = projectAction({
  effect: "acts",
  path: "/projects/:project/comments/:comment/reply",
  page: COMMENT_PATH,
  role: "editor",
  body: () => z.object({ text: field(z.string()) }),
  run: (visit, input, key) => request(visit, { kind: "reply", text: apiBody(ReplyBody, input).text }, key),
});

const actAction = projectAction({
  effect: "acts",
  path: "/projects/:project/comments/:comment/act",
  page: COMMENT_PATH,
  role: "editor",
  body: () => z.object({ act: field(z.enum(ACT_KINDS).exclude(["reply"])) }),
  run: (visit, { act }, key) => request(visit, { kind: act, text: null }, key),
});

const updateAction = projectAction({
  effect: "sets",
  path: "/projects/:project/comments/:comment/update",
  page: COMMENT_PATH,
  role: "editor",
  body: () => z.object({ done: field(z.string()), assigned_to: field(z.string()), note: field(z.string()) }),
  run: async (visit, { done, assigned_to, note }) => {
    const id = commentIdOf(visit);
    const body = { done: done === "on", assigned_to: assigned_to === "" ? null : assigned_to, note };
    await updateComment(visit.deps, visit.project.id, id, apiBody(UpdateCommentBody, body));
    return { to: `${pathOf(visit)}/${id}`, flash: { notice: visit.texts.comments.saved } };
  },
});

const collectAction = projectAction({
  effect: "sets",
  path: "/projects/:project/comments/collect/:channel",
  page: PATH,
  role: "editor",
  body: () => z.object({ collect: field(z.enum(["on", "off"])) }),
  run: async (visit, { collect }) => {
    const { deps, project, params, texts } = visit;
    const id = idOf<ChannelId>(idIn(params.channel));
    await collectComments(deps, project.id, id, collect === "on");
    const notice = collect === "on" ? texts.comments.switchedOn : texts.comments.switchedOff;
    return { to: `${pathOf(visit)}?channel=${id}`, flash: { notice } };
  },
});

export const COMMENTS: readonly Entry[] = [listPage, commentPage, replyAction, actAction, updateAction, collectAction];
