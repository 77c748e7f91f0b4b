import { listWords } from "../core/text.ts";
import { MEDIA_KINDS, type MediaKind } from "../platforms/media-kinds.ts";
import type { MediaCountRules } from "../platforms/rules.ts";

/** What kinds and formats of files are called in sentences. */

export const SINGULAR: Readonly<Record<MediaKind, string>> = {
  image: "image",
  gif: "GIF",
  video: "video",
  document: "document",
};
export const WORDS: Readonly<Record<MediaKind, string>> = {
  image: "images",
  gif: "GIFs",
  video: "videos",
  document: "documents",
};

const FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/gif": "GIF",
  "image/webp": "WebP",
  "image/bmp": "BMP",
  "image/tiff": "TIFF",
  "image/heic": "HEIC",
  "image/avif": "AVIF",
  "video/mp4": "MP4",
  "video/quicktime": "MOV",
  "video/webm": "WebM",
  "video/x-matroska": "Matroska",
  "video/x-msvideo": "AVI",
  "application/pdf": "PDF",
  "application/msword": "DOC",
  "application/vnd.ms-powerpoint": "PPT",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
};

/** The common name of a format, such as "JPEG"; an unknown format is named by its MIME type. */
export function formatOf(mime: string): string {
  return FORMATS[mime] ?? mime;
}

export function typeWithArticle(mime: string): string {
  const format = formatOf(mime);
  return `${/^(MP4|AVI)/.test(format) ? "an" : "a"} ${format} file`;
}

export function kindsOf({ of }: MediaCountRules): string {
  const kinds = MEDIA_KINDS.filter((kind) => of[kind] !== undefined);
  return listWords(
    kinds.map((kind) => WORDS[kind]),
    "or",
  );
}
