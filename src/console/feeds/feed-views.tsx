import type { ChannelState } from "../../channels/store.ts";
import { includesRole } from "../../people/roles.ts";
import type { FeedProblem, FeedStop } from "../../posts/feeds/feed-problems.ts";
import type { Feed } from "../../posts/feeds/store.ts";
import { FEED_MODES, type FeedState } from "../../posts/feeds/table.ts";
import { ChannelsField } from "../compose/shared-fields.tsx";
import type { ProjectVisit } from "../definition.ts";
import { DeleteButton, FormButton } from "../form-buttons.tsx";
import { Select, TextArea } from "../form-fields.tsx";
import { Facts, ObjectList, State, type StateKind } from "../lists.tsx";
import { Empty, Form, Notices, SubmitOrCancel, TextField, Time, Top } from "../parts.tsx";
import { answerIn, rowProblemIn } from "../problem-texts.ts";

interface List {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly feeds: readonly Feed[];
}

export function FeedList({ visit, base, feeds }: List) {
  const createAt = includesRole(visit.role, "editor") ? `${base}/new` : null;
  return (
    <ObjectList visit={visit} icon="rss" texts={visit.texts.feeds} createAt={createAt} isEmpty={feeds.length === 0}>
      {feeds.map((feed) => (
        <li>
          <div class="what">
            <a class="name" href={`${base}/${feed.id}`}>
              {nameOf(visit, feed)}
            </a>
            <span class="about">{feed.url}</span>
          </div>
          <FeedMark visit={visit} feed={feed} />
        </li>
      ))}
    </ObjectList>
  );
}

const KINDS: Readonly<Record<FeedState, StateKind>> = { active: "good", paused: "warn", stopped: "bad" };

const FeedMark = ({ visit, feed: { state } }: { readonly visit: ProjectVisit; readonly feed: Feed }) => (
  <State kind={KINDS[state]} text={visit.texts.feeds.states[state]} />
);

const nameOf = ({ texts }: ProjectVisit, { id, name }: Feed): string =>
  name === "" ? texts.feeds.unnamed({ number: id }) : name;

interface Page {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  /** Of the list. */
  readonly base: string;
  /** Of this form: a second press of the button creates no second feed. */
}

export function FeedForm({ visit, channels, base }: Page) {
  const { feeds, compose } = visit.texts;
  return (
    <>
      <Top title={feeds.createTitle} lead={feeds.createLead} />
      <Notices visit={visit} />
      {channels.length === 0 ? (
        <Empty icon="channel" title={compose.noChannels} lead={compose.noChannelsLead} />
      ) : (
        <Form visit={visit} action={base}>
          <section class="card">
            <TextField visit={visit} name="name" label={feeds.name} input={{ maxlength: 100, autocomplete: "off" }} />
            <TextField
              visit={visit}
              name="url"
              label={feeds.url}
              hint={feeds.urlHint}
              input={{ inputmode: "url", autocomplete: "off" }}
            />
            <ChannelsField visit={visit} name="channels" channels={channels} />
            <Select
              visit={visit}
              name="publish_mode"
              label={feeds.mode}
              options={FEED_MODES.map((value) => ({ value, text: feeds.modes[value] }))}
            />
            <TextArea
              visit={visit}
              name="caption_text"
              label={compose.text}
              hint={feeds.textHint}
              value={"{title}\n\n{link}"}
            />
            <Select
              visit={visit}
              name="picture"
              label={feeds.picture}
              options={(["no", "yes"] as const).map((value) => ({ value, text: feeds.pictures[value] }))}
            />
          </section>
          <SubmitOrCancel visit={visit} submit={feeds.submit} cancel={base} />
        </Form>
      )}
    </>
  );
}

const problemText = ({ language }: ProjectVisit, problem: FeedProblem): string =>
  problem.kind === "refused" ? rowProblemIn(problem, language) : answerIn(problem, language);

/** Why this service stopped a feed, in the language of the page. */
export function stopText(visit: ProjectVisit, { unit, count, last }: FeedStop): string {
  const said = problemText(visit, last);
  return unit === "once" ? said : `${visit.texts.feeds.inARow[unit]({ count })} ${said}`;
}

interface Details {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly feed: Feed;
}

export function FeedDetails({ visit, base, feed }: Details) {
  const { feeds: texts } = visit.texts;
  const { timeZone } = visit.project;
  return (
    <>
      <Top title={nameOf(visit, feed)} lead={<a href={base}>{texts.all}</a>} />
      <Notices visit={visit} />
      {feed.stopReason !== null ? (
        <p class="note bad">
          {texts.whyStopped} {stopText(visit, feed.stopReason)}
        </p>
      ) : (
        feed.problem !== null && (
          <p class="note bad">
            {texts.whyFailed} {problemText(visit, feed.problem)}
          </p>
        )
      )}
      <section class="card">
        <Facts
          items={[
            [texts.state, <FeedMark visit={visit} feed={feed} />],
            [texts.url, feed.url],
            [texts.mode, texts.modes[feed.publishMode]],
            [texts.posted, feed.posted.toLocaleString(visit.language)],
            [texts.refused, feed.refused === 0 ? null : feed.refused.toLocaleString(visit.language)],
            [texts.read, feed.readAt === null ? null : <Time at={feed.readAt} zone={timeZone} visit={visit} />],
          ]}
        />
      </section>
      <section class="card">
        <h2>{texts.texts}</h2>
        <ul class="stack">
          {feed.posts.map(({ caption_text }) => (
            <li class="said caption">{typeof caption_text === "string" ? caption_text : ""}</li>
          ))}
        </ul>
      </section>
      {includesRole(visit.role, "editor") && (
        <>
          <Address visit={visit} base={base} feed={feed} />
          <Acts visit={visit} base={base} feed={feed} />
        </>
      )}
    </>
  );
}

function Address({ visit, base, feed }: Details) {
  const { feeds: texts } = visit.texts;
  return (
    <Form visit={visit} action={`${base}/${feed.id}/address`}>
      <section class="card">
        <TextField
          visit={visit}
          name="url"
          label={texts.url}
          hint={texts.changeUrlHint}
          value={feed.url}
          input={{ inputmode: "url", autocomplete: "off", maxlength: 2048 }}
        />
        <div class="buttons">
          <button class="button small" type="submit">
            {texts.changeUrl}
          </button>
        </div>
      </section>
    </Form>
  );
}

function Acts({ visit, base, feed }: Details) {
  const { feeds: texts } = visit.texts;
  const path = `${base}/${feed.id}`;
  const next = feed.state === "active" ? "paused" : "active";
  return (
    <div class="buttons">
      <FormButton
        visit={visit}
        action={`${path}/state`}
        values={{ state: next }}
        text={next === "active" ? texts.resume : texts.pause}
        kind="small"
      />
      <DeleteButton visit={visit} texts={texts} path={path} />
    </div>
  );
}
