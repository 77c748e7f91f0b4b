// How the Marketing API refuses: one generic message, and what a person can read in `error_user_msg`.

import { GraphError } from "../errors";

interface Reason {
  /** The parameter that is to blame. */
  field?: string;
  title: string;
  message: string;
}

/** Code 100 with the subcode that tells what it is; null where none is known. */
export function refused(subcode: number | null, { field, title, message }: Reason): GraphError {
  return new GraphError(100, "Invalid parameter", {
    ...(subcode === null ? {} : { subcode }),
    userTitle: title,
    userMessage: message,
    ...(field === undefined ? {} : { detail: { blame_field_specs: [[field]] } }),
  });
}
