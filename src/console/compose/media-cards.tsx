import type { LibraryFile } from "../../files/library.ts";
import { formatOf } from "../../media/kind-words.ts";
import { fileAddress, ownFileName } from "../../media/own-address.ts";
import type { ProjectVisit } from "../definition.ts";
import { Icon } from "../icons.tsx";

/** How files are shown in the library, and where one is chosen for a post. */

/** What a field for files offers to choose. */
export const TAKEN_FILES = "image/*,video/*,.pdf,.pptx,.docx,.ppt,.doc";

export const CARDS_STYLE = `
.library{display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(min(45%,190px),1fr))}
.library .file{display:flex;flex-direction:column;gap:4px;width:100%;height:100%;padding:10px;border:1px solid var(--line);border-radius:14px;
  background:var(--card);color:inherit;text-align:left;text-decoration:none;font:inherit;overflow-wrap:anywhere}
.library .file:hover{background:var(--fill)}
.library .line{justify-content:flex-start;gap:6px;margin-top:auto}
.thumb{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:6px;width:100%;aspect-ratio:4/3;object-fit:cover;
  border-radius:8px;background:var(--fill);color:var(--soft)}
.thumb .icon{width:32px;height:32px}
`;

/** Whether the address is that of a picture of ours, of which a part can be chosen. */
export const isOwnPicture = (url: string): boolean =>
  ownFileName(url) !== null && /\.(jpe?g|png|webp|avif|heic)$/i.test(url);

interface Shown {
  readonly visit: ProjectVisit;
  readonly file: LibraryFile;
}

export const titleOf = ({ texts }: Pick<ProjectVisit, "texts">, { library }: Pick<LibraryFile, "library">): string =>
  library?.title || texts.library.untitled;

/** Null for a file that is not complete; the library has none. */
export function addressOf({ origin }: Pick<ProjectVisit, "origin">, { name, media }: LibraryFile): string {
  return media === null ? "" : fileAddress(origin, name, media.mime);
}

/** The picture, or what stands for a video or a document. The title beside it names the file. */
export function Thumbnail({ visit, file }: Shown) {
  const { kind = "image", durationSeconds = null, pages = null, mime = "" } = file.media ?? {};
  if (kind === "document") {
    return (
      <span class="thumb">
        <Icon name="post" />
        <span class="about">{pages === null ? formatOf(mime) : `${formatOf(mime)} · ${pagesIn(visit, pages)}`}</span>
      </span>
    );
  }
  if (kind !== "video") return <img class="thumb" src={addressOf(visit, file)} alt="" loading="lazy" />;
  return (
    <span class="thumb">
      <Icon name="video" />
      <span class="about">
        {durationSeconds === null ? visit.texts.library.kinds.video : secondsIn(visit, durationSeconds)}
      </span>
    </span>
  );
}

const pagesIn = ({ texts, language }: Pick<ProjectVisit, "texts" | "language">, pages: number): string =>
  texts.library.pageCount({ count: pages.toLocaleString(language) });

export const secondsIn = ({ language }: Pick<ProjectVisit, "language">, seconds: number): string =>
  new Intl.NumberFormat(language, { style: "unit", unit: "second", maximumFractionDigits: 1 }).format(seconds);
