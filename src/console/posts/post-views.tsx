import type { Child } from "hono/jsx";
import { localTime } from "../../core/time.ts";
import { includesRole } from "../../people/roles.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { toFoundView } from "../../posts/content/content-view.ts";
import { shownState } from "../../posts/store.ts";
import type { PostHistory } from "../../posts/timelines/timeline.ts";
import { ApprovalSection } from "../approval/approval-section.tsx";
import type { ProjectVisit, Visit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { FormButton } from "../form-buttons.tsx";
import { projectPath } from "../layout.tsx";
import { Facts } from "../lists.tsx";
import { Confirm, Form, Notices, TextField, Time, Top } from "../parts.tsx";
import { FailureCard } from "./failure-card.tsx";
import { postPath } from "./post-actions.ts";
import { canEdit, PostStateMark, postName } from "./post-parts.tsx";
import { Timeline } from "./timeline.tsx";

interface Shown {
  readonly visit: ProjectVisit;
  readonly found: PostHistory;
}
export function PostView({ visit, found, numbers }: Shown & { readonly numbers: Child }) {
  const { post } = found;
  const { posts: texts } = visit.texts;
  const isDeleted = post.state === "deleted";
  return (
    <>
      <Top
        title={postName(visit.texts, post)}
        lead={`${post.channel.name} · ${platformTitle(post.channelType)} · ${texts.pageTitle({ id: post.id })}`}
      >
        <div class="buttons">
          {canEdit(visit, post) && (
            <a class="button" href={`${postPath(visit.project.id, post.id)}/edit`}>
              {visit.texts.compose.edit.open}
            </a>
          )}
          <PostStateMark texts={visit.texts} post={post} />
        </div>
      </Top>
      <Notices visit={visit} />
      {isDeleted && <p class="note">{texts.deletedLead}</p>}
      {post.state === "failed" && <FailureCard visit={visit} post={post} />}
      {!isDeleted && <Live visit={visit} found={found} />}
      {!isDeleted && numbers}
      <PostContent visit={visit} post={post} />
      {!isDeleted && <ApprovalSection visit={visit} post={post} />}
      {!isDeleted && <Details visit={visit} found={found} />}
      <Timeline visit={visit} events={found.events} />
      {!isDeleted && includesRole(visit.role, "editor") && <Actions visit={visit} found={found} />}
    </>
  );
}

/** Where the post is live, and posts with the same external id on other channels. */
function Live({ visit, found: { post, siblings, costs } }: Shown) {
  const { posts: texts } = visit.texts;
  const { sandbox_url: sandboxUrl } = viewOf(visit, { post, costs });
  const permalink = webAddress(post.permalink);
  const isEmpty = permalink === null && sandboxUrl === null && siblings.length === 0;
  if (isEmpty && !mayBoost(visit, post)) return null;
  return (
    <section class="card" aria-label={texts.onPlatform}>
      <h2>{texts.onPlatform}</h2>
      <div class="buttons">
        {permalink !== null && (
          <a class="button" href={permalink} rel="noreferrer">
            {texts.openLive}
          </a>
        )}
        {sandboxUrl !== null && (
          <a class="button" href={sandboxUrl} rel="noreferrer">
            {texts.openSandbox}
          </a>
        )}
        {mayBoost(visit, post) && (
          <a class="button" href={`${projectPath(visit.project.id)}/campaigns/new?post=${post.id}`}>
            {visit.texts.campaigns.boost}
          </a>
        )}
      </div>
      {siblings.length > 0 && (
        <div>
          <h3>{texts.siblings}</h3>
          <ul class="siblings">
            {siblings.map((one) => (
              <li class="line">
                <a href={postPath(visit.project.id, one.id)}>
                  {one.channel.name} · {platformTitle(one.channelType)}
                </a>
                <PostStateMark texts={visit.texts} post={one} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** Whether this kind of post can be boosted at its platform; the platform decides about the single post. */
function mayBoost({ role }: ProjectVisit, { state, channelType, postType }: PostHistory["post"]): boolean {
  const types = findPlatform(channelType)?.ads?.types ?? [];
  return state === "published" && includesRole(role, "editor") && types.includes(postType);
}

function viewOf({ project, origin, deps }: ProjectVisit, found: Pick<PostHistory, "post" | "costs">) {
  return toFoundView(found, { caller: project, origin, sandboxUrl: deps.config.sandboxUrl });
}

/** Only addresses of the web become links; the platform wrote it. */
function webAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//.test(text) ? text : null;
}

interface PostContent {
  readonly visit: Visit;
  readonly post: Pick<PostHistory["post"], "caption" | "thread" | "mediaUrls" | "altTexts">;
}

/** The texts and files of a post. */
export function PostContent({ visit, post }: PostContent) {
  const { posts: texts } = visit.texts;
  const items = post.thread.length > 0 ? post.thread : null;
  return (
    <section class="card" aria-label={texts.content}>
      <h2>{texts.content}</h2>
      {items?.map((item, index) => (
        <div>
          <h3>{texts.item({ number: index + 1 })}</h3>
          <p class="caption">{item.message}</p>
          <Files visit={visit} urls={item.mediaUrls} altTexts={item.altTexts} />
        </div>
      )) ?? (
        <>
          <p class="caption">{post.caption}</p>
          <Files visit={visit} urls={post.mediaUrls} altTexts={post.altTexts} />
        </>
      )}
    </section>
  );
}

interface Files {
  readonly visit: Visit;
  readonly urls: readonly string[];
  readonly altTexts: readonly (string | null)[];
}

function Files({ visit, urls, altTexts }: Files) {
  const { posts: texts } = visit.texts;
  return urls.length === 0 ? null : (
    <ul class="files" aria-label={texts.media}>
      {urls.map((url, index) => {
        const altText = altTexts[index] ?? null;
        return (
          <li>
            {webAddress(url) === null ? url : <a href={url}>{url}</a>}
            <span class="about">{altText === null ? texts.noAltText : texts.altText({ text: altText })}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Details({ visit, found }: Shown) {
  const { post } = found;
  const { posts: texts } = visit.texts;
  const view = viewOf(visit, found);
  const at = (time: number | null) => time !== null && <Time at={time} zone={visit.project.timeZone} visit={visit} />;
  const declared = DECLARATIONS.flatMap((name) => {
    const value = view.declared?.[name];
    return value === undefined ? [] : [value ? texts.declared[name] : texts.not({ declaration: texts.declared[name] })];
  });
  const options = Object.entries(view.options ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const items: readonly (readonly [string, Child | null])[] = [
    [texts.facts.kind, post.postType],
    [texts.facts.mode, texts.modes[post.publishMode]],
    [texts.facts.due, view.schedule_time === null ? null : at(post.publishAt)],
    [texts.facts.created, at(post.createdAt)],
    [texts.facts.published, at(post.publishedAt) || null],
    [texts.facts.title, post.extra?.title ?? null],
    [texts.facts.hashTags, listed(post.hashTags.map((tag) => `#${tag}`))],
    [texts.facts.externalId, post.externalId],
    [texts.facts.declared, listed(declared)],
    [texts.facts.options, listed(options)],
    [texts.facts.cost, costOf(visit, view.cost)],
    [texts.facts.firstComment, <FirstComment visit={visit} view={view} />],
  ];
  return (
    <section class="card">
      <Facts items={view.first_comment === null ? items.slice(0, -1) : items} />
    </section>
  );
}

const listed = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join(", "));

function costOf({ texts }: ProjectVisit, { amount, currency, reasons }: ReturnType<typeof viewOf>["cost"]) {
  if (reasons.length === 0) return null;
  return `${texts.posts.costOf({ amount: String(amount), currency })} (${reasons.map(({ count, title }) => `${count} × ${title}`).join(", ")})`;
}

const NO_RESULT = { state: "pending", error: null, error_code: null } as const;

function FirstComment({ visit, view }: { readonly visit: ProjectVisit; readonly view: ReturnType<typeof viewOf> }) {
  const { comment } = visit.texts.posts;
  const { state, error, error_code: code } = view.first_comment_result ?? NO_RESULT;
  return (
    <>
      <span class="caption">{view.first_comment}</span>
      <br />
      <span class="about">
        {state === "failed" ? comment.failed({ reason: "" }) : comment[state]}
        <FailureText visit={visit} code={code} sentence={error} />
      </span>
    </>
  );
}

/** The changes that the state of the post allows. */
function Actions({ visit, found: { post } }: Shown) {
  const { actions } = visit.texts.posts;
  const { project } = visit;
  const path = postPath(project.id, post.id);
  const state = shownState(post);
  const isWaiting = state === "draft" || state === "scheduled" || state === "queued";
  const isOnItsWay = state === "pending" || state === "processing";
  const at = localTime(state === "draft" ? visit.now + 3_600_000 : post.publishAt, project.timeZone);
  return (
    <section class="card" aria-label={actions.title}>
      <h2>{actions.title}</h2>
      {isWaiting && (
        <>
          <Form visit={visit} action={`${path}/schedule`}>
            <input type="hidden" name="mode" value="scheduled" />
            <div class="row">
              <TextField
                visit={visit}
                name="at"
                label={actions.time({ zone: project.timeZone })}
                type="datetime-local"
                value={at.replace(" ", "T")}
                input={{ required: true }}
              />
              <button class="button" type="submit">
                {actions.schedule}
              </button>
            </div>
          </Form>
          <div class="buttons">
            <Confirm
              visit={visit}
              id="publish"
              button={actions.publishNow}
              title={actions.publishTitle}
              lead={actions.publishLead}
              action={`${path}/schedule`}
              isSafe
            >
              <input type="hidden" name="mode" value="now" />
            </Confirm>
            {(["queued", "draft"] as const).map(
              (mode) =>
                state !== mode && (
                  <FormButton
                    visit={visit}
                    kind="small"
                    action={`${path}/schedule`}
                    text={mode === "queued" ? actions.queue : actions.toDraft}
                    values={{ mode }}
                  />
                ),
            )}
          </div>
        </>
      )}
      <div class="buttons">
        <Confirm
          visit={visit}
          id="delete"
          button={isOnItsWay ? actions.cancel : actions.delete}
          title={isOnItsWay ? actions.cancelTitle : actions.deleteTitle}
          lead={isOnItsWay ? actions.cancelLead : actions.deleteLead}
          action={`${path}/delete`}
        />
      </div>
    </section>
  );
}
