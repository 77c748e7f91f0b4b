// Marketing API errors: one generic message, with the readable reason in `error_user_msg`.

import { GraphError } from "../errors";

interface Reason {
  /** The parameter that caused the error. */
  field?: string;
  title: string;
  message: string;
}

/** Code 100 with a specific subcode; null if none is known. */
export function refused(subcode: number | null, { field, title, message }: Reason): GraphError {
  return new GraphError(100, "Invalid parameter", {
    ...(subcode === null ? {} : { subcode }),
    userTitle: title,
    userMessage: message,
    ...(field === undefined ? {} : { detail: { blame_field_specs: [[field]] } }),
  });
}
