import { isCapabilityOffered } from "../../channels/capabilities.ts";
import { toChannelView } from "../../channels/schema.ts";
import type { ChannelState } from "../../channels/store.ts";
import type { ChannelHealth } from "../../channels/table.ts";
import { offeredPlatforms } from "../../connect/begin.ts";
import { phraseIn } from "../../connect/wording.tsx";
import type { WalkOf } from "../../db/id-list.ts";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import { includesRole } from "../../people/roles.ts";
import { factsOf, platformTitle } from "../../platforms/facts.ts";
import type { ProjectVisit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { Facts, ListPager, State, type StateKind } from "../lists.tsx";
import {
  ChoiceList,
  Confirm,
  Empty,
  FieldErrors,
  Form,
  fieldValues,
  Notices,
  SubmitOrCancel,
  Time,
  Top,
} from "../parts.tsx";
import { HealthText } from "./health-text.tsx";
import { TimetableForm } from "./timetable-form.tsx";

const KINDS: Readonly<Record<ChannelHealth, StateKind>> = {
  connected: "good",
  expiring: "warn",
  reconnect_needed: "bad",
};

export const channelsPath = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/channels`;

function viewOf({ deps, caller }: ProjectVisit, channel: ChannelState) {
  return toChannelView(channel, (name) => isCapabilityOffered(deps, caller, channel.platform, name));
}

interface ChannelList {
  readonly visit: ProjectVisit;
  readonly found: WalkOf<ChannelState>;
  readonly isFirst: boolean;
}

export function ChannelList({ visit, found, isFirst }: ChannelList) {
  const { channels: texts } = visit.texts;
  const { items, next } = found;
  const isEditor = includesRole(visit.role, "editor");
  if (items.length === 0 && isFirst) {
    return (
      <>
        <Top title={texts.title} lead={texts.lead} />
        <ReturnNotices visit={visit} />
        <Empty
          icon="channel"
          title={isEditor ? texts.emptyTitle : texts.title}
          lead={isEditor ? texts.emptyLead : texts.emptyViewer}
        >
          {isEditor && <PlatformChoice visit={visit} />}
        </Empty>
      </>
    );
  }
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {isEditor && (
          <a class="button first" href={`${channelsPath(visit)}/connect`}>
            {texts.connect}
          </a>
        )}
      </Top>
      <ReturnNotices visit={visit} />
      <ul class="card flush items" aria-label={texts.title}>
        {items.map((channel) => (
          <ChannelRow visit={visit} channel={channel} isEditor={isEditor} />
        ))}
      </ul>
      <ListPager
        texts={texts}
        newest={isFirst ? null : channelsPath(visit)}
        older={next === null ? null : `${channelsPath(visit)}?after=${next}`}
      />
    </>
  );
}

/** What the pages of the connection report when they lead back. */
function ReturnNotices({ visit }: { readonly visit: ProjectVisit }) {
  const { channels: texts } = visit.texts;
  const { status } = visit.query;
  return (
    <>
      <Notices visit={visit} />
      {status === "success" && (
        <p class="note good" role="status">
          {texts.connected}
        </p>
      )}
      {status === "failed" && <p class="note bad">{texts.notConnected}</p>}
    </>
  );
}

interface ChannelRow {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
  readonly isEditor: boolean;
}

function ChannelRow({ visit, channel, isEditor }: ChannelRow) {
  const { channels: texts } = visit.texts;
  const { health, health_reason: reason, capabilities, username } = viewOf(visit, channel);
  const missing = capabilities.filter((one) => one.name !== "publish" && one.health === "reconnect_needed").length;
  return (
    <li>
      <PlatformBadge platform={channel.platform} />
      <div class="what">
        <a class="name" href={`${channelsPath(visit)}/${channel.id}`}>
          {channel.name}
        </a>
        <span class="facts">
          <span>{platformTitle(channel.platform)}</span>
          {username !== null && <span>@{username}</span>}
          {missing > 0 && <span class="warning">{texts.limited({ count: missing })}</span>}
        </span>
        {reason !== null && (
          <span class="about">
            <HealthText visit={visit} channel={channel} capability="publish" sentence={reason} />
          </span>
        )}
      </div>
      <State kind={KINDS[health]} text={texts.states[health]} />
      {isEditor && health !== "connected" && <Reconnect visit={visit} channel={channel} />}
    </li>
  );
}

function Reconnect({ visit, channel }: { readonly visit: ProjectVisit; readonly channel: ChannelState }) {
  return (
    <FormButton
      visit={visit}
      action={`${channelsPath(visit)}/${channel.id}/reconnect`}
      text={visit.texts.channels.reconnect}
      kind="small"
    />
  );
}

export function ConnectForm({ visit }: { readonly visit: ProjectVisit }) {
  const { channels: texts } = visit.texts;
  return (
    <>
      <Top title={texts.connectTitle} lead={texts.connectLead} />
      <Notices visit={visit} />
      <section class="card">
        <PlatformChoice visit={visit} cancel={channelsPath(visit)} />
      </section>
    </>
  );
}

/** Only platforms for which the operator has registered an app. */
function PlatformChoice({ visit, cancel }: { readonly visit: ProjectVisit; readonly cancel?: string }) {
  const { channels: texts } = visit.texts;
  const available = offeredPlatforms(visit.deps, visit.caller).filter(({ isAvailable }) => isAvailable);
  const chosen = fieldValues(visit, "platform") ?? [visit.query.platform ?? ""];
  if (available.length === 0) return <p class="note bad">{texts.noneAvailable}</p>;
  return (
    <Form visit={visit} action={`${channelsPath(visit)}/connect`}>
      <fieldset class="field">
        <legend>{texts.platforms}</legend>
        <ChoiceList
          name="platform"
          options={available.map(({ name }) => ({
            value: name,
            title: platformTitle(name),
            about: phraseIn(visit.texts.connect, factsOf(name).offers) ?? factsOf(name).offers,
          }))}
          chosen={chosen}
        />
        <FieldErrors visit={visit} name="platform" />
      </fieldset>
      {cancel === undefined ? (
        <div class="buttons">
          <button class="button first" type="submit">
            {texts.submit}
          </button>
        </div>
      ) : (
        <SubmitOrCancel visit={visit} submit={texts.submit} cancel={cancel} />
      )}
    </Form>
  );
}

export function ChannelDetails({ visit, channel }: { readonly visit: ProjectVisit; readonly channel: ChannelState }) {
  const { channels: texts } = visit.texts;
  const view = viewOf(visit, channel);
  const zone = visit.project.timeZone;
  const isEditor = includesRole(visit.role, "editor");
  const account = view.username === null ? "" : ` · @${view.username}`;
  return (
    <>
      <Top title={view.name} lead={`${platformTitle(channel.platform)}${account}`}>
        <a class="button" href={channelsPath(visit)}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <div class="top">
          <h2>{texts.connection}</h2>
          <State kind={KINDS[view.health]} text={texts.states[view.health]} />
        </div>
        <p>
          <HealthText
            visit={visit}
            channel={channel}
            capability="publish"
            sentence={view.health_reason ?? view.expires_reason}
          />
        </p>
        <Facts
          items={[
            [
              texts.expires,
              view.expires_at === null ? (
                texts.noEnd
              ) : (
                <Time at={Date.parse(view.expires_at)} zone={zone} visit={visit} />
              ),
            ],
            [texts.since, <Time at={channel.createdAt} zone={zone} visit={visit} />],
            [texts.number, String(channel.id)],
            [texts.owner, channel.userRef],
          ]}
        />
        {isEditor && <Reconnect visit={visit} channel={channel} />}
      </section>
      <section>
        <h2 class="above">{texts.capabilitiesTitle}</h2>
        <ul class="card flush items">
          {view.capabilities.map(({ name, health, reason }) => (
            <li>
              <div class="what">
                <span class="name">{texts.capabilities[name]}</span>
                {reason !== null && (
                  <span class="about">
                    <HealthText visit={visit} channel={channel} capability={name} sentence={reason} />
                  </span>
                )}
              </div>
              <State
                kind={KINDS[health]}
                text={
                  health === "reconnect_needed"
                    ? texts.missing
                    : health === "expiring"
                      ? texts.states.expiring
                      : texts.allowed
                }
              />
            </li>
          ))}
        </ul>
      </section>
      <TimetableForm visit={visit} channel={channel} isEditor={isEditor} />
      {isEditor && (
        <section class="card">
          <h2>{texts.disconnect}</h2>
          <p>{texts.disconnectAbout}</p>
          <div class="buttons">
            <Confirm
              visit={visit}
              id="disconnect"
              button={texts.disconnect}
              title={texts.disconnectTitle({ name: channel.name })}
              lead={texts.disconnectLead}
              action={`${channelsPath(visit)}/${channel.id}/disconnect`}
            />
          </div>
        </section>
      )}
    </>
  );
}
