import type { FailureCode } from "../../core/failures.ts";
import { ellipsis } from "../../core/text.ts";
import type { Texts } from "../../pages/texts.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { PlatformName } from "../../platforms/names.ts";
import { type Post, shownState } from "../../posts/store.ts";
import type { PostState } from "../../posts/table.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { projectPath } from "../layout.tsx";
import { State, type StateKind } from "../lists.tsx";
import { Confirm } from "../parts.tsx";
import { postPath } from "./post-actions.ts";
import { needsCheck, remedyOf } from "./remedies.ts";

const KINDS: Readonly<Record<PostState, StateKind>> = {
  draft: "off",
  pending: "warn",
  processing: "warn",
  scheduled: "off",
  queued: "off",
  published: "good",
  failed: "bad",
  deleted: "off",
};

export function PostStateMark({
  texts,
  post,
}: {
  readonly texts: Texts;
  readonly post: Pick<Post, "state" | "processingAt">;
}) {
  const state = shownState(post);
  return <State kind={KINDS[state]} text={texts.posts.states[state]} />;
}

/** Whether the composer opens it: an author's while it is a draft, an editor's until it is published. */
export function canEdit({ role }: ProjectVisit, { state }: Pick<Post, "state">): boolean {
  if (state === "draft") return includesRole(role, "author");
  return (state === "scheduled" || state === "queued") && includesRole(role, "editor");
}

/** The beginning of its text, in one line. */
export function postName({ posts }: Texts, { caption, thread }: Pick<Post, "caption" | "thread">): string {
  const text = (thread[0]?.message ?? caption).replace(/\s+/g, " ").trim();
  return text === "" ? posts.untitled : ellipsis(text, 80);
}

/** What to do about a failure, in the words of the console. */
export function todoOf({ posts }: Texts, code: FailureCode | null): string {
  const todos: Readonly<Record<string, string>> = posts.todos;
  return todos[code ?? "unexpected"] ?? posts.todos.other;
}

interface Failed extends Pick<Post, "id" | "channelId" | "errorCode"> {
  readonly channelType: PlatformName;
  readonly channel: { readonly name: string };
}

/** The buttons for a failed post: what helps against its cause, and to dismiss it. */
export function FailureButtons({ visit, post }: { readonly visit: ProjectVisit; readonly post: Failed }) {
  if (!includesRole(visit.role, "editor")) return null;
  const { actions } = visit.texts.posts;
  const path = postPath(visit.project.id, post.id);
  const remedy = remedyOf(post.errorCode);
  return (
    <div class="buttons">
      {remedy === "edit" && <FormButton visit={visit} kind="small" action={`${path}/copy`} text={actions.copy} />}
      {remedy === "connect" && (
        <a class="button small" href={`${projectPath(visit.project.id)}/channels/${connectionOf(post)}`}>
          {post.errorCode === "channel_disconnected" ? visit.texts.channels.connect : actions.connect}
        </a>
      )}
      {(remedy === "again" || remedy === "connect") && !needsCheck(post.errorCode) && (
        <FormButton visit={visit} kind="small" action={`${path}/again`} text={actions.again} />
      )}
      {remedy === "again" && needsCheck(post.errorCode) && (
        <Confirm
          visit={visit}
          id={`again-${post.id}`}
          button={actions.again}
          title={actions.checkTitle}
          lead={actions.checkLead({ channel: post.channel.name, platform: platformTitle(post.channelType) })}
          action={`${path}/again`}
          isSafe
        >
          <label class="choice small">
            <input type="checkbox" name="checked" value="yes" required />
            <span>{actions.checked}</span>
          </label>
        </Confirm>
      )}
      {remedy === "delete" && (
        <Confirm
          visit={visit}
          id={`delete-live-${post.id}`}
          button={actions.deleteLive}
          title={actions.deleteTitle}
          lead={actions.deleteLead}
          action={`${path}/delete`}
        />
      )}
      <FormButton visit={visit} kind="small" action={`${path}/dismiss`} text={actions.dismiss} />
    </div>
  );
}

/** The page that connects the channel of a post again: a disconnected channel has none of its own. */
function connectionOf({ errorCode, channelId, channelType }: Failed): string {
  return errorCode === "channel_disconnected" ? `connect?platform=${channelType}` : String(channelId);
}
