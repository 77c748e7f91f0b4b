import { z } from "zod";
import type { PostId } from "../../core/ids.ts";
import type { LibraryFile } from "../../files/library.ts";
import { includesRole } from "../../people/roles.ts";
import { addressOf, secondsIn, Thumbnail, titleOf } from "../compose/media-cards.tsx";
import { CROP_STYLE, CropButton, CropDialog } from "../crop/crop-dialog.tsx";
import type { ProjectVisit } from "../definition.ts";
import { field } from "../fields.ts";
import { DeleteButton, FormButton } from "../form-buttons.tsx";
import { TextArea } from "../form-fields.tsx";
import { projectPath } from "../layout.tsx";
import { Facts, State } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Form, Notices, TextField, Time, Top } from "../parts.tsx";
import { postPath } from "../posts/post-actions.ts";
import { LIBRARY_STYLE } from "./library-style.ts";

interface FilePage {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly file: LibraryFile;
  readonly postIds: readonly PostId[];
}

export function LibraryFilePage({ visit, base, file, postIds }: FilePage) {
  const { library } = visit.texts;
  return (
    <>
      <PageStyle visit={visit} rules={`${LIBRARY_STYLE}${CROP_STYLE}`} />
      <Top title={titleOf(visit, file)} lead={<a href={base}>{library.all}</a>}>
        {includesRole(visit.role, "author") && <UseInPost visit={visit} file={file} />}
      </Top>
      <Notices visit={visit} />
      {file.library === null && <p class="note">{library.notKept}</p>}
      <section class="card">
        <Preview visit={visit} file={file} />
        <FileFacts visit={visit} file={file} />
      </section>
      <Description visit={visit} file={file} path={`${base}/${file.name}`} />
      <Usage visit={visit} postIds={postIds} path={`${base}/${file.name}`} />
      {(file.media?.kind ?? "image") === "image" && includesRole(visit.role, "author") && <CropDialog visit={visit} />}
    </>
  );
}

/** Opens the composer with the file, as its own choice of files does. */
function UseInPost({ visit, file }: Pick<FilePage, "visit" | "file">) {
  return (
    <FormButton
      visit={visit}
      action={`${projectPath(visit.project.id)}/compose/library`}
      values={{ library_file: file.name }}
      text={visit.texts.library.use}
      kind="first"
    />
  );
}

function Preview({ visit, file }: Pick<FilePage, "visit" | "file">) {
  const { library } = visit.texts;
  const address = addressOf(visit, file);
  const { kind = "image" } = file.media ?? {};
  if (kind === "image" || kind === "gif")
    return (
      <>
        <img class="shown" src={address} alt={file.library?.altText ?? ""} />
        {kind === "image" && includesRole(visit.role, "author") && (
          <div class="buttons">
            <CropButton visit={visit} url={address} />
          </div>
        )}
      </>
    );
  return (
    <div class="row">
      <Thumbnail visit={visit} file={file} />
      <a class="button" href={address}>
        {library.open}
      </a>
    </div>
  );
}

function FileFacts({
  visit,
  file: { media, bytes, createdAt, forgetAt, isUsed, generationId },
}: Pick<FilePage, "visit" | "file">) {
  const { library } = visit.texts;
  const zone = visit.project.timeZone;
  const { kind = "image", width = null, height = null, durationSeconds = null, mime = "", pages = null } = media ?? {};
  return (
    <Facts
      items={[
        [library.kind, `${library.kinds[kind]} (${mime})`],
        [library.pixels, width === null || height === null ? null : `${width} × ${height}`],
        [library.length, durationSeconds === null ? null : secondsIn(visit, durationSeconds)],
        [library.documentPages, pages === null ? null : pages.toLocaleString(visit.language)],
        [library.size, megabytes(visit, bytes)],
        [library.added, <Time at={createdAt} zone={zone} visit={visit} />],
        [library.origin, generationId === null ? null : library.generated],
        [library.expires, forgetAt === null ? null : <Time at={forgetAt} zone={zone} visit={visit} />],
        [library.usage, <State kind={isUsed ? "good" : "off"} text={isUsed ? library.used : library.unused} />],
      ]}
    />
  );
}

function megabytes({ language }: ProjectVisit, bytes: number): string {
  const [unit, value] =
    bytes < 1_000_000 ? (["kilobyte", bytes / 1_000] as const) : (["megabyte", bytes / 1_000_000] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

/** The names of keep-media; tags are separated by commas. */
export const LibraryFileForm = z.object({
  title: field(z.string()),
  alt_text: field(z.string()),
  tags: field(z.string()),
});

/** The part of a picture: left, top, width and height, and the alternative text of the form that has it. */
export const CropForm = z.object({
  area: field(z.string().regex(/^\d{1,6}(?:,\d{1,6}){3}$/)),
  alt_text: field(z.string()),
});

function Description({ visit, file, path }: Pick<FilePage, "visit" | "file"> & { readonly path: string }) {
  const { library } = visit.texts;
  const { title = "", altText = null, tags = [] } = file.library ?? {};
  if (!includesRole(visit.role, "author")) {
    const items = [
      [library.altText, altText],
      [library.tags, tags.length === 0 ? null : tags.join(", ")],
    ] as const;
    return (
      <section class="card">
        <Facts items={items} />
      </section>
    );
  }
  return (
    <section class="card">
      <h2>{library.description}</h2>
      <Form visit={visit} action={path}>
        <TextField visit={visit} name="title" label={library.name} value={title} input={{ maxlength: 200 }} />
        <TextArea
          visit={visit}
          name="alt_text"
          label={library.altText}
          hint={library.altTextHint}
          value={altText ?? ""}
        />
        <TextField visit={visit} name="tags" label={library.tags} hint={library.tagsHint} value={tags.join(", ")} />
        <div class="buttons">
          <button class="button first" type="submit">
            {file.library === null ? library.keep : library.save}
          </button>
        </div>
      </Form>
    </section>
  );
}

/** The posts that need the file; it can be deleted once there are none. */
function Usage({ visit, postIds, path }: Pick<FilePage, "visit" | "postIds"> & { readonly path: string }) {
  const { library } = visit.texts;
  const isUsed = postIds.length > 0;
  const mayDelete = includesRole(visit.role, "editor");
  if (!isUsed && !mayDelete) return null;
  return (
    <section class="card">
      <div>
        <h2>{library.usage}</h2>
        <p class="hint">{isUsed ? library.usedBy : library.unusedLead}</p>
      </div>
      {isUsed && (
        <ul class="siblings">
          {postIds.map((id) => (
            <li>
              <a href={postPath(visit.project.id, id)}>{library.post({ number: id })}</a>
            </li>
          ))}
        </ul>
      )}
      {!isUsed && (
        <div class="buttons">
          <DeleteButton visit={visit} texts={library} path={path} />
        </div>
      )}
    </section>
  );
}
