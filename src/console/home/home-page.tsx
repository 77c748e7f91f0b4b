import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { wantedText } from "../approval/approval-section.tsx";
import { Gauge } from "../bars.tsx";
import { ExpiringText } from "../channels/health-text.tsx";
import { type Entry, type ProjectVisit, projectPage, type Redirect } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { stopText } from "../feeds/feed-views.tsx";
import { projectPath } from "../layout.tsx";
import { State } from "../lists.tsx";
import { Empty, Notices, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { FailureButtons, postName, todoOf } from "../posts/post-parts.tsx";
import { nameOf, PauseText } from "../series/series-views.tsx";
import { NeedItem, OpenButton, section } from "./need-list.tsx";
import { type Needs, readNeeds } from "./needs.ts";

/** What needs attention in a project. One that is not set up opens where its first token is created. */
const homePage = projectPage({
  path: "/projects/:project",
  role: "viewer",
  menu: { title: ({ home }) => home.title, icon: "home" },
  title: ({ home }) => home.title,
  load: async (visit): Promise<Needs | Redirect> => {
    const needs = await readNeeds(visit);
    const opensTokens = needs.isNew && includesRole(visit.role, "editor");
    return opensTokens ? { to: `${projectPath(visit.project.id)}/tokens` } : needs;
  },
  view: (needs, visit) => <Home visit={visit} needs={needs} />,
});

export const HOME: readonly Entry[] = [homePage];

interface Room {
  readonly visit: ProjectVisit;
  readonly needs: Needs;
}

const ROOMS = [
  FailedPosts,
  Spending,
  Unapproved,
  WaitingPosts,
  Series,
  Feeds,
  Channels,
  Webhooks,
  Campaigns,
  Limits,
] as const;

function Home({ visit, needs }: Room) {
  const { home } = visit.texts;
  const shown = ROOMS.map((room) => room({ visit, needs })).filter((room) => room !== null);
  return (
    <>
      <Top title={home.title} lead={home.lead} />
      <Notices visit={visit} />
      {shown.length === 0 ? <Empty icon="check" title={home.nothing} lead={home.nothingLead} /> : shown}
    </>
  );
}

function FailedPosts({ visit, needs: { failed } }: Room) {
  const { home } = visit.texts;
  const { project } = visit;
  const items = failed.rows.map((post) => (
    <NeedItem
      platform={post.channelType}
      name={postName(visit.texts, post)}
      href={postPath(project.id, post.id)}
      about={
        <>
          <span>{post.channel.name}</span>
          <Time at={post.updatedAt} zone={project.timeZone} visit={visit} />
          <code>{post.errorCode ?? "unexpected"}</code>
        </>
      }
      why={<FailureText visit={visit} code={post.errorCode ?? "unexpected"} sentence={post.error} />}
      todo={todoOf(visit.texts, post.errorCode)}
    >
      <FailureButtons visit={visit} post={post} />
    </NeedItem>
  ));
  const more = failed.hasMore ? { href: `${projectPath(project.id)}/posts?status=failed`, text: home.more } : null;
  return section({ ...home.failed, items, more });
}

/** For those who may answer. */
function Spending({ visit, needs: { spending } }: Room) {
  const { spending: texts } = visit.texts;
  const { project } = visit;
  if (!includesRole(visit.role, "editor")) return null;
  const items = spending.map(({ id, question, expiresAt }) => (
    <NeedItem
      name={question}
      href={`${projectPath(project.id)}/spending/${id}`}
      about={
        <span>
          {texts.until} <Time at={expiresAt} zone={project.timeZone} visit={visit} />
        </span>
      }
      why={null}
    />
  ));
  return section({ title: texts.title, lead: texts.lead, items });
}

function Unapproved({ visit, needs: { unapproved } }: Room) {
  const { approval, home } = visit.texts;
  const { project } = visit;
  const items = unapproved.rows.map((post) => (
    <NeedItem
      platform={post.channelType}
      name={postName(visit.texts, post)}
      href={postPath(project.id, post.id)}
      about={<span>{post.channel.name}</span>}
      why={post.approval && `${approval.wanted}: ${wantedText(visit.texts, post.approval, post.timeZone)}`}
      todo={post.approval?.note ?? undefined}
    />
  ));
  const more = unapproved.hasMore ? { href: `${projectPath(project.id)}/approvals`, text: home.more } : null;
  return section({ title: approval.states.waiting, items, more });
}

function WaitingPosts({ visit, needs: { blocked, paused } }: Room) {
  const { home } = visit.texts;
  const { project } = visit;
  const waiting = blocked.rows.map((post) => (
    <NeedItem
      platform={post.channelType}
      name={postName(visit.texts, post)}
      href={postPath(project.id, post.id)}
      about={
        <>
          <span>{post.channel.name}</span>
          <span>
            {home.waiting.next} <Time at={post.nextAt} zone={project.timeZone} visit={visit} />
          </span>
          <code>{post.code}</code>
        </>
      }
      why={<FailureText visit={visit} code={post.code} sentence={post.reason} />}
    />
  ));
  const queues = paused.map(({ channelId, channel, pausedCount }) => (
    <NeedItem
      name={home.waiting.paused({ name: channel.name })}
      href={channelPath(project.id, channelId)}
      why={home.waiting.pausedLead({ count: pausedCount })}
    />
  ));
  return section({ title: home.waiting.title, lead: home.waiting.lead, items: [...waiting, ...queues] });
}

function Series({ visit, needs: { series } }: Room) {
  const { series: texts, more: all } = visit.texts.home;
  const base = `${projectPath(visit.project.id)}/series`;
  const items = series.rows.map((one) => (
    <NeedItem
      name={nameOf(visit, one)}
      href={`${base}/${one.id}`}
      about={<Time at={one.updatedAt} zone={visit.project.timeZone} visit={visit} />}
      why={<PauseText visit={visit} series={one} />}
    >
      <OpenButton href={`${base}/${one.id}`} text={texts.open} />
    </NeedItem>
  ));
  return section({ title: texts.title, items, more: series.hasMore ? { href: base, text: all } : null });
}

function Feeds({ visit, needs: { feeds } }: Room) {
  const { feeds: texts, more: all } = visit.texts.home;
  const base = `${projectPath(visit.project.id)}/feeds`;
  const items = feeds.rows.map(({ id, name, url, stopReason, updatedAt }) => (
    <NeedItem
      name={name === "" ? url : name}
      href={`${base}/${id}`}
      about={<Time at={updatedAt} zone={visit.project.timeZone} visit={visit} />}
      why={stopReason && stopText(visit, stopReason)}
      todo={texts.todo}
    >
      <OpenButton href={`${base}/${id}`} text={texts.open} />
    </NeedItem>
  ));
  return section({ title: texts.title, items, more: feeds.hasMore ? { href: base, text: all } : null });
}

const channelPath = (projectId: number, id: number): string => `${projectPath(projectId)}/channels/${id}`;

function Channels({ visit, needs: { channels } }: Room) {
  const { channels: texts } = visit.texts.home;
  const { project } = visit;
  const items = channels.map(({ id, name, platform, health, reason, code, nextAt }) => (
    <NeedItem
      platform={platform}
      name={name}
      href={channelPath(project.id, id)}
      mark={
        <State
          kind={health === "expiring" ? "warn" : "bad"}
          text={health === "expiring" ? texts.expiring : texts.broken}
        />
      }
      about={
        <>
          <span>{platformTitle(platform)}</span>
          {nextAt !== null && (
            <span>
              {texts.next} <Time at={nextAt} zone={project.timeZone} visit={visit} />
            </span>
          )}
        </>
      }
      why={
        health === "expiring" ? (
          <ExpiringText visit={visit} sentence={reason} />
        ) : (
          <FailureText visit={visit} code={code} sentence={reason} />
        )
      }
    >
      <OpenButton href={channelPath(project.id, id)} text={texts.open} />
    </NeedItem>
  ));
  return section({ title: texts.title, items });
}

function Webhooks({ visit, needs: { webhooks } }: Room) {
  const { webhooks: texts } = visit.texts.home;
  const items = webhooks.map(({ id, url, disabledReason, disabledAt }) => {
    const href = `${projectPath(visit.project.id)}/webhooks/${id}`;
    return (
      <NeedItem
        name={url}
        href={href}
        about={disabledAt !== null && <Time at={disabledAt} zone={visit.project.timeZone} visit={visit} />}
        why={disabledReason === "gone" ? texts.gone : texts.failing}
        todo={texts.todo}
      >
        <OpenButton href={href} text={texts.open} />
      </NeedItem>
    );
  });
  return section({ title: texts.title, items });
}

function Campaigns({ visit, needs: { campaigns } }: Room) {
  const { campaigns: texts, more: all } = visit.texts.home;
  const base = `${projectPath(visit.project.id)}/campaigns`;
  const items = campaigns.rows.map(({ id, name, state, reason, errorCode, updatedAt }) => (
    <NeedItem
      name={name}
      href={`${base}/${id}`}
      mark={<State kind="bad" text={state === "rejected" ? texts.rejected : texts.failed} />}
      about={
        <>
          <Time at={updatedAt} zone={visit.project.timeZone} visit={visit} />
          {errorCode !== null && <code>{errorCode}</code>}
        </>
      }
      why={<FailureText visit={visit} code={errorCode} sentence={reason} />}
      todo={texts.todo}
    >
      <OpenButton href={`${base}/${id}`} text={texts.open} />
    </NeedItem>
  ));
  const more = campaigns.hasMore ? { href: base, text: all } : null;
  return section({ title: texts.title, lead: texts.lead, items, more });
}

function Limits({ visit, needs: { limits } }: Room) {
  const { limits: texts } = visit.texts.home;
  const items = limits.map(({ kind, share, used, most }) => (
    <li class="need">
      <div class="what">
        <span class="line">
          <span class="name">{texts.kinds[kind]}</span>
          <span class="number">{texts.used({ used, most })}</span>
        </span>
        <Gauge share={share} />
        <p class="about">{texts.todo}</p>
      </div>
    </li>
  ));
  return section({ title: texts.title, items });
}
