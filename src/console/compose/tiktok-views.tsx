import type { Child } from "hono/jsx";
import { PlatformBadge } from "../../pages/platform-badge.tsx";
import type { findPostingOptions, toPostingOptionsView } from "../../posts/content/posting-options.ts";
import { CropDialog } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { TextArea } from "../form-fields.tsx";
import { FieldErrors, Form, fieldValue, PageScript, TextField } from "../parts.tsx";
import type { EditedPost } from "./compose-views.tsx";
import { MediaFields, When } from "./shared-fields.tsx";

/**
 * TikTok's posting page. What it shows, and in which words, are the Content Sharing Guidelines: its audit
 * checks each point (docs/platforms/tiktok.md). Rules of style show and hide parts, so no script is needed.
 */
export interface TiktokPage {
  readonly visit: ProjectVisit;
  readonly channel: Awaited<ReturnType<typeof findPostingOptions>>["channel"];
  readonly options: ReturnType<typeof toPostingOptionsView>;
  readonly path: string;
  readonly submit: string;
  readonly edited?: EditedPost;
  /** The hidden fields of the form. */
  readonly children?: Child;
}

export function TiktokForm({ visit, channel, options, path, submit, edited, children }: TiktokPage) {
  const { tiktok, compose } = visit.texts;
  const { disclosures } = options;
  return (
    <>
      <section class="card">
        <div class="creator">
          {options.picture_url?.startsWith(`${visit.origin}/`) ? (
            <img class="avatar" src={options.picture_url} alt="" />
          ) : (
            <PlatformBadge platform="tiktok" />
          )}
          <span class="what">
            <span class="name">{tiktok.postingAs({ name: options.name ?? channel.name })}</span>
            {options.username !== null && <span class="about">@{options.username}</span>}
          </span>
        </div>
        {!options.can_post && (
          <p class="note bad" role="alert">
            {tiktok.cannotPost} <FailureText visit={visit} code="account_restricted" sentence={options.reason} />
          </p>
        )}
      </section>
      <Form visit={visit} action={path} attributes={{ enctype: "multipart/form-data", "data-check": `${path}/check` }}>
        {children}
        <input type="hidden" name="channel" value={channel.id} />
        <MediaFields visit={visit} path={path} />
        {options.max_video_seconds !== null && (
          <p class="hint">{tiktok.longest({ seconds: options.max_video_seconds })}</p>
        )}
        <section class="card">
          <TextArea visit={visit} name="caption_text" label={tiktok.caption} rows={4} />
          <TextField visit={visit} name="title" label={tiktok.photoTitle} input={{ maxlength: 90 }} />
          <TextField visit={visit} name="hash_tags" label={compose.hashTags} hint={compose.hashTagsHint} />
          <Privacy visit={visit} levels={options.privacy_levels} />
          <fieldset class="field">
            <legend>{tiktok.allow}</legend>
            <div class="choices">
              {(["comments", "duets", "stitches"] as const).map((name) => (
                <Interaction visit={visit} name={name} isOffered={options[name]} />
              ))}
            </div>
          </fieldset>
        </section>
        <Disclosure visit={visit} disclosures={disclosures} />
        <When visit={visit} canBeDraft={edited?.canBeDraft ?? true} />
        {visit.form.report ?? <section id="report" aria-live="polite" />}
        <Consent kind="usual" {...disclosures.consent} />
        <Consent kind="paid" {...disclosures.consent_to_paid_partnership} />
        <div class="buttons">
          <button class="button first publish" type="submit" disabled={!options.can_post}>
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
        <p class="hint">{tiktok.takesTime}</p>
      </Form>
      <PageScript visit={visit} name="check" />
      <PageScript visit={visit} name="upload" />
      <CropDialog visit={visit} />
    </>
  );
}

/** Exactly the levels of the account, and none chosen. */
function Privacy({
  visit,
  levels,
}: Pick<TiktokPage, "visit"> & { readonly levels: TiktokPage["options"]["privacy_levels"] }) {
  const { tiktok } = visit.texts;
  const chosen = fieldValue(visit, "privacy_level");
  return (
    <div class="field">
      <label for="privacy_level">{tiktok.privacy}</label>
      <select id="privacy_level" name="privacy_level" required>
        <option value="" selected={chosen === ""} />
        {levels.map((level) => (
          <option value={level} selected={chosen === level}>
            {tiktok.privacyLevels[level]}
          </option>
        ))}
      </select>
      <p class="hint only-branded">{tiktok.notPrivate}</p>
      <FieldErrors visit={visit} name="privacy_level" />
    </div>
  );
}

interface Interaction {
  readonly visit: ProjectVisit;
  readonly name: "comments" | "duets" | "stitches";
  /** False: the creator has it off. */
  readonly isOffered: boolean;
}

function Interaction({ visit, name, isOffered }: Interaction) {
  const { tiktok } = visit.texts;
  return (
    <label class={isOffered ? "choice small" : "choice small unavailable"}>
      <input
        type="checkbox"
        name={name}
        value="on"
        checked={isOffered && fieldValue(visit, name) !== ""}
        disabled={!isOffered}
      />
      <span class="what">
        <span class="name">{tiktok[name]}</span>
        {!isOffered && <span class="about">{tiktok.isOff}</span>}
      </span>
    </label>
  );
}

function Disclosure({ visit, disclosures }: Pick<TiktokPage, "visit"> & Pick<TiktokPage["options"], "disclosures">) {
  const { tiktok } = visit.texts;
  const box = (name: string, title: string, about: string) => (
    <label class="choice">
      <input type="checkbox" id={name} name={name} value="on" checked={fieldValue(visit, name) !== ""} />
      <span class="what">
        <span class="name">{title}</span>
        <span class="about">{about}</span>
      </span>
    </label>
  );
  return (
    <section class="card">
      {box("disclose", tiktok.disclose, tiktok.discloseHint)}
      <div class="brands choices">
        {box("own_brand", tiktok.ownBrand, tiktok.ownBrandHint)}
        {box("paid_partnership", tiktok.branded, tiktok.brandedHint)}
      </div>
      <p class="hint only-undecided">{tiktok.chooseBrand}</p>
      <p class="hint only-own">{disclosures.own_brand}</p>
      <p class="hint only-branded">{disclosures.paid_partnership}</p>
      <FieldErrors visit={visit} name="disclose" />
      <label class="choice small">
        <input type="checkbox" name="declared" value="made_with_ai" checked={fieldValue(visit, "declared") !== ""} />
        <span class="name">{tiktok.madeWithAi}</span>
      </label>
    </section>
  );
}

interface Sentence {
  readonly kind: "usual" | "paid";
  readonly text: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** TikTok's sentence word for word, with its names as links. */
function Consent({ kind, text, links }: Sentence) {
  const names = new RegExp(`(${links.map(({ label }) => label).join("|")})`);
  return (
    <p class={`consent ${kind}`}>
      {text.split(names).map((part) => {
        const link = links.find(({ label }) => label === part);
        return link ? (
          <a href={link.url} target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          part
        );
      })}
    </p>
  );
}
