import { DAY } from "../core/time.ts";

/**
 * The versions of the platforms' APIs that the adapters call, and when they end: the only place that has
 * them. `npm run doctor` warns 60 days before one ends.
 */
export interface ApiVersion {
  /** The API, in its owner's words. */
  readonly api: string;
  readonly version: string;
  /** The last day on which the platform serves it, `2027-09-15`; null: no end is announced. */
  readonly endsOn: string | null;
  /** Whether the end is ours: how long its earlier versions lasted. */
  readonly isEstimate?: true;
  /** When it was checked, and where. */
  readonly asOf: string;
  readonly source: string;
}

const META = "developers.facebook.com/docs/graph-api/changelog";

export const API_VERSIONS = {
  // A version lasts until two years after the next one; v26.0 ends on 2028-11-04.
  graph: { api: "Graph API", version: "v27.0", endsOn: null, asOf: "2026-11-28", source: META },
  // Of 2026-11-04. The last four versions lasted a year; Meta announces their ends late.
  marketing: {
    api: "Marketing API",
    version: "v27.0",
    endsOn: "2027-11-04",
    isEstimate: true,
    asOf: "2026-11-28",
    source: META,
  },
  threads: {
    api: "Threads API",
    version: "v1.0",
    endsOn: null,
    asOf: "2026-11-21",
    source: "developers.facebook.com/docs/threads",
  },
  linkedin: {
    api: "LinkedIn API",
    version: "202609",
    endsOn: "2027-09-15",
    asOf: "2026-11-28",
    source: "learn.microsoft.com/linkedin/marketing/versioning",
  },
  youtube: {
    api: "YouTube Data API",
    version: "v3",
    endsOn: null,
    asOf: "2026-11-21",
    source: "developers.google.com/youtube/v3",
  },
  youtube_analytics: {
    api: "YouTube Analytics API",
    version: "v2",
    endsOn: null,
    asOf: "2026-11-28",
    source: "developers.google.com/youtube/analytics",
  },
  tiktok: {
    api: "TikTok API v2",
    version: "v2",
    endsOn: null,
    asOf: "2026-11-21",
    source: "developers.tiktok.com/doc",
  },
  tiktok_business: {
    api: "TikTok API for Business",
    version: "v1.3",
    endsOn: null,
    asOf: "2026-11-22",
    source: "business-api.tiktok.com/portal/docs",
  },
  twitter: { api: "X API", version: "2", endsOn: null, asOf: "2026-11-21", source: "docs.x.com" },
} as const satisfies Readonly<Record<string, ApiVersion>>;

/** LinkedIn names its versions after months, and serves each for a year, until the middle of the month. */
export function linkedinVersion(configured: string | undefined): ApiVersion {
  const known: ApiVersion = API_VERSIONS.linkedin;
  if (configured === undefined || configured === known.version) return known;
  const [, year = "", month = ""] = /^(\d{4})(\d{2})$/.exec(configured) ?? [];
  const endsOn = year === "" ? null : `${Number(year) + 1}-${month}-15`;
  return { ...known, version: configured, endsOn, isEstimate: true };
}

export const WARNED_DAYS = 60;

/** Days until the version ends, negative afterwards; null if no end is known. */
export function daysLeft({ endsOn }: ApiVersion, now: number): number | null {
  const end = endsOn === null ? Number.NaN : Date.parse(endsOn);
  return Number.isNaN(end) ? null : Math.floor((end + DAY - 1 - now) / DAY);
}
