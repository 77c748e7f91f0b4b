import type { MediaKind } from "./media-kinds.ts";

/** What rules are about, as `get-platforms` shows them. `settings`: privacy, declarations, options. */
export const RULE_SUBJECTS = [
  "texts",
  "comments",
  "counts",
  "files",
  "settings",
  "scopes",
  "quotas",
  "prices",
  "permalinks",
] as const;
export type RuleSubject = (typeof RULE_SUBJECTS)[number];

/** Where a rule was read, and when: a platform changes its rules without a word. */
export interface RuleSource {
  /** The day on which it was last compared, ISO 8601. */
  readonly asOf: `${number}-${number}-${number}`;
  /** A page of the platform, a file of a package, or who saw it. */
  readonly source: string;
}

/** The sources of all rules of a platform. */
export interface RuleSources {
  readonly of: Readonly<Record<RuleSubject, RuleSource>>;
  /** Of files of one kind, if it is not that of `files`. */
  readonly ofKind?: Readonly<Partial<Record<MediaKind, RuleSource>>>;
}

/** After so many days a rule is to be compared again (`npm run verify` says so). */
export const RULE_AGE_DAYS = 90;

export const sourceOfFile = ({ of, ofKind }: RuleSources, kind: MediaKind): RuleSource => ofKind?.[kind] ?? of.files;
