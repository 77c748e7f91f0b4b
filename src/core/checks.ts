/**
 * What a sentence about a request says, for those who show it in another language (console/problem-texts.ts).
 * Pure data: the sentence itself, in English, is written where the check is made.
 */
export type Check =
  | { readonly kind: "required" | "empty" | "kind" | "datetime" | "url" | "uuid" | "email" | "unwanted" }
  | { readonly kind: LimitKind; readonly limit: number }
  | Said;

/** `limit` is a number of characters, entries or files, or a value. */
export type LimitKind =
  | "at_least"
  | "more_than"
  | "at_most"
  | "less_than"
  | "min_length"
  | "max_length"
  | "min_entries"
  | "max_entries"
  | "min_files"
  | "max_files";

// Numbers are shown as the reader's language writes them.
type File = readonly [file: string];
type Measured = readonly [file: string, found: string, allowed: string];
/** `safe`: what to export instead. */
type Encoded = readonly [file: string, found: string, allowed: string, safe: string];

/** Sentences about posts and their files, by name, with what each one names. */
export interface Sentences {
  // Texts.
  readonly cashtags: readonly [found: string];
  readonly characters_refused: readonly [];
  readonly angle_brackets: readonly [];
  readonly links: readonly [most: number, found: number];
  readonly bytes: readonly [most: number];
  readonly may_be_too_many_bytes: readonly [most: number, found: number];
  readonly hashtags: readonly [most: number, found: number];
  readonly mentions: readonly [most: number, found: number];
  readonly bad_tags: readonly [tags: string];
  readonly items: readonly [min: number, max: number, found: number];
  readonly repeats_item: readonly [item: number];
  readonly fits_thread: readonly [items: number];
  readonly not_utf8: readonly [];
  readonly half_character: readonly [];
  readonly null_character: readonly [];
  // Kinds of posts, and their settings.
  readonly post_type: readonly [type: string, platform: string];
  readonly one_of: readonly [values: string];
  readonly made_with_ai: readonly [url: string];
  readonly consent: readonly [];
  readonly private_partnership: readonly [];
  readonly contrary_privacy: readonly [];
  readonly page_numbers: readonly [found: string];
  readonly page_with_location: readonly [found: string];
  readonly one_cover: readonly [];
  // Files.
  readonly public_address: readonly [];
  readonly most_of_kind: readonly [most: number, kind: string, found: number];
  readonly kept_apart: readonly [files: string];
  readonly format: Measured;
  readonly file_too_small: Measured;
  readonly file_too_large: Measured;
  readonly too_short: Measured;
  readonly too_long: Measured;
  readonly picture_too_small: Measured;
  readonly picture_too_large: Measured;
  readonly short_side: Measured;
  readonly pixels: Measured;
  readonly ratio: Measured;
  readonly video_codec: Encoded;
  readonly chroma: Encoded;
  readonly bit_depth: readonly [file: string, found: number, most: number, safe: string];
  readonly frame_rate_low: Measured;
  readonly frame_rate_high: Measured;
  readonly audio_codec: Encoded;
  readonly audio_channels: readonly [file: string, found: number, most: number];
  readonly audio_rate: Measured;
  /** `safe`: what every platform plays. */
  readonly undocumented: readonly [file: string, found: string, safe: string];
  readonly stands_still: File;
  readonly alt_text_too_long: readonly [file: string, found: number, most: number];
  readonly unread: File;
  readonly status: readonly [file: string, status: number];
  readonly slow: readonly [file: string, seconds: number];
  readonly needs_ranges: readonly [file: string, megabytes: number];
  readonly document_elsewhere: readonly [file: string, format: string, platforms: string];
  readonly too_many_pages: readonly [file: string, found: string, most: number];
  readonly pages_unknown: readonly [file: string, most: number];
  readonly locked: File;
  readonly macros: File;
  readonly empty_file: File;
  readonly no_media: File;
  readonly damaged: File;
  readonly no_picture: File;
  readonly too_complex: File;
  readonly unchecked: File;
  // Fields that are left out. `instead`: the field that helps, or `text`; empty for none.
  readonly left_out: readonly [type: string, platform: string, instead: string];
  readonly left_out_with: readonly [kind: string, platform: string, instead: string];
  readonly left_out_if: readonly [kind: string, platform: string, instead: string];
  readonly left_out_without: readonly [kind: string, platform: string, instead: string];
  readonly left_out_unless: readonly [kind: string, platform: string, instead: string];
  readonly no_alt_texts: readonly [];
  readonly no_alt_text: File;
  readonly no_comments: readonly [type: string, platform: string];
  readonly comment_needs_reconnect: readonly [];
  // What a person should know or choose.
  readonly choose_level: readonly [];
  readonly agree: readonly [];
  readonly clock_change: readonly [time: string, zone: string, moved: string];
  readonly repeats_post: readonly [post: string];
  readonly repeats_request: readonly [];
  // The channel, its queue and the time.
  readonly no_channel: readonly [];
  readonly other_platform: readonly [wanted: string, found: string];
  readonly reconnect: readonly [channel: string];
  readonly past: readonly [time: string, zone: string];
  readonly far_ahead: readonly [];
  readonly no_slot: readonly [channel: string];
  readonly no_file: readonly [url: string];
  // A file of posts.
  readonly placeholders: readonly [most: number];
  readonly csv_empty: readonly [];
  readonly csv_no_posts: readonly [];
  readonly csv_no_channel: readonly [];
  readonly csv_most: readonly [most: number];
  readonly csv_columns: readonly [most: number];
  readonly csv_name: readonly [column: number, most: number];
  readonly csv_unreadable: readonly [row: number];
  readonly csv_encoding: readonly [row: number, encoding: string];
  readonly csv_workbook: readonly [];
  readonly lost_letter: readonly [];
  readonly ambiguous_date: readonly [found: string];
  readonly no_column: readonly [name: string, nearest: string];
}

/** A sentence with what it names. */
export interface Said<Name extends keyof Sentences = keyof Sentences> {
  readonly kind: Name;
  readonly parts: Sentences[Name];
}

/** A problem that the console can say in every language. */
export interface Checked {
  readonly message: string;
  readonly check: Check;
}

/** A warning about a field of a request. */
export interface Warning extends Checked {
  readonly field: string;
}

/** The message in English, with its name and its parts. */
export function said<Name extends keyof Sentences>(
  message: string,
  kind: Name,
  ...parts: Sentences[Name]
): Checked & { readonly check: Said } {
  return { message, check: { kind, parts } };
}
