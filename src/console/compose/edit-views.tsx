import type { Child } from "hono/jsx";
import type { ChannelState } from "../../channels/store.ts";
import type { toPostingOptionsView } from "../../posts/content/posting-options.ts";
import type { Post } from "../../posts/store.ts";
import { CropDialog } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { PageStyle } from "../page-style.tsx";
import { Notices, PageScript, Secret, Top } from "../parts.tsx";
import { firstOf } from "./compose-form.ts";
import { COMPOSE_STYLE } from "./compose-style.ts";
import { PostForm } from "./compose-views.tsx";
import type { changedSince, Written } from "./post-fields.ts";
import { TiktokForm } from "./tiktok-views.tsx";

/** A post that is open in the composer. */
export interface Edited {
  readonly post: Post;
  readonly channel: ChannelState;
  readonly written: Written;
}

interface EditPage {
  readonly visit: ProjectVisit;
  readonly edited: Edited;
  /** What the account offers, on TikTok. */
  readonly options: ReturnType<typeof toPostingOptionsView> | null;
  readonly path: string;
  /** The page of the post. */
  readonly back: string;
}

export function EditPage({ visit, edited: { post, channel }, options, path, back }: EditPage) {
  const { edit } = visit.texts.compose;
  const isWaiting = post.approvalState === "waiting";
  const note = post.approvalState === "sent_back" ? (post.approval?.note ?? null) : null;
  const { report, ...rest } = visit.form;
  // What someone else changed stands above the form; the report of a check stands above its buttons.
  const isConflict = rest.problem !== null && report !== undefined;
  const form = {
    visit: isConflict ? { ...visit, form: rest } : visit,
    path,
    submit: edit.save,
    // A post that waits is a draft already; the other modes say when it is published.
    edited: { canBeDraft: !isWaiting, discard: back },
  };
  const opened = <input type="hidden" name="opened" value={firstOf(visit.form.fields, "opened")} />;
  return (
    <>
      <PageStyle visit={visit} rules={COMPOSE_STYLE} />
      <Notices visit={visit} />
      {isConflict && report}
      {isWaiting && <p class="note">{edit.waitingHint}</p>}
      {note !== null && <p class="note caption">{edit.sentBackHint({ note })}</p>}
      {options ? (
        <TiktokForm {...form} channel={channel} options={options}>
          {opened}
        </TiktokForm>
      ) : (
        <>
          <PostForm {...form} channels={[channel]}>
            <input type="hidden" name="channel" value={String(channel.id)} />
            {opened}
          </PostForm>
          <PageScript visit={visit} name="check" />
          <PageScript visit={visit} name="upload" />
          <CropDialog visit={visit} />
        </>
      )}
    </>
  );
}

interface FixedPost {
  readonly visit: ProjectVisit;
  readonly problem: string | null;
  readonly back: string;
}

/** A post that can no longer be changed. What the person wrote is not lost. */
export function FixedPost({ visit, problem, back }: FixedPost) {
  const { edit } = visit.texts.compose;
  const text = firstOf(visit.form.fields, "caption_text");
  return (
    <>
      <Top title={edit.title} lead={edit.notChangeable} />
      <p class="note bad" role="alert">
        {problem}
      </p>
      {text !== "" && <Secret visit={visit} id="text" label={edit.yourText} text={text} />}
      <div class="buttons">
        <a class="button first" href={back}>
          {edit.back}
        </a>
      </div>
    </>
  );
}

interface Conflict {
  readonly visit: ProjectVisit;
  readonly changes: ReturnType<typeof changedSince>;
  readonly path: string;
}

/** What someone else changed, field by field. */
export function Conflict({ visit, changes, path }: Conflict) {
  const { edit } = visit.texts.compose;
  return (
    <section class="card" aria-label={edit.conflictTitle}>
      <h2>{edit.conflictTitle}</h2>
      <p>{edit.conflictLead}</p>
      {Object.entries(changes).map(([name, { from, to }]) => (
        <div>
          <h3>{Object.entries(edit.fields).find(([one]) => one === name)?.[1] ?? name}</h3>
          <dl class="pairs">
            <Value name={edit.before} value={shown(visit, from)} />
            <Value name={edit.now} value={shown(visit, to)} />
          </dl>
        </div>
      ))}
      <div class="buttons">
        <a class="button" href={path}>
          {edit.discard}
        </a>
      </div>
    </section>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="caption">{value}</dd>
    </div>
  );
}

/** A value of a post as text. */
function shown({ texts }: ProjectVisit, value: unknown): string {
  const { edit, modes, declared } = texts.compose;
  const named: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(modes).map(([mode, { title }]) => [mode, title])),
    ...declared,
  };
  const words = (one: unknown): string => {
    if (Array.isArray(one)) return one.map(words).join("\n");
    if (typeof one !== "object" || one === null) return named[String(one ?? "")] ?? String(one ?? "");
    if ("message" in one) return String(one.message);
    return Object.entries(one)
      .map(([name, each]) => `${named[name] ?? name}: ${String(each)}`)
      .join("\n");
  };
  return words(value) || edit.empty;
}
