import { healthOf } from "../../channels/health.ts";
import type { ChannelState } from "../../channels/store.ts";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import { DECLARATIONS } from "../../platforms/declarations.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select, TextArea } from "../inputs.tsx";
import { PageStyle } from "../page-style.tsx";
import { Choice, Empty, FieldErrors, Form, Notices, PageScript, TextField, Top } from "../parts.tsx";
import { firstOf, ofChannel, optionNames, typesOf } from "./compose-form.ts";
import { COMPOSE_STYLE } from "./compose-style.ts";
import { MediaFields, When } from "./shared-fields.tsx";

interface Compose {
  readonly visit: ProjectVisit;
  readonly channels: readonly ChannelState[];
  readonly hasMore: boolean;
  /** Of this form: a second press of the button, or a reload, creates nothing (compose-pages.tsx). */
  readonly formKey: string;
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
        </>
      )}
    </>
  );
}

function ComposeForm({ visit, channels, hasMore, formKey }: Compose) {
  const { compose } = visit.texts;
  const path = composePath(visit);
  return (
    <Form visit={visit} action={path} attributes={{ enctype: "multipart/form-data", "data-check": `${path}/check` }}>
      <input type="hidden" name="key" value={formKey} />
      <fieldset class="card">
        <legend class="hidden">{compose.channels}</legend>
        <div>
          <h2>{compose.channels}</h2>
          <p class="hint">{hasMore ? compose.moreChannels(channels.length) : compose.channelsHint}</p>
        </div>
        <div class="choices">
          {channels.map((channel) => (
            <ChannelChoice visit={visit} channel={channel} />
          ))}
        </div>
        <FieldErrors visit={visit} name="channel" />
      </fieldset>
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
            <Variant visit={visit} channel={channel} />
          ))}
        </div>
      </section>
      <MediaFields visit={visit} upload={`${path}/upload`} />
      <section class="card">
        <details open={firstOf(visit.form.fields, "first_comment") !== "" || visit.form.fields.declared !== undefined}>
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
              <div class="choices">
                {DECLARATIONS.map((name) => (
                  <Choice
                    type="checkbox"
                    name="declared"
                    value={name}
                    title={compose.declared[name]}
                    isChecked={visit.form.fields.declared?.includes(name) ?? false}
                    isSmall
                  />
                ))}
              </div>
            </fieldset>
          </div>
        </details>
      </section>
      <When visit={visit} />
      {visit.form.report ?? <section id="report" aria-live="polite" />}
      <div class="buttons">
        <button class="button first" type="submit">
          {compose.submit}
        </button>
        <button class="button" type="submit" formaction={`${path}/check#report`}>
          {compose.check}
        </button>
      </div>
    </Form>
  );
}

interface OfChannel {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
}

function ChannelChoice({ visit, channel }: OfChannel) {
  if (channel.platform === "tiktok") return <TiktokLink visit={visit} channel={channel} />;
  const { health, reason } = healthOf(channel, channel.grants, "publish", visit.now);
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
          {health === "reconnect_needed" ? reason : platformTitle(channel.platform)}
        </span>
      </span>
    </label>
  );
}

function TiktokLink({ visit, channel }: OfChannel) {
  const { compose } = visit.texts;
  return (
    <a class="choice" href={`${composePath(visit)}/tiktok/${channel.id}`}>
      <PlatformBadge platform="tiktok" />
      <span class="what">
        <span class="name">{compose.tiktokOpen(channel.name)}</span>
        <span class="about">{compose.tiktok}</span>
      </span>
    </a>
  );
}

/** What differs for one channel: a text of its own, the kind of post, and the platform's options. */
function Variant({ visit, channel }: OfChannel) {
  const { compose } = visit.texts;
  const types = typesOf(channel);
  const [first] = types;
  if (!first || channel.platform === "tiktok") return null;
  const named = (name: string) => ofChannel(name, channel);
  const given = (name: string) => firstOf(visit.form.fields, named(name));
  return (
    <details class="variant" open={given("caption_text") !== "" || given("title") !== ""}>
      <summary>
        <span class="name">{compose.settingsFor(channel.name, platformTitle(channel.platform))}</span>
        <span class="about">
          {[
            compose.limits.text(first.text.max.toLocaleString(visit.language), first.text.unit),
            first.media.max > 0 ? compose.limits.media(first.media.min, first.media.max) : compose.limits.noMedia,
            ...(first.first_comment ? [compose.limits.comment] : []),
          ].join(" · ")}
        </span>
      </summary>
      <div class="inside">
        <TextArea
          visit={visit}
          name={named("caption_text")}
          label={compose.ownText}
          hint={compose.ownTextHint}
          rows={4}
        />
        {types.length > 1 && (
          <Select
            visit={visit}
            name={named("post_type")}
            label={compose.postType}
            hint={types.some(({ post_type }) => post_type === "thread") ? compose.threadHint : undefined}
            choices={types.map(({ post_type }) => [post_type, compose.postTypes[post_type]])}
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
            choices={first.privacy.map((one) => [one, compose.visibilities[one]])}
          />
        )}
        {optionNames(channel).map((name) => (
          <TextField visit={visit} name={named(`options.${name}`)} label={optionLabel(visit, name)} />
        ))}
      </div>
    </details>
  );
}

function optionLabel({ texts }: ProjectVisit, name: string): string {
  return Object.entries(texts.compose.options).find(([one]) => one === name)?.[1] ?? name;
}
