import type { Collection } from "../../conversations/collect.ts";
import type { ListedConversation } from "../../conversations/store.ts";
import { CONVERSATION_STATES, type ConversationState } from "../../conversations/stored.ts";
import type { ChannelId } from "../../core/ids.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { spokenMicros } from "../../platforms/pricing.ts";
import { channelFilters } from "../channel-choices.ts";
import { HealthText } from "../channels/health-text.tsx";
import type { ProjectVisit } from "../definition.ts";
import { FilterForm, FilterSelect } from "../filter-fields.tsx";
import { DataTable, ListPager, State, type StateKind } from "../lists.tsx";
import { Empty, Form, Notices, Time, Top } from "../parts.tsx";

interface MessagesPage {
  readonly visit: ProjectVisit;
  /** Channels of platforms that have conversations. */
  readonly channels: readonly Collection[];
  readonly conversations: readonly ListedConversation[];
  readonly channel: ChannelId | null;
  readonly state: ConversationState | null;
  readonly next: string | null;
  readonly base: string;
}

export function MessagesPage(page: MessagesPage) {
  const { visit, channels, conversations, channel, state, next, base } = page;
  const { messages: texts } = visit.texts;
  const query = new URLSearchParams();
  if (channel !== null) query.set("channel", String(channel));
  if (state !== null) query.set("state", state);
  const isFirst = visit.query.after === undefined;
  const older = next === null ? null : `${base}?${new URLSearchParams([...query, ["after", next]])}`;
  return (
    <>
      <Top title={texts.title} lead={texts.lead} />
      <Notices visit={visit} />
      {channels.length === 0 ? (
        <Empty icon="bubble" title={texts.noChannelTitle} lead={texts.noChannelLead} />
      ) : (
        <>
          <Filters {...page} />
          {conversations.length === 0 ? <p class="note">{texts.none}</p> : <Conversations {...page} />}
          <ListPager texts={texts} newest={isFirst ? null : `${base}?${query}`} older={older} />
          <Switches {...page} />
        </>
      )}
    </>
  );
}

function Filters({ visit, channels, channel, state, base }: MessagesPage) {
  const { messages: texts } = visit.texts;
  return (
    <FilterForm action={base} label={texts.filter} submit={texts.show}>
      <FilterSelect name="channel" label={texts.channel} all={texts.allChannels} value={channel?.toString()}>
        {channelFilters(channels.map((one) => one.channel))}
      </FilterSelect>
      <FilterSelect name="state" label={texts.state} all={texts.allStates} value={state ?? undefined}>
        {CONVERSATION_STATES.toReversed().map((one) => [one, texts.states[one]] as const)}
      </FilterSelect>
    </FilterForm>
  );
}

const KINDS: Readonly<Record<ConversationState, StateKind>> = { unanswered: "warn", answered: "good", done: "off" };

export function ConversationStateMark({
  visit,
  priority,
}: {
  readonly visit: ProjectVisit;
  readonly priority: number;
}) {
  const state = CONVERSATION_STATES[priority] ?? "done";
  return <State kind={KINDS[state]} text={visit.texts.messages.states[state]} />;
}

/** Characters of a message in the list. */
const EXCERPT = 80;

function Conversations({ visit, channels, conversations, base }: MessagesPage) {
  const { messages: texts } = visit.texts;
  const nameOf = (id: ChannelId) => channels.find(({ channel }) => channel.id === id)?.channel.name ?? "";
  return (
    <DataTable
      caption={texts.title}
      columns={[
        { title: texts.person },
        { title: texts.last },
        { title: texts.state },
        { title: texts.channel },
        { title: texts.assigned },
        { title: texts.time },
      ]}
      rows={conversations.map((one) => [
        <a href={`${base}/${one.id}`}>{one.personName ?? one.personId}</a>,
        (one.lastText ?? "").slice(0, EXCERPT),
        <ConversationStateMark visit={visit} priority={one.priority} />,
        `${nameOf(one.channelId)} · ${platformTitle(one.platform)}`,
        one.assignedTo ?? "",
        <Time at={one.lastMessageAt} zone={visit.project.timeZone} visit={visit} />,
      ])}
    />
  );
}

/** The switch of each channel, with what reading costs. */
function Switches({ visit, channels, base }: MessagesPage) {
  const { messages: texts } = visit.texts;
  return (
    <section class="card">
      <h2>{texts.collecting}</h2>
      <p>{texts.collectingLead}</p>
      <ul class="rows">
        {channels.map(({ channel, collects, problem, price }) => (
          <li>
            <p>
              {channel.name} · {platformTitle(channel.platform)}
            </p>
            {price !== null && (
              <p class="hint">
                {texts.price({
                  message: spokenMicros(price.messageMicros, 3),
                  month: spokenMicros(price.idleMonthMicros, 3),
                })}
              </p>
            )}
            {problem !== null && (
              <p class="note bad">
                <HealthText visit={visit} channel={channel} capability="messages" sentence={problem} />
              </p>
            )}
            <Form visit={visit} action={`${base}/collect/${channel.id}`}>
              <input type="hidden" name="collect" value={collects ? "off" : "on"} />
              <button class="button" type="submit">
                {collects ? texts.off({ name: channel.name }) : texts.on({ name: channel.name })}
              </button>
            </Form>
          </li>
        ))}
      </ul>
    </section>
  );
}
