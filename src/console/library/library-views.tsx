import type { LibraryFile } from "../../files/library.ts";
import { includesRole } from "../../people/roles.ts";
import { MEDIA_KINDS } from "../../platforms/media-kinds.ts";
import { firstOf } from "../compose/compose-form.ts";
import { TAKEN_FILES, Thumbnail, titleOf } from "../compose/media-cards.tsx";
import type { ProjectVisit } from "../definition.ts";
import { FilterForm, FilterInput, FilterSelect } from "../filter-fields.tsx";
import { ListPager, State } from "../lists.tsx";
import { PageStyle } from "../page-style.tsx";
import { Empty, FieldErrors, Form, Notices, PageScript, Top } from "../parts.tsx";
import { LIBRARY_STYLE } from "./library-style.ts";

interface Values {
  readonly search: string | null;
  readonly tag: string | null;
  readonly kind: string | null;
}

interface Library {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly values: Values;
  readonly items: readonly LibraryFile[];
  readonly next: number | null;
  readonly isFirst: boolean;
}

export function LibraryPage({ visit, base, values, items, next, isFirst }: Library) {
  const { library } = visit.texts;
  const mayUpload = includesRole(visit.role, "author");
  const isAny = Object.values(values).some((value) => value !== null);
  const isEmpty = items.length === 0 && isFirst && next === null;
  const query = (after?: number) => {
    const given = Object.entries({ ...values, after }).flatMap(([name, value]) =>
      value == null ? [] : [[name, `${value}`]],
    );
    return given.length === 0 ? base : `${base}?${new URLSearchParams(given)}`;
  };
  return (
    <>
      <PageStyle visit={visit} rules={LIBRARY_STYLE} />
      <Top title={library.title} lead={library.lead} />
      <Notices visit={visit} />
      {mayUpload && <Upload visit={visit} base={base} />}
      {!(isEmpty && !isAny) && <Filters visit={visit} base={base} values={values} items={items} />}
      {isEmpty && !isAny && (
        <Empty
          icon="picture"
          title={mayUpload ? library.emptyTitle : library.title}
          lead={mayUpload ? library.emptyLead : library.emptyViewer}
        />
      )}
      {items.length === 0 && !(isEmpty && !isAny) && (
        <Empty icon="picture" title={library.noMatch} lead={next === null ? library.noMatchLead : library.searchOn} />
      )}
      {items.length > 0 && (
        <ul class="library" aria-label={library.title}>
          {items.map((file) => (
            <li>
              <FileCard visit={visit} file={file} href={`${base}/${file.name}`} />
            </li>
          ))}
        </ul>
      )}
      <ListPager texts={library.pages} newest={isFirst ? null : query()} older={next === null ? null : query(next)} />
      {mayUpload && <PageScript visit={visit} name="upload" />}
    </>
  );
}

/** A file is uploaded when it is chosen (scripts/upload.ts); without scripts, by the button. */
function Upload({ visit, base }: { readonly visit: ProjectVisit; readonly base: string }) {
  const { library, compose } = visit.texts;
  return (
    <section class="card" id="media">
      <Form visit={visit} action={base} attributes={{ enctype: "multipart/form-data" }}>
        <input type="hidden" name="upload_id" value={firstOf(visit.form.fields, "upload_id")} />
        <div class="field">
          <label for="file">{compose.file}</label>
          <div class="buttons">
            <input id="file" type="file" name="file" accept={TAKEN_FILES} data-upload={base} />
            <button class="button small" type="submit">
              {compose.upload}
            </button>
          </div>
          <p class="hint">{library.uploadHint}</p>
          <progress max="1" value="0" hidden aria-label={compose.uploading} />
          <FieldErrors visit={visit} name="file" />
        </div>
      </Form>
    </section>
  );
}

function Filters({ visit, base, values, items }: Pick<Library, "visit" | "base" | "values" | "items">) {
  const { library } = visit.texts;
  const tags = [...new Set(items.flatMap((file) => file.library?.tags ?? []))].sort();
  const isAny = Object.values(values).some((value) => value !== null);
  return (
    <FilterForm action={base} label={library.filter} submit={library.show} clear={isAny ? library.clear : null}>
      <FilterInput name="search" label={library.search} value={values.search ?? ""} input={{ type: "search" }} />
      <FilterInput
        name="tag"
        label={library.tag}
        value={values.tag ?? ""}
        input={{ list: "tags", autocomplete: "off" }}
      />
      <datalist id="tags">
        {tags.map((tag) => (
          <option value={tag} />
        ))}
      </datalist>
      <FilterSelect name="kind" label={library.kind} all={library.anyKind} value={values.kind ?? ""}>
        {MEDIA_KINDS.map((kind) => [kind, library.kinds[kind]] as const)}
      </FilterSelect>
    </FilterForm>
  );
}

interface Card {
  readonly visit: ProjectVisit;
  readonly file: LibraryFile;
  readonly href: string;
}

function FileCard({ visit, file, href }: Card) {
  const { library } = visit.texts;
  return (
    <a class="file" href={href}>
      <Thumbnail visit={visit} file={file} />
      <span class="name">{titleOf(visit, file)}</span>
      <span class="about">{(file.library?.tags ?? []).join(", ")}</span>
      <span class="line">
        {file.isUsed && <State kind="good" text={library.used} />}
        {(file.library?.altText ?? null) === null && <State kind="warn" text={library.noAltText} />}
      </span>
    </a>
  );
}
