import { localTime } from "../../core/time.ts";
import type { Texts } from "../../pages/texts.ts";
import { includesRole } from "../../people/roles.ts";
import type { Post } from "../../posts/store.ts";
import { APPROVED_MODES, type StoredApproval } from "../../posts/stored.ts";
import type { ProjectVisit, Visit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { Facts, State, type StateKind } from "../lists.tsx";
import { Choice, Form, Secret, TextField, Time } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";

/** The approval of a post on its page: the request, the decision, and the link for a client. */

type Shown = Pick<Post, "id" | "state" | "approvalState" | "approval" | "revision" | "timeZone">;
interface Section {
  readonly visit: ProjectVisit;
  readonly post: Shown;
}

const KINDS: Readonly<Record<NonNullable<Post["approvalState"]>, StateKind>> = {
  waiting: "warn",
  sent_back: "bad",
  approved: "good",
};

export function ApprovalSection({ visit, post }: Section) {
  const { approval: texts } = visit.texts;
  const { approvalState: state, approval } = post;
  const isDraft = post.state === "draft";
  const canRequest = isDraft && state !== "waiting" && includesRole(visit.role, "author");
  if (approval === null && !canRequest) return null;
  return (
    <section class="card" aria-label={texts.section}>
      <h2>{texts.section}</h2>
      {state !== null && approval !== null && (
        <>
          <p>
            <State kind={KINDS[state]} text={texts.states[state]} />
          </p>
          <ApprovalFacts visit={visit} zone={visit.project.timeZone} approval={approval} />
        </>
      )}
      {state === "waiting" && isDraft && includesRole(visit.role, "editor") && <Decision visit={visit} post={post} />}
      {canRequest && <Request visit={visit} post={post} />}
    </section>
  );
}

interface ApprovalFacts {
  readonly visit: Visit;
  readonly zone: string;
  readonly approval: StoredApproval;
}

export function ApprovalFacts({ visit, zone, approval }: ApprovalFacts) {
  const { approval: texts } = visit.texts;
  const { requestedAt, requestedBy, decidedAt, decidedBy, note } = approval;
  return (
    <Facts
      items={[
        [texts.wanted, wantedText(visit.texts, approval, zone)],
        [texts.requestedBy, requestedBy],
        [texts.requestedAt, <Time at={requestedAt} zone={zone} visit={visit} />],
        [texts.section, decidedBy === null || decidedAt === null ? null : texts.decidedBy({ who: decidedBy })],
        [texts.note, note === null ? null : <span class="caption">{note}</span>],
      ]}
    />
  );
}

/** When the post is published once it is approved. */
export function wantedText({ approval: texts }: Texts, { wanted }: StoredApproval, zone: string): string {
  const { publish_mode: mode, schedule_time: time, time_zone: own } = wanted;
  return time === undefined ? texts.modes[mode] : texts.at({ time, zone: own ?? zone });
}

/** Whether the time of the request has passed, so that only publishing now is left. */
export function hasPassed({ wanted }: StoredApproval, zone: string, now: number): boolean {
  const { schedule_time: time, time_zone: own } = wanted;
  return time !== undefined && time < localTime(now, own ?? zone);
}

function Decision({ visit, post }: Section) {
  const { approval: texts } = visit.texts;
  const path = postPath(visit.project.id, post.id);
  const { approval } = post;
  if (approval === null) return null;
  const isLate = hasPassed(approval, post.timeZone, visit.now);
  const link = visit.flash?.secret;
  return (
    <>
      {isLate && <p class="note">{texts.timePassed}</p>}
      <Form visit={visit} action={`${path}/approve`}>
        <input type="hidden" name="revision" value={String(post.revision)} />
        <input type="hidden" name="instead" value={isLate ? "now" : ""} />
        <div class="buttons">
          <button class="button first" type="submit">
            {isLate ? texts.approveNow : texts.approve}
          </button>
        </div>
      </Form>
      <Form visit={visit} action={`${path}/send-back`}>
        <input type="hidden" name="revision" value={String(post.revision)} />
        <div class="row">
          <TextField visit={visit} name="note" label={texts.sendBackNote} input={{ required: true, maxlength: 2000 }} />
          <button class="button" type="submit">
            {texts.sendBack}
          </button>
        </div>
      </Form>
      {link !== undefined && (
        <>
          <p class="note good" role="status">
            {texts.linkOnce}
          </p>
          <Secret visit={visit} id="approval-link" label={texts.link} text={link} />
        </>
      )}
      <p class="about">{texts.linkLead}</p>
      <div class="buttons">
        <FormButton visit={visit} kind="small" action={`${path}/approval-link`} text={texts.createLink} />
        {approval.linkNonce !== null && (
          <FormButton visit={visit} kind="small" action={`${path}/approval-link/revoke`} text={texts.revokeLink} />
        )}
      </div>
    </>
  );
}

function Request({ visit, post }: Section) {
  const { approval: texts } = visit.texts;
  const { project } = visit;
  const wanted = post.approval?.wanted;
  const at = wanted?.schedule_time ?? localTime(visit.now + 3_600_000, project.timeZone);
  return (
    <Form visit={visit} action={`${postPath(project.id, post.id)}/request-approval`}>
      <fieldset>
        <legend>{texts.mode}</legend>
        {APPROVED_MODES.map((mode) => (
          <Choice
            name="mode"
            value={mode}
            title={texts.modes[mode]}
            isChecked={mode === (wanted?.publish_mode ?? "queued")}
            isSmall
          />
        ))}
      </fieldset>
      <TextField
        visit={visit}
        name="at"
        label={texts.time({ zone: project.timeZone })}
        type="datetime-local"
        value={at.replace(" ", "T")}
      />
      <TextField visit={visit} name="note" label={texts.requestNote} input={{ maxlength: 2000 }} />
      <div class="buttons">
        <button class="button" type="submit">
          {texts.request}
        </button>
      </div>
    </Form>
  );
}
