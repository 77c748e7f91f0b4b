import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { said } from "../core/checks.ts";
import { AppError, invalid, invalidFields } from "../core/errors.ts";
import { fieldOf, must, shown } from "../core/sentences.ts";
import { type BadByte, charsetNamed, decodeUtf8, hasBrokenEscapes } from "../core/text-faults.ts";
import { requireUsableTexts } from "../core/text-refusal.ts";
import type { AppEnv } from "./environment.ts";
import type { Shape } from "./shape.ts";

/**
 * Texts from outside are UTF-8 without halves of characters and without U+0000, at every door: bodies of the
 * API, forms of the console and tools of agents. Others are refused: replaced by `�`, they would be published
 * broken. Only files of posts may have another encoding (posts/imports/decode-table.ts). Errors of all
 * functions: a 422 that names the place and what to do.
 */

/** Reads a body of text. */
export async function readTextBody(request: Request): Promise<string> {
  requirePlainUtf8(request.headers);
  const text = decodeUtf8(new Uint8Array(await request.arrayBuffer()));
  if (typeof text !== "string") throw notUtf8("body", text);
  return text;
}

/** Refuses a body that its headers declare as compressed, or as text in another encoding. */
function requirePlainUtf8(headers: Headers): void {
  requireUncompressed(headers);
  const charset = charsetIn(headers.get("Content-Type") ?? "");
  if (charset === null || /^utf-?8$/i.test(charset)) return;
  throw aboutHeader(
    "Content-Type",
    `Content-Type must have the charset UTF-8, not ${shown(charset)}: encode the body as UTF-8.`,
  );
}

function charsetIn(type: string): string | null {
  const [, charset] = /;\s*charset\s*=\s*"?([^";]*)/i.exec(type) ?? [];
  return charset?.trim() ?? null;
}

/**
 * The canonical name of the charset of a content type, for files of text that may have another than UTF-8;
 * null if it names none. Throws the 422 for one that cannot be read.
 */
export function declaredCharset(type: string): string | null {
  const charset = charsetIn(type);
  const known = charset === null ? null : charsetNamed(charset);
  if (charset === null || known !== null) return known;
  const sentence = `Content-Type must have a charset of the Encoding Standard, such as UTF-8 or windows-1252, not ${shown(charset)}.`;
  throw aboutHeader("Content-Type", sentence);
}

export function requireUncompressed(headers: Headers): void {
  const encoding = headers.get("Content-Encoding");
  if (encoding === null || /^(?:identity)?$/i.test(encoding.trim())) return;
  throw aboutHeader(
    "Content-Encoding",
    `Content-Encoding must be absent, not ${shown(encoding)}: send the body uncompressed.`,
  );
}

function aboutHeader(name: string, problem: string): AppError {
  return new AppError("unsupported_content_type", problem, { errors: { [name]: [problem] } });
}

function notUtf8(field: string, { byte, at }: BadByte): AppError {
  const hex = byte.toString(16).toUpperCase().padStart(2, "0");
  const sentence = `${field} must be UTF-8, not another encoding: the byte ${hex} at position ${at} does not belong to UTF-8. Encode the text as UTF-8.`;
  return invalidFields([{ field, code: "invalid_request", ...said(sentence, "not_utf8") }]);
}

/** Refuses a query whose names or values are unusable. Operations without parameters do not read theirs. */
export const requireUsableQuery = createMiddleware<AppEnv>(async (c, next) => {
  const start = c.req.url.indexOf("?");
  if (start >= 0 && c.var.operation?.query()) {
    const pairs = pairsIn(c.req.url.slice(start + 1));
    requireUsableTexts(Object.fromEntries(pairs));
    requireOnce(pairs, c.var.operation.query());
  }
  await next();
});

/** Refuses a known parameter that is repeated. */
function requireOnce(pairs: URLSearchParams, shape: Shape | null): void {
  if (shape?.kind !== "object") return;
  for (const name of new Set(pairs.keys())) {
    const { length } = shape.fields.has(name) ? pairs.getAll(name) : [];
    if (length > 1) {
      const sentence = `${name} must be sent once, not ${length} times. If it takes several values, separate them by commas.`;
      throw invalid({ [name]: [sentence] });
    }
  }
}

/** The pairs of a query or a form. */
function pairsIn(encoded: string): URLSearchParams {
  for (const pair of encoded.split("&")) {
    if (!hasBrokenEscapes(pair)) continue;
    const [name = "", ...value] = pair.split("=");
    const field = fieldOf([new URLSearchParams(name).keys().next().value ?? ""]);
    const sentence = must(field, "be percent-encoded UTF-8 (%C3%A9 for é)", shown(value.join("=")));
    throw invalidFields([{ field, code: "invalid_request", ...said(sentence, "not_utf8") }]);
  }
  return new URLSearchParams(encoded);
}

/** Reads the pairs of a form that is not multipart. They may have U+0000. */
export async function readUrlencoded(request: Request): Promise<URLSearchParams> {
  return pairsIn(await readTextBody(request));
}

const PAIRS = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const MULTIPART = /^multipart\/form-data\s*(;|$)/i;

/** Reads a form of either type; a body of another type has no fields. They may have U+0000. */
export async function readFormBody({ req: { raw: request } }: Context<AppEnv>): Promise<FormData | URLSearchParams> {
  const type = request.headers.get("Content-Type") ?? "";
  if (PAIRS.test(type)) return readUrlencoded(request);
  if (!MULTIPART.test(type)) return new URLSearchParams();
  requireUncompressed(request.headers);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const form = await new Response(bytes, { headers: { "Content-Type": type } }).formData().catch(() => new FormData());
  for (const [name, value] of form) requireUtf8(name, typeof value === "string" ? value : value.name, bytes);
  return form;
}

/** Decoding has replaced what is not UTF-8, so that the text no longer occurs in the form's bytes. */
function requireUtf8(name: string, text: string, form: Uint8Array): void {
  if (![name, text].some((one) => one.includes("\ufffd") && !hasBytes(form, one))) return;
  const field = fieldOf([name]);
  const sentence = `${field} must be UTF-8, not another encoding: encode the text as UTF-8.`;
  throw invalidFields([{ field, code: "invalid_request", ...said(sentence, "not_utf8") }]);
}

function hasBytes(bytes: Uint8Array, text: string): boolean {
  const asLetters = (part: Uint8Array) => new TextDecoder("latin1").decode(part);
  return asLetters(bytes).includes(asLetters(new TextEncoder().encode(text)));
}
