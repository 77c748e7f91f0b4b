import type { LibraryFile } from "../../files/library.ts";
import type { ProjectVisit } from "../definition.ts";
import { Thumbnail, titleOf } from "./media-cards.tsx";

interface Picker {
  readonly visit: ProjectVisit;
  /** Of the form. */
  readonly path: string;
  readonly search: string;
  readonly items: readonly LibraryFile[];
  readonly next: number | null;
}

/** Files of the library in the form of a post: its buttons send the form, so nothing is lost. */
export function LibraryPicker({ visit, path, search, items, next }: Picker) {
  const { library } = visit.texts.compose;
  return (
    <section id="library" class="group" aria-label={library.title}>
      <div class="row">
        <div class="field">
          <label for="library_search">{library.search}</label>
          <input id="library_search" name="library_search" type="search" value={search} />
        </div>
        <button class="button" type="submit" formaction={`${path}/library#library`} formnovalidate>
          {library.submit}
        </button>
      </div>
      {items.length === 0 && <p class="hint">{next === null ? library.nothing : library.searchOn}</p>}
      <ul class="library">
        {items.map((file) => (
          <li>
            <button
              class="file"
              type="submit"
              name="library_file"
              value={file.name}
              formaction={`${path}/library#media`}
              formnovalidate
            >
              <Thumbnail visit={visit} file={file} />
              <span class="name">{titleOf(visit, file)}</span>
              <span class="about">{file.library?.altText}</span>
            </button>
          </li>
        ))}
      </ul>
      {next !== null && (
        <div class="buttons">
          <button
            class="button small"
            type="submit"
            name="library_after"
            value={next}
            formaction={`${path}/library#library`}
            formnovalidate
          >
            {library.older}
          </button>
        </div>
      )}
    </section>
  );
}
