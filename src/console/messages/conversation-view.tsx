import type { ListedConversation } from "../../conversations/store.ts";
import type { Message } from "../../conversations/table.ts";
import { windowOf } from "../../conversations/window.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select, TextArea } from "../form-fields.tsx";
import { Facts } from "../lists.tsx";
import { Choice, Form, Notices, Time, Top } from "../parts.tsx";
import { ConversationStateMark } from "./messages-view.tsx";

interface ConversationPage {
  readonly visit: ProjectVisit;
  readonly conversation: ListedConversation;
  /** The newest ones, the oldest first. */
  readonly messages: readonly Message[];
  /** E-mail addresses. */
  readonly members: readonly string[];
  readonly base: string;
  /** Sent twice, a form with this key acts once. */
}

export function ConversationPage(page: ConversationPage) {
  const { visit, conversation, messages, base } = page;
  const { messages: texts } = visit.texts;
  return (
    <>
      <Top title={conversation.personName ?? conversation.personId} lead={platformTitle(conversation.platform)}>
        <a class="button" href={base}>
          {texts.title}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card" aria-label={texts.conversation}>
        <ol class="timeline">
          {messages.map((message) => (
            <li>
              <MessageItem visit={visit} conversation={conversation} message={message} />
            </li>
          ))}
        </ol>
      </section>
      <Answer {...page} />
      <Work {...page} />
    </>
  );
}

interface MessageItem {
  readonly visit: ProjectVisit;
  readonly conversation: ListedConversation;
  readonly message: Message;
}

function MessageItem({ visit, conversation, message }: MessageItem) {
  const { messages: texts } = visit.texts;
  const { origin, state, text, attachments, reason, sentAt } = message;
  const who = origin === "person" ? (conversation.personName ?? conversation.personId) : texts.origins[origin];
  return (
    <>
      <p>
        <strong>{who}</strong> · <Time at={sentAt} zone={visit.project.timeZone} visit={visit} />
        {state === "sending" || state === "failed" ? ` · ${texts.sendStates[state]}` : ""}
      </p>
      <p class="caption">{text}</p>
      {attachments.length > 0 && <p class="hint">{texts.attachments({ count: attachments.length })}</p>}
      {reason !== null && (
        <p class="hint" lang="en">
          {reason}
        </p>
      )}
    </>
  );
}

function Answer({ visit, conversation, base }: ConversationPage) {
  const { messages: texts } = visit.texts;
  const { isOpen, typedUntil } = windowOf(conversation, visit.now);
  if (!isOpen(true)) return <p class="note">{texts.closed}</p>;
  return (
    <section class="card">
      <h2>{texts.answer}</h2>
      <Form visit={visit} action={`${base}/${conversation.id}/send`}>
        <TextArea visit={visit} name="text" label={texts.text} />
        {typedUntil !== null && (
          <p class="hint">
            {texts.until} <Time at={typedUntil} zone={visit.project.timeZone} visit={visit} />
          </p>
        )}
        <button class="button first" type="submit">
          {texts.send}
        </button>
      </Form>
    </section>
  );
}

/** What members do with it; the person sees nothing of it. */
function Work({ visit, conversation, members, base }: ConversationPage) {
  const { messages: texts } = visit.texts;
  const emails = [...new Set([...members, ...(conversation.assignedTo === null ? [] : [conversation.assignedTo])])];
  return (
    <section class="card">
      <h2>{texts.work}</h2>
      <Facts items={[[texts.state, <ConversationStateMark visit={visit} priority={conversation.priority} />]]} />
      <Form visit={visit} action={`${base}/${conversation.id}`}>
        <Select
          visit={visit}
          name="assigned_to"
          label={texts.assigned}
          value={conversation.assignedTo ?? ""}
          options={[{ value: "", text: texts.nobody }, ...emails.map((email) => ({ value: email, text: email }))]}
        />
        <TextArea visit={visit} name="note" label={texts.note} hint={texts.noteHint} value={conversation.note ?? ""} />
        <Choice
          type="checkbox"
          name="done"
          value="on"
          title={texts.done}
          about={texts.doneAbout}
          isChecked={conversation.doneAt !== null}
        />
        <button class="button" type="submit">
          {texts.save}
        </button>
      </Form>
    </section>
  );
}
