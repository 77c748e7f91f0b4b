import type { Role } from "../../people/roles.ts";
import {
  type Again,
  type Done,
  type Entry,
  type Fields,
  NO_FORM,
  type ProjectVisit,
  projectAction,
} from "../definition.ts";
import { AnyFields } from "./create-posts.ts";
import { withUpload } from "./upload.ts";

interface FormAction {
  /** The page with the form. */
  readonly page: string;
  /** What follows the address of the page; left out: nothing. */
  readonly end?: string;
  readonly role?: Role;
  readonly isRecorded?: false;
  run(visit: ProjectVisit, fields: Fields): Promise<Done | Again>;
}

/** A button of a form that writes a post. The schemas of the API's operations read its fields. */
export const formAction = ({ page, end = "", role = "author", ...action }: FormAction): Entry =>
  projectAction({ ...action, path: `${page}${end}`, page, role, takesFile: true, body: () => AnyFields });

/** The button that uploads a file; `open` throws if the form cannot be used. */
export const uploadAction = (page: string, open?: (visit: ProjectVisit) => Promise<unknown>): Entry =>
  formAction({
    page,
    end: "/upload",
    isRecorded: false,
    run: async (visit, fields) => {
      await open?.(visit);
      return { again: { ...NO_FORM, fields: await withUpload(visit, fields) }, status: 200 };
    },
  });
