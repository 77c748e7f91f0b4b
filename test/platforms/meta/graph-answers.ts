import { NOW, type Scripted } from "../../scripted-send.ts";

/** What Graph answers, on every product. */

export const list = (...data: readonly object[]): Scripted => ({ body: { data } });

export const refused = (code: number, error_subcode?: number): Scripted => ({
  status: 400,
  body: { error: { code, error_subcode, message: "Refused", type: "OAuthException" } },
});

/** So many milliseconds after the call. */
export const time = (ms: number) => new Date(NOW + ms).toISOString().replace(/\.\d+Z$/, "+0000");
