import { getLibraryFile, listLibrary } from "../../files/library.ts";
import { readMediaId } from "../../files/schema.ts";
import type { Role } from "../../people/roles.ts";
import { type Effect, type Entry, type Fields, NO_FORM, type ProjectVisit, projectAction } from "../definition.ts";
import { idIn } from "../fields.ts";
import { firstOf } from "./compose-form.ts";
import { AnyFields } from "./create-posts.ts";
import { LibraryPicker } from "./library-picker.tsx";
import { addressOf } from "./media-cards.tsx";
import { withMedia, withUpload } from "./upload.ts";

interface FormPlace {
  /** The page with the form. */
  readonly page: string;
  /** What follows the address of the page; left out: nothing. */
  readonly end?: string;
  readonly role?: Role;
  readonly isRecorded?: false;
}
type FormAction = FormPlace & Effect<ProjectVisit, Fields>;

/** A button of a form that writes a post. The schemas of the API's operations read its fields. */
export const formAction = ({ page, end = "", role = "author", ...action }: FormAction): Entry =>
  projectAction({ ...action, path: `${page}${end}`, page, role, takesFile: true, body: () => AnyFields });

interface MediaActions {
  /** Throws if the form cannot be used. */
  readonly open?: (visit: ProjectVisit) => Promise<unknown>;
  readonly role?: Role;
}

/** The buttons that upload a file or choose one. */
export const mediaActions = (page: string, { open, role }: MediaActions = {}): readonly Entry[] => [
  formAction({
    // A file that no post uses is forgotten.
    effect: "sets",
    page,
    end: "/upload",
    isRecorded: false,
    ...(role ? { role } : {}),
    run: async (visit, fields) => {
      await open?.(visit);
      return { again: { ...NO_FORM, fields: await withUpload(visit, fields) }, status: 200 };
    },
  }),
  formAction({
    effect: "sets",
    page,
    end: "/library",
    isRecorded: false,
    ...(role ? { role } : {}),
    run: async (visit, sent) => {
      await open?.(visit);
      const { library_file: [name = ""] = [], ...fields } = await withUpload(visit, sent);
      if (name === "")
        return { again: { ...NO_FORM, fields, picker: await openLibrary(visit, fields, page) }, status: 200 };
      const { file } = await getLibraryFile(visit.deps.db, visit.project.id, readMediaId(name));
      const chosen = { url: addressOf(visit, file), altText: file.library?.altText ?? "" };
      return { again: { ...NO_FORM, fields: withMedia(fields, chosen) }, status: 200 };
    },
  }),
];

const SHOWN = 12;

async function openLibrary(visit: ProjectVisit, fields: Fields, page: string) {
  const { deps, project, params } = visit;
  const search = firstOf(fields, "library_search").slice(0, 200);
  const after = idIn(firstOf(fields, "library_after")) || null;
  const filter = { search: search || null, tag: null, kind: null, after, limit: SHOWN };
  const found = await listLibrary(deps.db, project.id, filter);
  const path = `/console${page.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))}`;
  return <LibraryPicker visit={visit} path={path} search={search} {...found} />;
}
