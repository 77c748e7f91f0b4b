// Errors that only Threads has.

import { badParameter, GraphError } from "../meta/errors";
import type { Sandbox } from "../sandbox";

/**
 * The error of a publish call whose container is not ready everywhere, was already used, or does not exist.
 */
export const lost = () =>
  new GraphError(24, "The requested resource does not exist", {
    subcode: 4279009,
    userTitle: "Media Not Found",
    userMessage: "The media with the given id cannot be found.",
  });

export const notReady = () =>
  new GraphError(9007, "Media ID is not available", {
    subcode: 2207027,
    userTitle: "The media is not ready for publishing",
    userMessage: "The media is not ready for publishing, please wait for a moment",
  });

export const unfetchable = (why: string) =>
  new GraphError(1, "The media could not be fetched from this URI", {
    status: 400,
    subcode: 2207052,
    userTitle: "Media download has failed",
    userMessage: `The media could not be fetched from this URI: ${why}.`,
  });

export const quotaReached = (most: number) =>
  new GraphError(9, "Application request limit reached", {
    status: 400,
    subcode: 2207042,
    userTitle: "You reached maximum number of posts that is allowed to be published",
    userMessage: `The user has reached the maximum of ${most} within 24 hours.`,
  });

/** An error with a name; the position of the name is undocumented. */
export function named(sandbox: Sandbox, name: string, words: string): GraphError {
  switch (sandbox.settings.all.threads_error_names) {
    case "code":
      return new GraphError(name, words, { type: "THApiException" });
    case "message":
      return badParameter(`${name}: ${words}`);
    case "error_user_msg":
      return new GraphError(100, "(#100) Invalid parameter", { userMessage: `${words} (${name})` });
  }
}
