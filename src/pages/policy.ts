import { randomBase62 } from "../core/tokens.ts";

interface Policy {
  readonly nonce: string;
  /** Sources of pictures. */
  readonly images: string;
  /** Where forms may be sent, redirects included. */
  readonly forms: string;
  /** Whether scripts with the nonce run, and may call our own addresses. */
  readonly scripts?: boolean;
}

export const newNonce = (): string => randomBase62(22);

/** The content security policy of a page: everything is forbidden that it does not name. */
export function contentPolicy({ nonce, images, forms, scripts = false }: Policy): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(scripts ? [`script-src 'nonce-${nonce}'`, "connect-src 'self'"] : []),
    `img-src ${images}`,
    `form-action ${forms}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
