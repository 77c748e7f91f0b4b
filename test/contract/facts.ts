import type { PlatformName } from "../../src/platforms/names.ts";
import { hasVideo, type SampleFile, type Shape } from "./shapes.ts";

/**
 * What no adapter declares and only tests can know, of the samples and of the simulated platforms. The one
 * file of the contract suite with the names of platforms: a new platform is an entry here.
 */

/** What the sandbox serves at `/_media/` (sandbox/media-samples.ts); the plainest of a kind first. */
export const SAMPLES: readonly SampleFile[] = [
  image("square.jpg", "image/jpeg", 22_149, [1080, 1080]),
  image("landscape.jpg", "image/jpeg", 18_347, [1200, 900]),
  image("square.png", "image/png", 8_367, [1080, 1080]),
  image("photo.webp", "image/webp", 4_592, [900, 1200]),
  image("large.jpg", "image/jpeg", 5_461_720, [1080, 1080]),
  image("square.heic", "image/heic", 7_266, [1080, 1080]),
  { ...image("anim.gif", "image/gif", 4_329, [320, 240]), kind: "gif" },
  { ...image("clip.mp4", "video/mp4", 81_580, [1280, 720]), kind: "video", seconds: 5 },
  { ...image("reel.mp4", "video/mp4", 157_937, [720, 1280]), kind: "video", seconds: 6 },
  { ...image("clip.mov", "video/quicktime", 81_631, [1280, 720]), kind: "video", seconds: 5 },
  { ...image("clip.webm", "video/webm", 67_997, [1280, 720]), kind: "video", seconds: 5.02 },
  { ...image("slides.pdf", "application/pdf", 839, [0, 0]), kind: "document" },
];

function image(name: string, mime: string, bytes: number, [width, height]: readonly [number, number]): SampleFile {
  return { name, kind: "image", mime, bytes, width, height, seconds: null };
}

export type Settings = Readonly<Record<string, string | number | boolean>>;

type CommentOperation = "publish" | "reply" | "status" | "comments";

export interface Facts {
  /** Fields without which create-post takes nothing there. */
  readonly required: Readonly<Record<string, unknown>>;
  /**
   * Before such a post is live, nothing shows whether its publishing call has arrived: it may stay
   * unconfirmed.
   */
  readonly isDoubtful: (shape: Shape) => boolean;
  /** Whether the account is refused a text that it has posted before. */
  readonly refusesRepeats: boolean;
  /**
   * Shapes whose video we send part by part; others the platform fetches from its address, or takes whole.
   */
  readonly sendsParts: readonly string[];
  /** How large a file must be to go up in several parts, where 9 MiB are too few. */
  readonly largeBytes?: number;
  /**
   * Shapes whose files the platform fetches with the publishing call: it refuses them there, and not
   * before.
   */
  readonly isFetched?: (shape: Shape) => boolean;
  /** Absent where a video's processing is polled; else the processing cannot be seen. */
  readonly isProcessingHidden?: true;
  /** How long an access token lives; null where nothing renews it. */
  readonly tokenSeconds: number | null;
  /** Whether what renews it works once: then a renewal whose answer is lost has used it up. */
  readonly renewsOnce: boolean;
  /**
   * The operations of the sandbox that write a first comment and look it up; null where there is none.
   * `isDoubtful`: an empty list proves nothing, so a post whose answer was lost may stay unconfirmed.
   */
  readonly comments: {
    readonly write: CommentOperation;
    readonly read: CommentOperation;
    readonly isDoubtful?: true;
  } | null;
  /** Settings of the sandbox that lift limits of a day which one run of the suite goes beyond. */
  readonly roomy: Settings;
  /** Settings that lift the allowances which hundreds of posts of one account would meet; beside `roomy`. */
  readonly busy: Settings;
  /** Settings that have it show within seconds what takes longer, for runs in real time; beside `roomy`. */
  readonly prompt?: Settings;
  /** Settings with which it gives what renews tokens, where not every app gets that. */
  readonly renewing?: Settings;
  /**
   * Settings with which a publishing call that was carried out is answered as such, where in production it
   * may not be.
   */
  readonly answering?: Settings;
  /**
   * Settings with which a post has its own id at once, where otherwise the sweep learns it, which the tests
   * of comments do not run.
   */
  readonly idAtOnce?: Settings;
  /** Faults of the sandbox that this platform alone knows. */
  readonly ownFaults?: readonly string[];
  /**
   * The setting of the sandbox to list late what it has accepted, in milliseconds; null where no list is
   * read.
   */
  readonly listsLate: ((ms: number) => Settings) | null;
  /**
   * The platform in other moods and other readings of its documentation; in each, lost answers must be found.
   */
  readonly moods: Readonly<Record<string, Settings>>;
}

export const FACTS = {
  facebook: {
    required: {},
    isDoubtful: hasVideo,
    refusesRepeats: true,
    sendsParts: ["a video"],
    tokenSeconds: null,
    renewsOnce: false,
    comments: { write: "reply", read: "comments" },
    roomy: { facebook_reels_per_day: 10_000 },
    busy: { facebook_calls_per_hour: 1_000_000 },
    listsLate: (ms) => ({ facebook_listing_lag_ms: ms }),
    moods: { "short pages": { facebook_short_pages: true } },
  },
  instagram: {
    required: {},
    isDoubtful: () => false,
    refusesRepeats: false,
    sendsParts: [],
    tokenSeconds: 5_184_000,
    renewsOnce: false,
    comments: { write: "reply", read: "comments" },
    roomy: { instagram_quota_total: 1_000_000, instagram_containers_per_day: 1_000_000 },
    busy: { instagram_calls_per_hour: 1_000_000 },
    // Its containers show it.
    listsLate: null,
    moods: {
      "short pages": { instagram_short_pages: true },
      "a post that goes live a minute late": { instagram_late_publish_ms: 60_000 },
      "containers and posts that cannot be read": { instagram_unreadable: true },
      "a second call that makes a second post": { instagram_second_publish: "doubled" },
    },
  },
  youtube: {
    required: { post_extra: { title: "A video of the contract suite" } },
    // Its upload session shows it.
    isDoubtful: () => false,
    refusesRepeats: false,
    sendsParts: ["a video"],
    tokenSeconds: 3_600,
    renewsOnce: false,
    comments: { write: "reply", read: "comments" },
    roomy: {
      youtube_uploads_per_day: 1_000_000,
      youtube_units_per_day: 1_000_000,
      youtube_channel_uploads_per_day: 1_000_000,
    },
    busy: {},
    answering: { youtube_silent_end: false },
    listsLate: null,
    moods: {
      "a session that ends with its video": { youtube_finished_session: "gone" },
      "a session that ends with its video, and no names of files": {
        youtube_finished_session: "gone",
        youtube_file_names: false,
      },
      "the last byte answered by 308": { youtube_silent_end: true },
      "half of each chunk stored": { youtube_partial_storage: true },
      "misplaced bytes refused": { youtube_misplaced_bytes: "refuse" },
      "a video that is found a second late": { youtube_replication_lag_ms: 1_000 },
    },
  },
  linkedin: {
    required: {},
    isDoubtful: () => false,
    refusesRepeats: true,
    sendsParts: ["a video"],
    tokenSeconds: 5_184_000,
    renewsOnce: false,
    comments: { write: "reply", read: "comments" },
    roomy: {
      linkedin_comment_throttle_ms: 0,
      linkedin_app_calls_per_day: 1_000_000,
      linkedin_member_calls_per_day: 1_000_000,
    },
    renewing: { linkedin_gives_refresh_tokens: true },
    busy: {},
    listsLate: (ms) => ({ linkedin_listing_lag_ms: ms }),
    moods: {
      "ids in the address only": { linkedin_created_id: "location" },
      "ids that are not reported": { linkedin_created_id: "absent" },
      "posts that are listed late and by another URN": {
        linkedin_listing_lag_ms: 120_000,
        linkedin_listed_urns: "share",
      },
      "posts that are accepted first": { linkedin_publish_requested_ms: 20_000 },
    },
  },
  tiktok: {
    required: {},
    // One call makes it fetch pictures and publish them, and it lists public posts only.
    isDoubtful: (shape) => !hasVideo(shape),
    refusesRepeats: false,
    sendsParts: ["a video"],
    largeBytes: 23 * 1024 * 1024,
    isFetched: (shape) => !hasVideo(shape),
    tokenSeconds: 86_400,
    renewsOnce: true,
    comments: { write: "reply", read: "comments", isDoubtful: true },
    roomy: {
      tiktok_posting_users_per_day: 1_000_000,
      tiktok_posts_per_day: 1_000_000,
      tiktok_creator_info_per_minute: 1_000_000,
      tiktok_inits_per_minute: 1_000_000,
      tiktok_status_per_minute: 1_000_000,
      tiktok_business_calls_per_minute: 1_000_000,
      tiktok_business_app_calls_per_minute: 1_000_000,
    },
    idAtOnce: { tiktok_moderation_ms: 0 },
    busy: {},
    // Pictures that it does not list are never sent again, however long ago that was.
    listsLate: null,
    moods: {
      "chunks answered by a bare 200": { tiktok_chunk_answers: "bare" },
      "two ids for one post": { tiktok_post_ids: "two" },
      "posts that are listed late": { tiktok_listing_lag_ms: 120_000 },
    },
  },
  threads: {
    required: {},
    // Its container shows it.
    isDoubtful: () => false,
    refusesRepeats: false,
    sendsParts: [],
    tokenSeconds: 5_184_000,
    renewsOnce: false,
    // A comment is a post there.
    comments: { write: "publish", read: "status" },
    roomy: {
      threads_posts_per_day: 1_000_000,
      threads_replies_per_day: 1_000_000,
      threads_deletes_per_day: 1_000_000,
    },
    busy: { threads_calls_per_hour: 10_000_000 },
    // Its containers show it.
    listsLate: null,
    moods: {
      "texts without their topic": { threads_text_readback: "altered" },
      "a container that publishes the same post twice over": { threads_second_publish: "same" },
      "a container that would make a second post": { threads_second_publish: "doubled" },
      "containers that are not found at first": { threads_publish_race: 2 },
      "posts that go live, and are listed, late": { threads_late_publish_ms: 60_000, threads_listing_lag_ms: 120_000 },
      "posts that cannot be answered at first": { threads_reply_lag_ms: 12_000 },
    },
  },
  twitter: {
    required: {},
    isDoubtful: () => false,
    refusesRepeats: true,
    sendsParts: ["a video"],
    tokenSeconds: 7_200,
    renewsOnce: true,
    // A comment is a post there.
    comments: { write: "publish", read: "status" },
    roomy: { twitter_posts_per_day: 1_000_000, twitter_app_posts_per_day: 1_000_000 },
    busy: { twitter_rate_limit_scale: 100 },
    prompt: { twitter_search_lag_ms: 3_000 },
    ownFaults: ["credits_depleted", "credits_depleted_old", "account_locked"],
    listsLate: (ms) => ({ twitter_listing_lag_ms: ms }),
    moods: {
      "its old field names": { twitter_dialect: "old" },
      "both field names": { twitter_dialect: "both" },
      "a post that is shown a second late": { twitter_replication_lag_ms: 1_000 },
    },
  },
  bluesky: {
    required: {},
    // The key of its record shows it.
    isDoubtful: () => false,
    refusesRepeats: false,
    // A file is the body of one call.
    sendsParts: [],
    isProcessingHidden: true,
    tokenSeconds: 3_600,
    renewsOnce: true,
    // A comment is a post there.
    comments: { write: "publish", read: "status" },
    roomy: { bluesky_rate_limit_scale: 100 },
    busy: {},
    // Its server shows a record as soon as it has it.
    listsLate: null,
    moods: { "access tokens that outlive their renewal": { bluesky_old_access_lives: true } },
  },
} satisfies Readonly<Partial<Record<PlatformName, Facts>>>;
