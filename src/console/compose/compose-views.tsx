import type { Child } from "hono/jsx";
import { healthOf } from "../../channels/health.ts";
import type { ChannelState } from "../../channels/store.ts";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import type { Texts } from "../../pages/texts.ts";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { hasOwnForm, platformTitle } from "../../platforms/facts.ts";
import { OPTION_SHAPES } from "../../posts/content/options.ts";
import { CropDialog } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { Select, TextArea } from "../form-fields.tsx";
import { PageStyle } from "../page-style.tsx";
import { Choice, ChoiceList, Empty, FieldErrors, Form, Notices, PageScript, TextField, Top } from "../parts.tsx";
import { firstOf, ofChannel, optionNames, typesOf } from "./compose-form.ts";
import { COMPOSE_STYLE } from "./compose-style.ts";
import { GenerateSection, type Generating } from "./generate-section.tsx";
import { MediaFields, When } from "./shared-fields.tsx";

interface Compose {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  readonly hasMore: boolean;
  /** Of this form: a second press of the button, or a reload, creates nothing (compose-pages.tsx). */
  readonly generating: Generating;
}

export const composePath = ({ project }: Pick<ProjectVisit, "project">) => `/console/projects/${project.id}/compose`;

export function ComposePage(page: Compose) {
  const { visit, channels } = page;
  const { compose } = visit.texts;
  return (
    <>
      <PageStyle visit={visit} rules={COMPOSE_STYLE} />
      <Top title={compose.title} lead={compose.lead} />
      <Notices visit={visit} />
      {channels.length === 0 ? (
        <Empty icon="channel" title={compose.noChannels} lead={compose.noChannelsLead} />
      ) : (
        <>
          <ComposeForm {...page} />
          <PageScript visit={visit} name="check" />
          <PageScript visit={visit} name="upload" />
          <CropDialog visit={visit} />
          <PageScript visit={visit} name="progress" />
        </>
      )}
    </>
  );
}

function ComposeForm({ visit, channels, hasMore, generating }: Compose) {
  const { compose } = visit.texts;
  const path = composePath(visit);
  return (
    <PostForm visit={visit} channels={channels} path={path} submit={compose.submit}>
      <fieldset class="card">
        <legend class="hidden">{compose.channels}</legend>
        <div>
          <h2>{compose.channels}</h2>
          <p class="hint">{hasMore ? compose.moreChannels({ count: channels.length }) : compose.channelsHint}</p>
        </div>
        <div class="choices">
          {channels.map((channel) => (
            <ChannelChoice visit={visit} channel={channel} />
          ))}
        </div>
        <FieldErrors visit={visit} name="channel" />
      </fieldset>
      <GenerateSection visit={visit} path={path} generating={generating} />
    </PostForm>
  );
}

interface PostForm {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  /** Where the form is sent; `/check` and `/upload` below it take it too. */
  readonly path: string;
  readonly submit: string;
  /** The post that is edited: its channel and kind are fixed. */
  readonly edited?: EditedPost;
  /** The first parts of the form. */
  readonly children: Child;
}

export interface EditedPost {
  readonly canBeDraft: boolean;
  readonly discard: string;
}

/** The form for the content and the time of posts. */
export function PostForm({ visit, channels, path, submit, edited, children }: PostForm) {
  const { compose } = visit.texts;
  return (
    <Form visit={visit} action={path} attributes={{ enctype: "multipart/form-data", "data-check": `${path}/check` }}>
      {/* The enter key presses the first button, which must not be one that generates or publishes. */}
      <button type="submit" formaction={`${path}/check#report`} hidden />
      {children}
      <section class="card">
        <TextArea visit={visit} name="caption_text" label={compose.text} hint={compose.textHint} rows={7} />
        <TextField
          visit={visit}
          name="hash_tags"
          label={compose.hashTags}
          hint={compose.hashTagsHint}
          input={{ autocomplete: "off" }}
        />
        <div class="variants">
          {channels.map((channel) => (
            <Variant visit={visit} channel={channel} isFixed={edited !== undefined} />
          ))}
        </div>
      </section>
      <MediaFields visit={visit} path={path} />
      <MoreFields visit={visit} />
      <When visit={visit} canBeDraft={edited?.canBeDraft ?? true} />
      {visit.form.report ?? <section id="report" aria-live="polite" />}
      <div class="buttons">
        <button class="button first" type="submit">
          {submit}
        </button>
        <button class="button" type="submit" formaction={`${path}/check#report`}>
          {compose.check}
        </button>
        {edited && (
          <a class="button" href={edited.discard}>
            {visit.texts.form.cancel}
          </a>
        )}
      </div>
    </Form>
  );
}

function MoreFields({ visit }: { readonly visit: ProjectVisit }) {
  const { compose } = visit.texts;
  const { fields } = visit.form;
  return (
    <section class="card">
      <details open={firstOf(fields, "first_comment") !== "" || fields.declared !== undefined}>
        <summary class="name">{compose.more}</summary>
        <div class="inside">
          <TextArea
            visit={visit}
            name="first_comment"
            label={compose.firstComment}
            hint={compose.firstCommentHint}
            rows={2}
          />
          <fieldset class="field">
            <legend>{compose.declarations}</legend>
            <ChoiceList
              name="declared"
              options={DECLARATIONS.map((value) => ({ value, title: compose.declared[value] }))}
              chosen={fields.declared ?? []}
              isSmall
            />
          </fieldset>
        </div>
      </details>
    </section>
  );
}

interface OfChannel {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
}

function ChannelChoice({ visit, channel }: OfChannel) {
  if (hasOwnForm(channel.platform)) return <TiktokLink visit={visit} channel={channel} />;
  const { health, reason, code } = healthOf(channel, channel.grants, "publish", visit.now);
  const chosen = visit.form.fields.channel ?? [visit.query.channel ?? ""];
  return (
    <label class="choice">
      <input
        type="checkbox"
        name="channel"
        value={channel.id}
        checked={chosen.includes(String(channel.id))}
        data-channel={channel.id}
      />
      <PlatformBadge platform={channel.platform} />
      <span class="what">
        <span class="name">{channel.name}</span>
        <span class={health === "reconnect_needed" ? "about warning" : "about"}>
          {health === "reconnect_needed" ? (
            <FailureText visit={visit} code={code} sentence={reason} />
          ) : (
            platformTitle(channel.platform)
          )}
        </span>
      </span>
    </label>
  );
}

function TiktokLink({ visit, channel }: OfChannel) {
  const { compose } = visit.texts;
  return (
    <a class="choice" href={`${composePath(visit)}/tiktok/${channel.id}`}>
      <PlatformBadge platform={channel.platform} />
      <span class="what">
        <span class="name">{compose.tiktokOpen({ name: channel.name })}</span>
        <span class="about">{compose.tiktok}</span>
      </span>
    </a>
  );
}

/** What differs for one channel: a text of its own, the kind of post, and the platform's options. */
function Variant({ visit, channel, isFixed }: OfChannel & { readonly isFixed: boolean }) {
  const { compose } = visit.texts;
  const types = typesOf(channel);
  const [first] = types;
  if (!first || hasOwnForm(channel.platform)) return null;
  const named = (name: string) => ofChannel(name, channel);
  const given = (name: string) => firstOf(visit.form.fields, named(name));
  return (
    <details class="variant" open={isFixed || given("caption_text") !== "" || given("title") !== ""}>
      <summary>
        <span class="name">
          {compose.settingsFor({ name: channel.name, platform: platformTitle(channel.platform) })}
        </span>
        <span class="about">
          {[
            compose.limits.text({
              max: first.text.max.toLocaleString(visit.language),
              unit: unitIn(compose, first.text),
            }),
            mediaLimit(compose, first.media),
            ...(first.first_comment ? [compose.limits.comment] : []),
          ].join(" · ")}
        </span>
      </summary>
      <div class="inside">
        {isFixed ? (
          <>
            <p class="hint">{compose.edit.fixed}</p>
            <input type="hidden" name={named("post_type")} value={given("post_type")} />
          </>
        ) : (
          <TextArea
            visit={visit}
            name={named("caption_text")}
            label={compose.ownText}
            hint={compose.ownTextHint}
            rows={4}
          />
        )}
        {types.length > 1 && !isFixed && (
          <Select
            visit={visit}
            name={named("post_type")}
            label={compose.postType}
            hint={types.some(({ post_type }) => post_type === "thread") ? compose.threadHint : undefined}
            options={types.map(({ post_type }) => ({ value: post_type, text: compose.postTypes[post_type] }))}
          />
        )}
        {first.title && (
          <TextField visit={visit} name={named("title")} label={compose.videoTitle} input={{ maxlength: 100 }} />
        )}
        {first.title && (
          <TextField
            visit={visit}
            name={named("category")}
            label={compose.category}
            value="22"
            input={{ inputmode: "numeric" }}
          />
        )}
        {first.title && first.privacy && (
          <Select
            visit={visit}
            name={named("privacyStatus")}
            label={compose.visibility}
            options={first.privacy.map((value) => ({ value, text: compose.visibilities[value] }))}
          />
        )}
        {optionNames(channel).map((name) =>
          OPTION_SHAPES[name].takes === "boolean" ? (
            <Choice
              type="checkbox"
              name={named(`options.${name}`)}
              value="true"
              title={optionLabel(visit, name)}
              isChecked={given(`options.${name}`) === "true"}
            />
          ) : (
            <TextField visit={visit} name={named(`options.${name}`)} label={optionLabel(visit, name)} />
          ),
        )}
      </div>
    </details>
  );
}

/** In what the platform counts a text. */
export function unitIn({ units }: Texts["compose"], { unit }: { readonly unit: string }): string {
  return Object.entries(units).find(([known]) => known === unit)?.[1] ?? unit;
}

/** How many files a channel takes. */
function mediaLimit(
  { limits }: Texts["compose"],
  { min: least, max: most }: { readonly min: number; readonly max: number },
) {
  if (most === 0) return limits.noMedia;
  if (least === most) return limits.media({ count: most });
  return least === 0 ? limits.mediaUpTo({ most }) : limits.mediaRange({ least, most });
}

function optionLabel({ texts }: ProjectVisit, name: string): string {
  return Object.entries(texts.compose.options).find(([one]) => one === name)?.[1] ?? name;
}
