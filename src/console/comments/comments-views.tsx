import type { CommentAct } from "../../comments/act-store.ts";
import { ACT_KINDS, type ActKind, type ActState, MODERATION } from "../../comments/acts.ts";
import { stateOf } from "../../comments/states.ts";
import type { ListedComment } from "../../comments/store.ts";
import type { selectMembers } from "../../people/members.ts";
import { includesRole } from "../../people/roles.ts";
import { whyNotOffered } from "../../platforms/commenting.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { Select, TextArea } from "../form-fields.tsx";
import { DataTable, Facts, State, type StateKind } from "../lists.tsx";
import { Choice, Confirm, Form, Notices, Time, Top } from "../parts.tsx";

import { StateOf } from "./comment-list.tsx";

const baseOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/comments`;

const ACT_STATES: Readonly<Record<ActState, StateKind>> = {
  waiting: "warn",
  done: "good",
  failed: "bad",
  cancelled: "off",
};

interface CommentDetails {
  readonly visit: ProjectVisit;
  readonly comment: ListedComment;
  readonly acts: readonly CommentAct[];
  readonly members: Awaited<ReturnType<typeof selectMembers>>;
}

export function CommentDetails({ visit, comment, acts, members }: CommentDetails) {
  const { comments: texts } = visit.texts;
  const zone = visit.project.timeZone;
  const at = (time: number | null) => (time === null ? null : <Time at={time} zone={zone} visit={visit} />);
  return (
    <>
      <Top title={comment.authorName ?? texts.unknown}>
        <a class="button" href={baseOf(visit)}>
          {texts.back}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <p dir="auto">{comment.text}</p>
        <Facts
          items={[
            [texts.state, <StateOf visit={visit} comment={comment} />],
            [texts.channel, platformTitle(comment.platform)],
            [
              texts.post,
              <a href={`/console/projects/${visit.project.id}/posts/${comment.postId}`}>{comment.postId}</a>,
            ],
            [texts.written, at(comment.createdAt)],
            [texts.answered, at(comment.answeredAt)],
            [texts.hiddenFact, at(comment.hiddenAt)],
            [texts.liked, at(comment.likedAt)],
            [texts.deleted, at(comment.deletedAt)],
            [texts.assigned, comment.assignedTo],
            [texts.note, comment.note],
            [texts.number, String(comment.id)],
          ]}
        />
        {includesRole(visit.role, "editor") && comment.deletedAt === null && <Acts visit={visit} comment={comment} />}
      </section>
      {includesRole(visit.role, "editor") && (
        <>
          {comment.deletedAt === null && <Reply visit={visit} comment={comment} />}
          <Work visit={visit} comment={comment} members={members} />
        </>
      )}
      {acts.length > 0 && (
        <>
          <h2>{texts.actsTitle}</h2>
          <DataTable
            caption={texts.actsTitle}
            columns={[
              { title: texts.act },
              { title: texts.actState },
              { title: texts.reason },
              { title: texts.written },
            ]}
            rows={acts.map((act) => [
              act.text === null ? texts.acts[act.kind] : `${texts.acts[act.kind]}: ${act.text}`,
              <State kind={ACT_STATES[act.state]} text={texts.actStates[act.state]} />,
              <span lang="en">{act.message}</span>,
              at(act.createdAt),
            ])}
          />
        </>
      )}
    </>
  );
}

type Part = Pick<CommentDetails, "visit" | "comment">;

/** The acts that the platform has for this comment. */
function Acts({ visit, comment }: Part) {
  const { comments: texts } = visit.texts;
  const adapter = findPlatform(comment.platform)?.comments;
  const isOffered = (kind: ActKind): boolean => {
    const wanted = MODERATION[kind];
    return adapter !== undefined && wanted !== null && whyNotOffered(adapter, wanted.name, comment) === null;
  };
  const isDone: Partial<Record<ActKind, boolean>> = {
    hide: comment.hiddenAt !== null,
    unhide: comment.hiddenAt === null,
    like: comment.likedAt !== null,
    unlike: comment.likedAt === null,
  };
  const action = `${baseOf(visit)}/${comment.id}/act`;
  return (
    <div class="buttons">
      {ACT_KINDS.filter((kind) => kind !== "delete" && isOffered(kind) && !isDone[kind]).map((kind) => (
        <FormButton visit={visit} action={action} values={{ act: kind }} text={texts.acts[kind]} />
      ))}
      {isOffered("delete") && (
        <Confirm
          visit={visit}
          id="delete"
          button={texts.acts.delete}
          title={texts.removeTitle}
          lead={texts.removeLead}
          action={action}
        >
          <input type="hidden" name="act" value="delete" />
        </Confirm>
      )}
    </div>
  );
}

function Reply({ visit, comment }: Part) {
  const { comments: texts } = visit.texts;
  return (
    <section class="card">
      <h2>{texts.reply}</h2>
      <Form visit={visit} action={`${baseOf(visit)}/${comment.id}/reply`}>
        <TextArea visit={visit} name="text" label={texts.replyLabel} />
        <button class="button first" type="submit">
          {texts.send}
        </button>
      </Form>
    </section>
  );
}

function Work({ visit, comment, members }: Omit<CommentDetails, "acts">) {
  const { comments: texts } = visit.texts;
  const people = [{ value: "", text: texts.nobody }, ...members.map(({ email }) => ({ value: email, text: email }))];
  return (
    <section class="card">
      <h2>{texts.work}</h2>
      <Form visit={visit} action={`${baseOf(visit)}/${comment.id}/update`}>
        <Choice
          type="checkbox"
          name="done"
          value="on"
          title={texts.done}
          isChecked={stateOf(comment.urgency) === "done"}
        />
        <Select
          visit={visit}
          name="assigned_to"
          label={texts.assigned}
          value={comment.assignedTo ?? ""}
          options={people}
        />
        <TextArea visit={visit} name="note" label={texts.note} value={comment.note ?? ""} />
        <button class="button" type="submit">
          {texts.save}
        </button>
      </Form>
    </section>
  );
}
