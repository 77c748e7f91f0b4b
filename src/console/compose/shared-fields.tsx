import type { ChannelState } from "../../channels/store.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { PUBLISH_MODES } from "../../posts/table.ts";
import { CropButton } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { Choice, ChoiceList, FieldErrors, fieldValue, fieldValues, TextField } from "../parts.tsx";
import { firstOf, mediaOf } from "./compose-form.ts";
import { isOwnPicture, TAKEN_FILES } from "./media-cards.tsx";

/** Fields that the form for several channels and TikTok's page share. */

interface ChannelsOffered {
  readonly visit: ProjectVisit;
  readonly name: string;
  readonly channels: readonly ChannelState[];
}

/** Channels of which each that is chosen gets what the form creates. An only one is chosen already. */
export function ChannelsField({ visit, name, channels }: ChannelsOffered) {
  const options = channels.map(({ id, name: title, platform }) => ({
    value: String(id),
    title,
    about: platformTitle(platform),
  }));
  const only = options.length === 1 ? options.map(({ value }) => value) : [];
  return (
    <fieldset class="field">
      <legend>{visit.texts.feeds.channels}</legend>
      <ChoiceList name={name} options={options} chosen={fieldValues(visit, name) ?? only} />
      <FieldErrors visit={visit} name={name} />
    </fieldset>
  );
}

/** The media of a form: a file to upload, those of the library, and the address and alt text of each. */
export function MediaFields({ visit, path }: { readonly visit: ProjectVisit; readonly path: string }) {
  const { compose, library } = visit.texts;
  const { crop } = library;
  const files = [...mediaOf(visit.form.fields), { url: "", altText: "", item: 0 }];
  return (
    <fieldset class="card" id="media">
      <legend class="hidden">{compose.media}</legend>
      <div>
        <h2>{compose.media}</h2>
        <p class="hint">{compose.mediaHint}</p>
      </div>
      <input type="hidden" name="upload_id" value={firstOf(visit.form.fields, "upload_id")} />
      <div class="field">
        <label for="file">{compose.file}</label>
        <div class="buttons">
          <input id="file" type="file" name="file" accept={TAKEN_FILES} data-upload={`${path}/upload`} />
          <button class="button small" type="submit" formaction={`${path}/upload#media`} formnovalidate>
            {compose.upload}
          </button>
          <button class="button small" type="submit" formaction={`${path}/library#library`} formnovalidate>
            {compose.library.open}
          </button>
        </div>
        <progress max="1" value="0" hidden aria-label={compose.uploading} />
        <FieldErrors visit={visit} name="file" />
      </div>
      {visit.form.picker}
      {files.map(({ url, altText, item }, index) => (
        <div class="pair">
          <div class="field">
            <label for={`media-${index}`}>{compose.mediaAddress({ number: index + 1 })}</label>
            <input id={`media-${index}`} name="media_url" value={url} inputmode="url" autocomplete="off" />
            {isOwnPicture(url) && <CropButton visit={visit} url={url} label={crop.buttonOf({ number: index + 1 })} />}
          </div>
          <div class="field">
            <label for={`alt-${index}`}>{compose.altText({ number: index + 1 })}</label>
            <input id={`alt-${index}`} name="alt_text" value={altText} autocomplete="off" />
          </div>
          <div class="field of-item">
            <label for={`item-${index}`}>{compose.mediaItem({ number: index + 1 })}</label>
            <input id={`item-${index}`} name="media_item" value={String(item + 1)} inputmode="numeric" />
          </div>
        </div>
      ))}
    </fieldset>
  );
}

interface When {
  readonly visit: ProjectVisit;
  /** Whether a draft may be chosen. */
  readonly canBeDraft?: boolean;
}

/** How the posts are published, and whether they wait for approval. */
export function When({ visit, canBeDraft = true }: When) {
  const { compose } = visit.texts;
  const isEditor = includesRole(visit.role, "editor");
  const mode = fieldValue(visit, "publish_mode", visit.query.time === undefined ? "queued" : "scheduled");
  return (
    <fieldset class="card">
      <legend class="hidden">{compose.when}</legend>
      <div>
        <h2>{compose.when}</h2>
        {!isEditor && <p class="hint">{compose.authorMode}</p>}
      </div>
      <ChoiceList
        name="publish_mode"
        options={PUBLISH_MODES.filter((one) => canBeDraft || one !== "draft").map((value) => ({
          value,
          ...compose.modes[value],
          shows: value === "scheduled" ? "date" : undefined,
        }))}
        chosen={mode}
      />
      <FieldErrors visit={visit} name="publish_mode" />
      <div class="only date">
        <TextField
          visit={visit}
          name="schedule_time"
          type="datetime-local"
          label={compose.time}
          hint={compose.timeHint({ zone: visit.project.timeZone })}
          value={visit.query.time ?? ""}
        />
      </div>
      {isEditor && (
        <Choice
          type="checkbox"
          name="approval"
          value="wait"
          title={compose.wait}
          about={compose.waitHint}
          isChecked={firstOf(visit.form.fields, "approval") !== ""}
        />
      )}
    </fieldset>
  );
}
