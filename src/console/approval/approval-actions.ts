import { z } from "zod";
import { approvalUrl, makeApprovalLink, revokeApprovalLink } from "../../posts/approval/approval-link.ts";
import { RequestApprovalBody, SendBackBody } from "../../posts/approval/approval-schema.ts";
import { approvePost, sendBack } from "../../posts/approval/decide.ts";
import { requestApproval, withTimes } from "../../posts/approval/request-approval.ts";
import { APPROVED_MODES } from "../../posts/stored.ts";
import { apiBody } from "../api-body.ts";
import { type Entry, projectAction } from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { POST_PATH, postIdOf, postPath } from "../posts/post-actions.ts";

/** Approval of one post, by the use cases of the API. */

/** The revision that the form has shown. */
export const revision = field(z.string().transform(idIn));
/** Another schedule than the one that was requested, whose time has passed. */
export const instead = field(z.enum(["", "now"])).transform((mode) =>
  mode === "" ? undefined : { publish_mode: mode },
);

const approveAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/approve`,
  page: POST_PATH,
  role: "editor",
  body: () => z.object({ revision, instead }),
  run: async ({ deps, caller, visitor, project, params, texts }, { revision, instead }) => {
    const id = postIdOf({ params });
    const approval = { by: visitor.person.email, revision, note: null, instead };
    const { isNew } = await approvePost(deps, caller, id, approval);
    const { done } = texts.approval;
    return { to: postPath(project.id, id), flash: { notice: isNew ? done.approved : done.repeated } };
  },
});

const sendBackAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/send-back`,
  page: POST_PATH,
  role: "editor",
  body: () => z.object({ revision, note: field(z.string()) }),
  run: async ({ deps, caller, visitor, project, params, texts }, form) => {
    const id = postIdOf({ params });
    await sendBack(deps, caller, id, { ...apiBody(SendBackBody, form), by: visitor.person.email });
    return { to: postPath(project.id, id), flash: { notice: texts.approval.done.sentBack } };
  },
});

const requestAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/request-approval`,
  page: POST_PATH,
  role: "author",
  body: () => z.object({ mode: field(z.enum(APPROVED_MODES)), at: field(z.string()), note: field(z.string()) }),
  run: async ({ deps, caller, visitor, project, params, texts }, { mode, at, note: given }) => {
    const id = postIdOf({ params });
    const time = { schedule_time: at.replace("T", " ").slice(0, 16), time_zone: project.timeZone };
    const { note = null, ...schedule } = apiBody(RequestApprovalBody, {
      publish_mode: mode,
      ...(mode === "scheduled" ? time : {}),
      ...(given === "" ? {} : { note: given }),
    });
    await requestApproval(deps, caller, id, { wanted: withTimes(schedule), note, by: visitor.person.email });
    return { to: postPath(project.id, id), flash: { notice: texts.approval.done.requested } };
  },
});

const linkAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/approval-link`,
  page: POST_PATH,
  role: "editor",
  body: () => NoFields,
  run: async ({ deps, caller, visitor, origin, project, params }) => {
    const id = postIdOf({ params });
    const { secret } = await makeApprovalLink(deps, caller, id, visitor.person.email);
    return { to: postPath(project.id, id), flash: { notice: "", secret: approvalUrl(origin, secret) } };
  },
});

const revokeAction = projectAction({
  effect: "sets",
  path: `${POST_PATH}/approval-link/revoke`,
  page: POST_PATH,
  role: "editor",
  body: () => NoFields,
  run: async ({ deps, caller, project, params, texts }) => {
    const id = postIdOf({ params });
    await revokeApprovalLink(deps, caller, id);
    return { to: postPath(project.id, id), flash: { notice: texts.approval.done.linkRevoked } };
  },
});

export const APPROVAL_ACTIONS: readonly Entry[] = [
  approveAction,
  sendBackAction,
  requestAction,
  linkAction,
  revokeAction,
];
