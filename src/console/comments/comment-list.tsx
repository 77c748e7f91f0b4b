import type { ChannelState } from "../../channels/store.ts";
import { COMMENT_STATES, type CommentState, stateOf } from "../../comments/states.ts";
import type { ListedComment } from "../../comments/store.ts";
import { spoken } from "../../core/money.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { channelFilters } from "../channel-choices.ts";
import type { ProjectVisit } from "../definition.ts";
import { FilterForm, FilterSelect } from "../filter-fields.tsx";
import { ListPager, State, type StateKind } from "../lists.tsx";
import { Empty, Form, Notices, Time, Top } from "../parts.tsx";

/** The list of comments, with its filters and the switch of a channel. */

const baseOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/comments`;

const STATES: Readonly<Record<CommentState, StateKind>> = { unanswered: "warn", answered: "good", done: "off" };
interface CommentList {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  readonly channel: ChannelState | null;
  readonly state: CommentState | null;
  /** In millionths of a dollar; null if reading costs nothing. */
  readonly price: number | null;
  readonly found: { readonly items: readonly ListedComment[] };
  readonly next: string | null;
  readonly isFirst: boolean;
}

export function CommentList({ visit, channels, channel, state, price, found, next, isFirst }: CommentList) {
  const { comments: texts } = visit.texts;
  const query = new URLSearchParams({
    ...(channel ? { channel: String(channel.id) } : {}),
    ...(state ? { state } : {}),
  });
  const first = `${baseOf(visit)}?${query}`;
  if (next !== null) query.set("after", next);
  return (
    <>
      <Top title={texts.title} lead={texts.lead} />
      <Notices visit={visit} />
      <Filters visit={visit} channels={channels} channel={channel} state={state} />
      {channel && <Collecting visit={visit} channel={channel} price={price} />}
      {found.items.length === 0 ? (
        <Empty icon="list" title={texts.emptyTitle} lead={texts.emptyLead} />
      ) : (
        <ul class="card flush items" aria-label={texts.title}>
          {found.items.map((comment) => (
            <li>
              <div class="what">
                <a class="name" href={`${baseOf(visit)}/${comment.id}`}>
                  {comment.text.slice(0, 200) || texts.number}
                </a>
                <span class="facts">
                  <span>{comment.authorName ?? texts.unknown}</span>
                  <span>{platformTitle(comment.platform)}</span>
                  <Time at={comment.createdAt} zone={visit.project.timeZone} visit={visit} />
                  {comment.assignedTo !== null && <span>{comment.assignedTo}</span>}
                </span>
              </div>
              <StateOf visit={visit} comment={comment} />
            </li>
          ))}
        </ul>
      )}
      <ListPager
        texts={texts}
        newest={isFirst ? null : first}
        older={next === null ? null : `${baseOf(visit)}?${query}`}
      />
    </>
  );
}

function Filters({ visit, channels, channel, state }: Pick<CommentList, "visit" | "channels" | "channel" | "state">) {
  const { comments: texts } = visit.texts;
  return (
    <FilterForm action={baseOf(visit)} label={texts.title} submit={texts.show}>
      <FilterSelect name="channel" label={texts.channel} all={texts.all} value={channel?.id.toString()}>
        {channelFilters(channels)}
      </FilterSelect>
      <FilterSelect name="state" label={texts.state} all={texts.all} value={state ?? undefined}>
        {COMMENT_STATES.map((one) => [one, texts.states[one]] as const)}
      </FilterSelect>
    </FilterForm>
  );
}

interface Collecting {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
  readonly price: number | null;
}

/** The switch of a channel, with the price where reading has one. */
function Collecting({ visit, channel, price }: Collecting) {
  const { comments: texts } = visit.texts;
  const isOn = channel.collectsCommentsAt !== null;
  return (
    <section class="card">
      <h2>{texts.collecting}</h2>
      <p>{texts.collectingLead}</p>
      {price !== null && <p>{texts.price({ price: spoken(price / 1_000, "USD", 3) })}</p>}
      {includesRole(visit.role, "editor") && (
        <Form visit={visit} action={`${baseOf(visit)}/collect/${channel.id}`}>
          <input type="hidden" name="collect" value={isOn ? "off" : "on"} />
          <button class="button" type="submit">
            {isOn ? texts.off : texts.on}
          </button>
        </Form>
      )}
    </section>
  );
}

export function StateOf({ visit, comment }: { readonly visit: ProjectVisit; readonly comment: ListedComment }) {
  const state = stateOf(comment.urgency);
  return <State kind={STATES[state]} text={visit.texts.comments.states[state]} />;
}
