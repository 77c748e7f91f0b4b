import { toTrialView } from "../../automations/log-schema.ts";
import type { LoggedReply } from "../../automations/reply-store.ts";
import type { ReplyPart } from "../../automations/stored.ts";
import type { Automation, ReplyOutcome } from "../../automations/table.ts";
import type { Trial } from "../../automations/test-automation.ts";
import type { WalkOf } from "../../db/id-list.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { TextArea } from "../form-fields.tsx";
import { Facts, ListPager, State, type StateKind, WalkedList } from "../lists.tsx";
import { Confirm, Form, Notices, TextField, Time, Top } from "../parts.tsx";

export const botsPath = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/bots`;

interface BotList {
  readonly visit: ProjectVisit;
  readonly found: WalkOf<Automation>;
  readonly isFirst: boolean;
}

export function BotList({ visit, found, isFirst }: BotList) {
  const { bots: texts } = visit.texts;
  return (
    <WalkedList
      visit={visit}
      icon="bot"
      texts={texts}
      base={botsPath(visit)}
      found={found}
      isFirst={isFirst}
      item={(bot) => (
        <>
          <div class="what">
            <a class="name" href={`${botsPath(visit)}/${bot.id}`}>
              {bot.name}
            </a>
            <span class="facts">
              <span>
                {bot.keywords === null ? texts.anyComment : texts.keywordCount({ count: bot.keywords.length })}
              </span>
              <span>{texts.channelCount({ count: bot.channelIds.length })}</span>
              <span>{bot.usesAi ? texts.byModel : texts.fixed}</span>
            </span>
          </div>
          <BotState visit={visit} bot={bot} />
        </>
      )}
    />
  );
}

function BotState({ visit, bot }: { readonly visit: ProjectVisit; readonly bot: Automation }) {
  return <State kind={bot.state === "active" ? "good" : "off"} text={visit.texts.bots.states[bot.state]} />;
}

interface BotDetails {
  readonly visit: ProjectVisit;
  readonly automation: Automation;
  readonly replies: WalkOf<LoggedReply>;
  readonly isFirst: boolean;
}

export function BotDetails({ visit, automation: bot, replies, isFirst }: BotDetails) {
  const { bots: texts } = visit.texts;
  const base = `${botsPath(visit)}/${bot.id}`;
  const { fields } = texts;
  return (
    <>
      <Top title={bot.name}>
        <a class="button" href={botsPath(visit)}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <Facts
          items={[
            [visit.texts.tokens.columns.status, <BotState visit={visit} bot={bot} />],
            [fields.target, fields.targets[bot.targetType].title],
            [fields.trigger, bot.keywords === null ? texts.anyComment : bot.keywords.join(", ")],
            [fields.response, fields.responses[bot.responseType]],
            [fields.commentReply, bot.responseType === "direct_message" ? null : bot.commentReply],
            [fields.directMessage, bot.responseType === "comment" ? null : bot.directMessage],
            [fields.model, bot.usesAi ? texts.byModel : texts.fixed],
            [fields.frequency, fields.frequencies[bot.frequency]],
            [fields.delay, bot.responseTime === "delayed" ? String(bot.delaySeconds) : null],
            [texts.created, <Time at={bot.createdAt} zone={visit.project.timeZone} visit={visit} />],
            [texts.number, String(bot.id)],
          ]}
        />
        {includesRole(visit.role, "editor") && <BotButtons visit={visit} bot={bot} base={base} />}
      </section>
      <Replies visit={visit} base={base} replies={replies} isFirst={isFirst} />
    </>
  );
}

interface BotButtons {
  readonly visit: ProjectVisit;
  readonly bot: Automation;
  readonly base: string;
}

function BotButtons({ visit, bot, base }: BotButtons) {
  const { bots: texts } = visit.texts;
  const isActive = bot.state === "active";
  return (
    <div class="buttons">
      <a class="button first" href={`${base}/trial`}>
        {texts.trial.open}
      </a>
      <a class="button" href={`${base}/edit`}>
        {texts.settings}
      </a>
      <FormButton
        visit={visit}
        action={`${base}/state`}
        values={{ status: isActive ? "stopped" : "active" }}
        text={isActive ? texts.pause : texts.resume}
      />
      <Confirm
        visit={visit}
        id="delete"
        button={texts.remove}
        title={texts.removeTitle({ name: bot.name })}
        lead={texts.removeLead}
        action={`${base}/delete`}
      />
    </div>
  );
}

const KINDS: Readonly<Record<ReplyOutcome, StateKind>> = {
  waiting: "warn",
  replied: "good",
  partly_replied: "warn",
  skipped: "off",
  failed: "bad",
};

interface Replies {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly replies: WalkOf<LoggedReply>;
  readonly isFirst: boolean;
}

function Replies({ visit, base, replies: { items, next }, isFirst }: Replies) {
  const { log: texts } = visit.texts.bots;
  return (
    <section class="stack">
      <div>
        <h2>{texts.title}</h2>
        <p class="lead">{texts.lead}</p>
      </div>
      {items.length === 0 ? (
        <p class="card">{texts.empty}</p>
      ) : (
        <ul class="card flush items" aria-label={texts.title}>
          {items.map((reply) => (
            <li>
              <div class="what">
                <span class="facts">
                  <b>{reply.authorName ?? texts.unknownAuthor}</b>
                  <span>{texts.post({ id: reply.postId })}</span>
                  <Time at={reply.commentedAt ?? reply.createdAt} zone={visit.project.timeZone} visit={visit} />
                </span>
                <span>{reply.text ?? texts.purged}</span>
                <SentText part={reply.commentPart} />
                <SentText part={reply.messagePart} />
                <span class="about" lang="en">
                  {reply.message}
                </span>
              </div>
              <State kind={KINDS[reply.outcome]} text={texts.outcomes[reply.outcome]} />
            </li>
          ))}
        </ul>
      )}
      <ListPager texts={texts} newest={isFirst ? null : base} older={next === null ? null : `${base}?before=${next}`} />
    </section>
  );
}

/** What was sent, or why this part was not. */
function SentText({ part }: { readonly part: ReplyPart | null }) {
  if (part?.state === "sent") return <span class="said">{part.text}</span>;
  return part?.state === "not_sent" ? (
    <span class="about" lang="en">
      {part.message}
    </span>
  ) : null;
}

export function BotTrial({ visit, id }: { readonly visit: ProjectVisit; readonly id: number }) {
  const { trial: texts, title } = visit.texts.bots;
  const base = `${botsPath(visit)}/${id}`;
  return (
    <>
      <Top title={texts.open} lead={texts.lead}>
        <a class="button" href={base}>
          {title}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={`${base}/trial`}>
          <TextArea visit={visit} name="text" label={texts.text} value="" />
          <TextField
            visit={visit}
            name="author"
            label={`${texts.author} (${visit.texts.form.optional})`}
            value=""
            input={{ maxlength: 255, autocomplete: "off" }}
          />
          <div class="buttons">
            <button class="button first" type="submit">
              {texts.submit}
            </button>
          </div>
        </Form>
      </section>
      {visit.form.report}
    </>
  );
}

/** What the bot would do, below the form. */
export function TrialResult({ visit, trial }: { readonly visit: ProjectVisit; readonly trial: Trial }) {
  const { trial: texts, fields } = visit.texts.bots;
  const { would_reply: isAnswered, message, keyword, channels } = toTrialView(trial);
  return (
    <section class="stack" aria-live="polite">
      <p class={isAnswered ? "note good" : "note"}>{message}</p>
      {keyword !== null && (
        <p class="about">
          {texts.keyword}: {keyword}
        </p>
      )}
      {channels.length > 0 && (
        <ul class="card flush items">
          {channels.map((channel) => (
            <li>
              <div class="what">
                <span class="name">{platformTitle(channel.channel_type)}</span>
                <Facts
                  items={[
                    [fields.commentReply, channel.comment_reply],
                    [fields.directMessage, channel.direct_message],
                  ]}
                />
                {channel.comment_reply === null && channel.direct_message === null && (
                  <span class="about">{texts.none}</span>
                )}
                {channel.notes.map((note) => (
                  <span class="about">{note}</span>
                ))}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
