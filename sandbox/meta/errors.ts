// Graph API errors, shared by all Meta products.

import { randomText } from "../random";

interface ErrorDetail {
  status?: number;
  type?: string;
  subcode?: number;
  userTitle?: string;
  userMessage?: string;
  detail?: unknown;
}

const TRANSIENT: readonly (number | string)[] = [1, 2, 4, 17, 32, 613];

export class GraphError extends Error {
  /** A number; some Threads errors have a name. */
  readonly code: number | string;
  readonly detail: ErrorDetail;

  constructor(code: number | string, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  toResponse(): Response {
    const { status, type, subcode, userTitle, userMessage, detail } = this.detail;
    const error = {
      message: this.message,
      type: type ?? "OAuthException",
      code: this.code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      is_transient: TRANSIENT.includes(this.code),
      ...(userTitle === undefined ? {} : { error_user_title: userTitle }),
      ...(userMessage === undefined ? {} : { error_user_msg: userMessage }),
      ...(detail === undefined ? {} : { error_data: JSON.stringify(detail) }),
      fbtrace_id: `A${randomText(22)}`,
    };
    const fallback = this.code === 1 || this.code === 2 ? 500 : this.code === 10 || this.code === 200 ? 403 : 400;
    return Response.json({ error }, { status: status ?? fallback });
  }
}

export const badParameter = (message: string, subcode?: number) =>
  new GraphError(100, `(#100) ${message}`, subcode === undefined ? {} : { subcode });

/** The person has no role on the Page that allows the call; the token itself is valid. */
export const roleMissing = () =>
  new GraphError(
    190,
    "Any of the pages_read_engagement, pages_manage_metadata, pages_read_user_content, pages_manage_ads, pages_show_list or pages_messaging permission(s) must be granted before impersonating a user's page.",
  );

export const missingObject = (id: string, method = "get") =>
  new GraphError(
    100,
    `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    { type: "GraphMethodException", subcode: 33 },
  );
