import type { Context, Next } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError, invalid } from "../core/errors.ts";
import { grouped, isRequired, must, shown } from "../core/sentences.ts";
import { SECOND } from "../core/time.ts";
import type { AppEnv, IncomingFile } from "./environment.ts";
import { declaredCharset, requireUncompressed } from "./text-input.ts";

/** A body that is a file, not JSON. */
export interface RawBody {
  readonly maxBytes: number;
  /**
   * Whether a form with one file in its field `file` is also accepted: up to `MAX_FORM_BYTES`, because a form
   * is held in memory.
   */
  readonly takesForm: boolean;
  /** What the file is. Default: an image or a video. */
  readonly of?: FileKind;
}

type FileKind = keyof typeof FILES;

/** The limit of a whole form; it uses about three times as much memory. */
const MAX_FORM_BYTES = 10 * 1024 * 1024;

const FORM_WAIT_MS = 10 * SECOND;

const FORM_TYPE = "multipart/form-data";
const FILES = {
  media: {
    types: /^(application\/octet-stream|image\/[\w.+-]+|video\/[\w.+-]+)\s*(;|$)/i,
    named: "image/… or video/…",
    whole: "an image or a video",
    inParts: true,
  },
  csv: {
    types: /^(application\/octet-stream|text\/csv|text\/tab-separated-values)\s*(;|$)/i,
    named: "text/csv",
    whole: "a CSV file",
    inParts: false,
  },
} as const;
const filesOf = ({ of = "media" }: RawBody) => FILES[of];

/** Passes a file on, unread, as `c.var.file`. The declared file type is not trusted: the bytes decide. */
export function fileBody(raw: RawBody) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const type = c.req.header("Content-Type");
    const isForm = raw.takesForm && type?.toLowerCase().startsWith(FORM_TYPE);
    if (!isForm && type !== undefined && !filesOf(raw).types.test(type)) throw otherType(type, raw);
    requireUncompressed(c.req.raw.headers);
    const bytes = announcedBytes(c.req.header("Content-Length"));
    const maxBytes = isForm ? MAX_FORM_BYTES : raw.maxBytes;
    if (bytes > maxBytes) throw tooLarge(bytes, { ...raw, maxBytes }, isForm === true);
    if (isForm) return withForm(c, { raw, bytes }, next);
    c.set("file", wholeBody(c.req.raw, raw, bytes));
    await next();
  });
}

/** A form is held in memory during its request: the isolate reads only a few at a time. */
async function withForm(
  c: Context<AppEnv>,
  { raw, bytes }: { readonly raw: RawBody; readonly bytes: number },
  next: Next,
): Promise<void> {
  const { forms } = c.var.deps;
  if (!(await forms.take(bytes, FORM_WAIT_MS))) {
    throw new AppError("rate_limited", "Too many forms are being read now. Try again.", {
      retryAfterSeconds: 1,
    });
  }
  try {
    c.set("file", await fileOfForm(c.req.raw, raw));
    await next();
  } finally {
    forms.give(bytes);
  }
}

function otherType(type: string, raw: RawBody): AppError {
  const { takesForm } = raw;
  const taken = `be application/octet-stream, ${filesOf(raw).named}${takesForm ? `, or ${FORM_TYPE}` : ""}`;
  const problem = must("Content-Type", taken, shown(type));
  return new AppError("unsupported_content_type", problem, { errors: { "Content-Type": [problem] } });
}

/** Required, because the bucket accepts no body of unknown length, and memory is reserved in advance. */
function announcedBytes(header: string | undefined): number {
  if (header !== undefined && /^\d{1,15}$/.test(header)) return Number(header);
  throw invalid({ "Content-Length": [isRequired("Content-Length", "the number of bytes that are sent")] });
}

function tooLarge(bytes: number, raw: RawBody, isForm: boolean): AppError {
  const { maxBytes } = raw;
  const inParts = isForm
    ? "send the file itself as the body, or in parts (create-upload)"
    : "send the file in parts (create-upload)";
  const other = filesOf(raw).inParts ? inParts : "send several files";
  const sentence = `body must not have ${grouped(bytes)} bytes: ${grouped(maxBytes)} is the most in one request${isForm ? " with a form" : ""}; ${other}.`;
  return new AppError("body_too_large", sentence, { errors: { body: [sentence] } });
}

/** Of an image or a video the bytes decide alone. */
const charsetOf = ({ of }: RawBody, type: string | null) => (of === "csv" ? declaredCharset(type ?? "") : null);

function wholeBody({ body, headers }: Request, raw: RawBody, bytes: number): IncomingFile {
  const { whole } = filesOf(raw);
  if (body === null || bytes === 0) throw invalid({ file: [isRequired("file", `the bytes of ${whole}`)] });
  return { body, bytes, charset: charsetOf(raw, headers.get("Content-Type")) };
}

async function fileOfForm(request: Request, raw: RawBody): Promise<IncomingFile> {
  const form = await request.formData().catch(() => null);
  if (form === null) {
    const problem = must("body", `be a form of the type ${FORM_TYPE}`, "something that cannot be read as one");
    throw invalid({ body: [problem] });
  }
  const file = form.get("file");
  if (!(file instanceof File) || file.size === 0) throw invalid({ file: [isRequired("file", filesOf(raw).whole)] });
  return { body: file.stream(), bytes: file.size, charset: charsetOf(raw, file.type) };
}
