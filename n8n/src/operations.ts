// Generated from docs/openapi.json by `npm run generate`.
import type { Operation } from "./operation.ts";

export const OPERATIONS: readonly Operation[] = [
  {
    "id": "connectChannel",
    "title": "Start a channel connection",
    "resource": "Channels",
    "method": "POST",
    "path": "/social/connect-channel",
    "isIdempotent": true,
    "fields": [
      {
        "name": "userId",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "Your own id of the user, associated with the channels."
      },
      {
        "name": "redirectUrl",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Where the user returns to: an https URL, or an absolute URL with the scheme of your own app, without a user name or password. Schemes of the browser or the system are refused (javascript, data, vbscript, blob, file, filesystem, about, view-source, chrome, ms-… and similar ones). The URL's query and fragment are kept. Without it, poll connect-status."
      },
      {
        "name": "platforms",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Platforms that are selected when the page opens. The user can select others."
      }
    ]
  },
  {
    "id": "connectStatus",
    "title": "Poll connection status",
    "resource": "Channels",
    "method": "GET",
    "path": "/social/connect-status",
    "isIdempotent": false,
    "fields": [
      {
        "name": "connect_token",
        "in": "query",
        "isRequired": true,
        "type": "string",
        "description": "The `connect_token` of connect-channel."
      }
    ]
  },
  {
    "id": "getChannels",
    "title": "List channels",
    "resource": "Channels",
    "method": "GET",
    "path": "/social/get-channels",
    "isIdempotent": false,
    "fields": [
      {
        "name": "user_id",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only the channels of this user."
      },
      {
        "name": "platform",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only channels of these types, comma-separated: facebook, instagram, youtube, linkedin, tiktok, threads, twitter, bluesky."
      },
      {
        "name": "health",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only channels whose `health` (that of publishing) is one of these, comma-separated: connected, expiring, reconnect_needed."
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "page",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Page number, from 1. Within 10,000 rows of either end of the list; use `cursor` between them. Pages far from both ends are limited to a few per second."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth."
      }
    ]
  },
  {
    "id": "deleteChannel",
    "title": "Disconnect a channel",
    "resource": "Channels",
    "method": "DELETE",
    "path": "/social/delete-channel/{channel_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "getTimetable",
    "title": "Get the timetable of a channel's queue",
    "resource": "Channels",
    "method": "GET",
    "path": "/social/channel/{channel_id}/timetable",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "updateTimetable",
    "title": "Set the timetable of a channel's queue",
    "resource": "Channels",
    "method": "PUT",
    "path": "/social/channel/{channel_id}/timetable",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "slots",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Null: the default slots."
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Any IANA zone name. Null: the project's."
      },
      {
        "name": "paused",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "Whether the queue is paused."
      }
    ]
  },
  {
    "id": "listPlatforms",
    "title": "Get the rules of each platform",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/platforms",
    "isIdempotent": false,
    "fields": []
  },
  {
    "id": "getPostingOptions",
    "title": "Read what an account can choose when it posts",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/channel/{channel_id}/posting-options",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "getPosts",
    "title": "List posts",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/get-posts",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channels",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Comma-separated: facebook, instagram, twitter, linkedin, youtube, tiktok. Required, unless `channel_id` or `channel_type` is given."
      },
      {
        "name": "channel_type",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "In place of `channels`, with Threads: comma-separated of facebook, instagram, youtube, linkedin, tiktok, threads, twitter, bluesky."
      },
      {
        "name": "status",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Comma-separated: scheduled, draft, queued, failed, published."
      },
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Posts on this channel only, also on a Threads channel."
      },
      {
        "name": "user_id",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Posts on the channels of this user only: `userId` of connect-channel."
      },
      {
        "name": "external_id",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only posts with this `external_id`."
      },
      {
        "name": "created_from",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Created at this time or later: ISO 8601 with offset, or a date, which means its start in UTC."
      },
      {
        "name": "created_to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Created before this time: ISO 8601 with offset, or a date, which means its start in UTC."
      },
      {
        "name": "published_from",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Published at this time or later; sorts by time of publication: ISO 8601 with offset, or a date, which means its start in UTC."
      },
      {
        "name": "published_to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Published before this time; sorts by time of publication: ISO 8601 with offset, or a date, which means its start in UTC."
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "page",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Page number, from 1. Within 10,000 rows of either end of the list; use `cursor` between them. Pages far from both ends are limited to a few per second."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth; never skips or repeats posts while new ones are created."
      },
      {
        "name": "include",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "`content` adds to each post its content: caption, hashtags, media, type, mode, schedule, times, channel and user, your own `external_id` and `metadata`, `error_code` and `sandbox_url`."
      }
    ]
  },
  {
    "id": "findPost",
    "title": "Find a post",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/post/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "include",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "`content` adds to each post its content: caption, hashtags, media, type, mode, schedule, times, channel and user, your own `external_id` and `metadata`, `error_code` and `sandbox_url`."
      }
    ]
  },
  {
    "id": "upcomingPosts",
    "title": "Upcoming posts",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/upcoming-posts",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      }
    ]
  },
  {
    "id": "postEvents",
    "title": "Timeline of a post",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/post/{post_id}/events",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "explainPost",
    "title": "Explain a post",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/explain/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "createPost",
    "title": "Create a post",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/create-post",
    "isIdempotent": true,
    "fields": [
      {
        "name": "channel_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "facebook",
          "instagram",
          "youtube",
          "linkedin",
          "tiktok",
          "threads",
          "twitter",
          "bluesky"
        ]
      },
      {
        "name": "post_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "post",
          "reel",
          "story",
          "thread",
          "tweet"
        ]
      },
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A connected channel of that type."
      },
      {
        "name": "hash_tags",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Comma- or space-separated; or a list, as it is read."
      },
      {
        "name": "declared",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "What the platform shows or must know about the post. `/social/platforms` lists the declarations of each kind of post; others are left out with a warning."
      },
      {
        "name": "options",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "How the post is published. `/social/platforms` lists the options of each kind of post; others are left out with a warning."
      },
      {
        "name": "first_comment",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A comment that the channel publishes once under its own live post (in a thread: under the first item). The post does not wait for it. `include=content` returns the outcome as `first_comment_result`. Left out with a warning if the platform or this post type has no comments."
      },
      {
        "name": "external_id",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own id of the post. Returned with `include=content` and in events. get-posts can filter by it."
      },
      {
        "name": "metadata",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Your own key-value data. Keys have 1 to 40 of the characters A-Z, a-z, 0-9, _, . and -; values have at most 500 characters. Returned like `external_id`."
      },
      {
        "name": "caption_text",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The main text."
      },
      {
        "name": "media_urls",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Addresses of images and videos; may be empty."
      },
      {
        "name": "alt_texts",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Descriptions of the files for people who cannot see them, in the order of `media_urls`. An empty string or null means no description. Alt texts that the platform does not support are left out. `warnings` reports this if the post type decides it; validate-post and the timeline (`post.left_out`) report it if the file decides it."
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "now",
          "queued",
          "share_next",
          "draft",
          "scheduled"
        ]
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Any IANA zone name."
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Wall-clock time in `time_zone`, `YYYY-MM-DD HH:mm`."
      },
      {
        "name": "post_extra",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "twitter_threads",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      }
    ]
  },
  {
    "id": "updatePost",
    "title": "Update a post",
    "resource": "Posts",
    "method": "PUT",
    "path": "/social/update-post/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "caption_text",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "media_urls",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "alt_texts",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Null: none."
      },
      {
        "name": "hash_tags",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Null: none."
      },
      {
        "name": "twitter_threads",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Publishes a draft as create-post would, or changes how a waiting post is published. `draft` makes it a draft again.",
        "options": [
          "now",
          "scheduled",
          "queued",
          "share_next",
          "draft"
        ]
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Wall-clock time in `time_zone`, `YYYY-MM-DD HH:mm`."
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Any IANA zone name."
      },
      {
        "name": "post_extra",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "YouTube: replaces all earlier values."
      },
      {
        "name": "declared",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "What the platform shows or must know about the post. `/social/platforms` lists the declarations of each kind of post; others are left out with a warning. Replaces all earlier ones; null withdraws them."
      },
      {
        "name": "options",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "How the post is published. `/social/platforms` lists the options of each kind of post; others are left out with a warning. Replaces all earlier ones; null withdraws them."
      },
      {
        "name": "first_comment",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Null: none."
      },
      {
        "name": "external_id",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own id of the post. Returned with `include=content` and in events. get-posts can filter by it."
      },
      {
        "name": "metadata",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Replaces all earlier values; null clears them."
      }
    ]
  },
  {
    "id": "validatePost",
    "title": "Check a post without creating it",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/validate-post",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "facebook",
          "instagram",
          "youtube",
          "linkedin",
          "tiktok",
          "threads",
          "twitter",
          "bluesky"
        ]
      },
      {
        "name": "post_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "post",
          "reel",
          "story",
          "thread",
          "tweet"
        ]
      },
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A connected channel of that type."
      },
      {
        "name": "hash_tags",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Comma- or space-separated; or a list, as it is read."
      },
      {
        "name": "declared",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "What the platform shows or must know about the post. `/social/platforms` lists the declarations of each kind of post; others are left out with a warning."
      },
      {
        "name": "options",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "How the post is published. `/social/platforms` lists the options of each kind of post; others are left out with a warning."
      },
      {
        "name": "first_comment",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A comment that the channel publishes once under its own live post (in a thread: under the first item). The post does not wait for it. `include=content` returns the outcome as `first_comment_result`. Left out with a warning if the platform or this post type has no comments."
      },
      {
        "name": "external_id",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own id of the post. Returned with `include=content` and in events. get-posts can filter by it."
      },
      {
        "name": "metadata",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Your own key-value data. Keys have 1 to 40 of the characters A-Z, a-z, 0-9, _, . and -; values have at most 500 characters. Returned like `external_id`."
      },
      {
        "name": "caption_text",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The main text."
      },
      {
        "name": "media_urls",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Addresses of images and videos; may be empty."
      },
      {
        "name": "alt_texts",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Descriptions of the files for people who cannot see them, in the order of `media_urls`. An empty string or null means no description. Alt texts that the platform does not support are left out. `warnings` reports this if the post type decides it; validate-post and the timeline (`post.left_out`) report it if the file decides it."
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "now",
          "queued",
          "share_next",
          "draft",
          "scheduled"
        ]
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Any IANA zone name."
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Wall-clock time in `time_zone`, `YYYY-MM-DD HH:mm`."
      },
      {
        "name": "post_extra",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "twitter_threads",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      }
    ]
  },
  {
    "id": "deletePost",
    "title": "Delete a post",
    "resource": "Posts",
    "method": "DELETE",
    "path": "/social/delete-post/{postId}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "postId",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "createPosts",
    "title": "Create up to 100 posts",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/create-posts",
    "isIdempotent": true,
    "fields": [
      {
        "name": "mode",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`all_or_nothing` (default): if one post is refused, none is created. `each`: the others are created.",
        "options": [
          "all_or_nothing",
          "each"
        ]
      },
      {
        "name": "long_text",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "What becomes of a text that is too long for a post of its channel: `refuse` (default), with an offer in `errors`; or a thread, where the platform has threads, with its items numbered (`(1/3)`) or not. Each item fits; links, mentions and hashtags stay whole. The first item has the files.",
        "options": [
          "refuse",
          "thread",
          "numbered_thread"
        ]
      },
      {
        "name": "defaults",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Fields of all posts that do not have their own: one text for several channels, for example."
      },
      {
        "name": "posts",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": "Each is the body of create-post, together with `defaults`."
      }
    ]
  },
  {
    "id": "validatePosts",
    "title": "Check up to 100 posts without creating them",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/validate-posts",
    "isIdempotent": false,
    "fields": [
      {
        "name": "long_text",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "What becomes of a text that is too long for a post of its channel: `refuse` (default), with an offer in `errors`; or a thread, where the platform has threads, with its items numbered (`(1/3)`) or not. Each item fits; links, mentions and hashtags stay whole. The first item has the files.",
        "options": [
          "refuse",
          "thread",
          "numbered_thread"
        ]
      },
      {
        "name": "defaults",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Fields of all posts that do not have their own: one text for several channels, for example."
      },
      {
        "name": "posts",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": "Each is the body of create-post, together with `defaults`."
      }
    ]
  },
  {
    "id": "startImport",
    "title": "Import a checked file",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/start-import/{import_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "import_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "skip_refused",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "Whether refused rows are left out. Without it, a file with refused rows is not imported."
      },
      {
        "name": "again",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "Whether posts are created once more if another import of the same rows has started (`same_as`)."
      }
    ]
  },
  {
    "id": "getImport",
    "title": "Get an import",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/import/{import_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "import_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "deleteImport",
    "title": "Delete an import",
    "resource": "Posts",
    "method": "DELETE",
    "path": "/social/delete-import/{import_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "import_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "createSeries",
    "title": "Repeat a post",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/create-series",
    "isIdempotent": true,
    "fields": [
      {
        "name": "name",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "rule",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "A recurrence rule of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY), INTERVAL, BYDAY (in a month also 1MO or -1FR), BYMONTHDAY (-1: the last day), BYHOUR, BYMINUTE, BYSETPOS, WKST (default MO), and COUNT or UNTIL. Dates that do not exist are left out."
      },
      {
        "name": "start_time",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "From when the rule counts, `YYYY-MM-DD HH:mm`; also its time of day unless the rule has BYHOUR."
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Default: the project's."
      },
      {
        "name": "post",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": "The body of create-post without a time."
      },
      {
        "name": "variants",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Fields that replace those of `post`: the first occurrence has the first, in turn."
      }
    ]
  },
  {
    "id": "updateSeries",
    "title": "Pause or continue a series",
    "resource": "Posts",
    "method": "PUT",
    "path": "/social/update-series/{series_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "series_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "state",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "active",
          "paused"
        ]
      }
    ]
  },
  {
    "id": "getSeries",
    "title": "Get a series",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/series/{series_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "series_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "listSeries",
    "title": "List series",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/series",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      }
    ]
  },
  {
    "id": "seriesEvents",
    "title": "Timeline of a series",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/series/{series_id}/events",
    "isIdempotent": false,
    "fields": [
      {
        "name": "series_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "deleteSeries",
    "title": "Delete a series",
    "resource": "Posts",
    "method": "DELETE",
    "path": "/social/delete-series/{series_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "series_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "createFeed",
    "title": "Post the entries of a feed",
    "resource": "Posts",
    "method": "POST",
    "path": "/social/create-feed",
    "isIdempotent": true,
    "fields": [
      {
        "name": "name",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "url",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "The address of an RSS or Atom feed: https, on a public host."
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "What becomes of an entry: a draft, a post in the channel's queue, or one that is published at once.",
        "options": [
          "draft",
          "queued",
          "now"
        ]
      },
      {
        "name": "posts",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": "The posts of an entry, at most 20: bodies of create-post without a time, with the placeholders `{title}`, `{link}`, `{summary}`, `{author}` and `{image}` in any text. A text of placeholders alone that are all empty is left out. A `caption_text` that is too long for its channel is shortened at a word: first the summary, then the title."
      },
      {
        "name": "include_existing",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "How many of the entries that the feed has at its first reading become posts, the newest ones. Default: 0."
      }
    ]
  },
  {
    "id": "updateFeed",
    "title": "Change, pause or continue a feed",
    "resource": "Posts",
    "method": "PUT",
    "path": "/social/update-feed/{feed_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "feed_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "name",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "state",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`active` also continues a stopped feed.",
        "options": [
          "active",
          "paused"
        ]
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "What becomes of an entry: a draft, a post in the channel's queue, or one that is published at once.",
        "options": [
          "draft",
          "queued",
          "now"
        ]
      },
      {
        "name": "posts",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "The posts of an entry, at most 20: bodies of create-post without a time, with the placeholders `{title}`, `{link}`, `{summary}`, `{author}` and `{image}` in any text. A text of placeholders alone that are all empty is left out. A `caption_text` that is too long for its channel is shortened at a word: first the summary, then the title."
      },
      {
        "name": "url",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The address of an RSS or Atom feed: https, on a public host."
      },
      {
        "name": "include_existing",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "With another `url`: how many of the entries that it has at its first reading become posts, the newest ones. Entries with posts are left out. Default: 0."
      }
    ]
  },
  {
    "id": "getFeed",
    "title": "Get a feed",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/feed/{feed_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "feed_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "getFeeds",
    "title": "List feeds",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/get-feeds",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      }
    ]
  },
  {
    "id": "feedEvents",
    "title": "Timeline of a feed",
    "resource": "Posts",
    "method": "GET",
    "path": "/social/feed/{feed_id}/events",
    "isIdempotent": false,
    "fields": [
      {
        "name": "feed_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "deleteFeed",
    "title": "Delete a feed",
    "resource": "Posts",
    "method": "DELETE",
    "path": "/social/delete-feed/{feed_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "feed_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "proposePost",
    "title": "Propose a post",
    "resource": "Approval",
    "method": "POST",
    "path": "/social/propose-post",
    "isIdempotent": true,
    "fields": [
      {
        "name": "channel_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "facebook",
          "instagram",
          "youtube",
          "linkedin",
          "tiktok",
          "threads",
          "twitter",
          "bluesky"
        ]
      },
      {
        "name": "post_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "post",
          "reel",
          "story",
          "thread",
          "tweet"
        ]
      },
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A connected channel of that type."
      },
      {
        "name": "hash_tags",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Comma- or space-separated; or a list, as it is read."
      },
      {
        "name": "declared",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "What the platform shows or must know about the post. `/social/platforms` lists the declarations of each kind of post; others are left out with a warning."
      },
      {
        "name": "options",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "How the post is published. `/social/platforms` lists the options of each kind of post; others are left out with a warning."
      },
      {
        "name": "first_comment",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A comment that the channel publishes once under its own live post (in a thread: under the first item). The post does not wait for it. `include=content` returns the outcome as `first_comment_result`. Left out with a warning if the platform or this post type has no comments."
      },
      {
        "name": "external_id",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own id of the post. Returned with `include=content` and in events. get-posts can filter by it."
      },
      {
        "name": "metadata",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Your own key-value data. Keys have 1 to 40 of the characters A-Z, a-z, 0-9, _, . and -; values have at most 500 characters. Returned like `external_id`."
      },
      {
        "name": "caption_text",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The main text."
      },
      {
        "name": "media_urls",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Addresses of images and videos; may be empty."
      },
      {
        "name": "alt_texts",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Descriptions of the files for people who cannot see them, in the order of `media_urls`. An empty string or null means no description. Alt texts that the platform does not support are left out. `warnings` reports this if the post type decides it; validate-post and the timeline (`post.left_out`) report it if the file decides it."
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "now",
          "queued",
          "share_next",
          "draft",
          "scheduled"
        ]
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Any IANA zone name."
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Wall-clock time in `time_zone`, `YYYY-MM-DD HH:mm`."
      },
      {
        "name": "post_extra",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "twitter_threads",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      }
    ]
  },
  {
    "id": "requestApproval",
    "title": "Request approval of a draft",
    "resource": "Approval",
    "method": "POST",
    "path": "/social/request-approval/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "now",
          "scheduled",
          "queued",
          "share_next"
        ]
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "note",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "For the approver."
      }
    ]
  },
  {
    "id": "approvePost",
    "title": "Approve a post",
    "resource": "Approval",
    "method": "POST",
    "path": "/social/approve-post/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "revision",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "`approval.revision` of the post that was looked at. A post that changed since is refused."
      },
      {
        "name": "publish_mode",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Default: as requested.",
        "options": [
          "now",
          "scheduled",
          "queued",
          "share_next"
        ]
      },
      {
        "name": "schedule_time",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "time_zone",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "note",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "sendBackPost",
    "title": "Send a post back",
    "resource": "Approval",
    "method": "POST",
    "path": "/social/send-back-post/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "revision",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "`approval.revision` of the post that was looked at. A post that changed since is refused."
      },
      {
        "name": "note",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "What to change."
      }
    ]
  },
  {
    "id": "createApprovalLink",
    "title": "Create an approval link",
    "resource": "Approval",
    "method": "POST",
    "path": "/social/approval-link/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "revokeApprovalLink",
    "title": "Revoke an approval link",
    "resource": "Approval",
    "method": "DELETE",
    "path": "/social/approval-link/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "listApprovals",
    "title": "Posts that wait for approval",
    "resource": "Approval",
    "method": "GET",
    "path": "/social/approvals",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      }
    ]
  },
  {
    "id": "getPostInsights",
    "title": "What a post achieved",
    "resource": "Insights",
    "method": "GET",
    "path": "/social/post/{post_id}/insights",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "getChannelInsights",
    "title": "What a channel achieved",
    "resource": "Insights",
    "method": "GET",
    "path": "/social/channel/{channel_id}/insights",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "from",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The first day, UTC. Default: 29 days before `to`."
      },
      {
        "name": "to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The last day, UTC. Default: today."
      }
    ]
  },
  {
    "id": "collectChannelInsights",
    "title": "Switch paid insights on or off",
    "resource": "Insights",
    "method": "POST",
    "path": "/social/channel/{channel_id}/insights",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "collect",
        "in": "body",
        "isRequired": true,
        "type": "boolean",
        "description": "Whether to read numbers that the platform charges for."
      }
    ]
  },
  {
    "id": "getTopPosts",
    "title": "The posts that achieved most",
    "resource": "Insights",
    "method": "GET",
    "path": "/social/insights/top-posts",
    "isIdempotent": false,
    "fields": [
      {
        "name": "from",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The first day, UTC. Default: 29 days before `to`."
      },
      {
        "name": "to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The last day, UTC. Default: today."
      },
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only posts of this channel."
      },
      {
        "name": "metric",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "By which number.",
        "options": [
          "views",
          "impressions",
          "reach",
          "likes",
          "comments",
          "shares",
          "reposts",
          "quotes",
          "saves",
          "clicks",
          "link_clicks",
          "profile_visits",
          "follows",
          "engagements",
          "watch_time_ms",
          "avg_watch_ms",
          "completion_rate"
        ]
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "How many posts."
      }
    ]
  },
  {
    "id": "getBestTimes",
    "title": "The best times to post",
    "resource": "Insights",
    "method": "GET",
    "path": "/social/insights/best-times",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only posts of this channel."
      }
    ]
  },
  {
    "id": "exportInsights",
    "title": "Export numbers as CSV",
    "resource": "Insights",
    "method": "GET",
    "path": "/social/insights/export",
    "isIdempotent": false,
    "fields": [
      {
        "name": "from",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The first day, UTC. Default: 29 days before `to`."
      },
      {
        "name": "to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "The last day, UTC. Default: today."
      },
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only posts of this channel."
      }
    ]
  },
  {
    "id": "getComments",
    "title": "List comments",
    "resource": "Comments",
    "method": "GET",
    "path": "/social/comments",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only comments under this post."
      },
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only comments under posts of this channel."
      },
      {
        "name": "assigned_to",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only comments that are assigned to this member."
      },
      {
        "name": "state",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "Only comments in this state.",
        "options": [
          "unanswered",
          "answered",
          "done"
        ]
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "`next_cursor` of the previous page; absent or empty for the first."
      }
    ]
  },
  {
    "id": "getComment",
    "title": "Get a comment",
    "resource": "Comments",
    "method": "GET",
    "path": "/social/comment/{comment_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "deleteComment",
    "title": "Delete a comment",
    "resource": "Comments",
    "method": "DELETE",
    "path": "/social/comment/{comment_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "updateComment",
    "title": "Assign a comment, mark it as done, or note on it",
    "resource": "Comments",
    "method": "PUT",
    "path": "/social/comment/{comment_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "done",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "Whether nothing is left to do with it."
      },
      {
        "name": "assigned_to",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A member of the project; null if it is not assigned."
      },
      {
        "name": "note",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "For the members; null clears it."
      }
    ]
  },
  {
    "id": "commentEvents",
    "title": "Timeline of a comment",
    "resource": "Comments",
    "method": "GET",
    "path": "/social/comment/{comment_id}/events",
    "isIdempotent": false,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "collectComments",
    "title": "Collect comments without a bot",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/channel/{channel_id}/comments",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "collect",
        "in": "body",
        "isRequired": true,
        "type": "boolean",
        "description": "Whether comments are read."
      }
    ]
  },
  {
    "id": "replyToComment",
    "title": "Answer a comment",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/comment/{comment_id}/reply",
    "isIdempotent": true,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "text",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "The reply, in public."
      }
    ]
  },
  {
    "id": "hideComment",
    "title": "Hide a comment",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/comment/{comment_id}/hide",
    "isIdempotent": true,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "unhideComment",
    "title": "Show a comment again",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/comment/{comment_id}/unhide",
    "isIdempotent": true,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "likeComment",
    "title": "Like a comment",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/comment/{comment_id}/like",
    "isIdempotent": true,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "unlikeComment",
    "title": "Take back a like",
    "resource": "Comments",
    "method": "POST",
    "path": "/social/comment/{comment_id}/unlike",
    "isIdempotent": true,
    "fields": [
      {
        "name": "comment_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "listConversations",
    "title": "List conversations",
    "resource": "Messages",
    "method": "GET",
    "path": "/social/conversations",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Only conversations of this channel."
      },
      {
        "name": "state",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "Only conversations in this state.",
        "options": [
          "done",
          "answered",
          "unanswered"
        ]
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Empty to start, then `next_cursor` of the previous page."
      }
    ]
  },
  {
    "id": "getConversation",
    "title": "Get a conversation",
    "resource": "Messages",
    "method": "GET",
    "path": "/social/conversation/{conversation_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "conversation_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "updateConversation",
    "title": "Assign, mark or annotate a conversation",
    "resource": "Messages",
    "method": "PUT",
    "path": "/social/conversation/{conversation_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "conversation_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "assigned_to",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The e-mail address of a member of the project; null if it is not assigned."
      },
      {
        "name": "done",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "A new message of the person reopens it."
      },
      {
        "name": "note",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "For members; never sent."
      }
    ]
  },
  {
    "id": "listMessages",
    "title": "List messages",
    "resource": "Messages",
    "method": "GET",
    "path": "/social/conversation/{conversation_id}/messages",
    "isIdempotent": false,
    "fields": [
      {
        "name": "conversation_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Empty to start, then `next_cursor` of the previous page."
      }
    ]
  },
  {
    "id": "conversationEvents",
    "title": "Timeline of a conversation",
    "resource": "Messages",
    "method": "GET",
    "path": "/social/conversation/{conversation_id}/events",
    "isIdempotent": false,
    "fields": [
      {
        "name": "conversation_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "sendMessage",
    "title": "Send a message",
    "resource": "Messages",
    "method": "POST",
    "path": "/social/conversation/{conversation_id}/send",
    "isIdempotent": true,
    "fields": [
      {
        "name": "conversation_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "text",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "typed_by_person",
        "in": "body",
        "isRequired": false,
        "type": "boolean",
        "description": "Whether a person has typed the text. Facebook and Instagram then allow it for seven days after the person's last message, not one. Never send it for automatic texts: Meta forbids it."
      }
    ]
  },
  {
    "id": "collectMessages",
    "title": "Switch the collection of messages on or off",
    "resource": "Messages",
    "method": "POST",
    "path": "/social/channel/{channel_id}/messages",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "collect",
        "in": "body",
        "isRequired": true,
        "type": "boolean",
        "description": "Whether messages of the channel are read and stored."
      }
    ]
  },
  {
    "id": "beginUpload",
    "title": "Start a multipart upload",
    "resource": "Media",
    "method": "POST",
    "path": "/social/begin-upload",
    "isIdempotent": false,
    "fields": [
      {
        "name": "bytes",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "Size of the whole file in bytes."
      }
    ]
  },
  {
    "id": "getUpload",
    "title": "Get upload status",
    "resource": "Media",
    "method": "GET",
    "path": "/social/get-upload/{upload_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "upload_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "completeUpload",
    "title": "Complete an upload",
    "resource": "Media",
    "method": "POST",
    "path": "/social/complete-upload/{upload_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "upload_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "cancelUpload",
    "title": "Cancel an upload",
    "resource": "Media",
    "method": "DELETE",
    "path": "/social/cancel-upload/{upload_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "upload_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "listMedia",
    "title": "List the media library",
    "resource": "Media",
    "method": "GET",
    "path": "/social/media-library",
    "isIdempotent": false,
    "fields": [
      {
        "name": "search",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "A part of the title, the alternative text or a tag."
      },
      {
        "name": "tag",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Only files with this tag."
      },
      {
        "name": "kind",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "Only files of this kind.",
        "options": [
          "image",
          "gif",
          "video",
          "document"
        ]
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth."
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Files per page."
      }
    ]
  },
  {
    "id": "getMedia",
    "title": "Get a media file",
    "resource": "Media",
    "method": "GET",
    "path": "/social/media-library/{media_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "media_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "keepMedia",
    "title": "Keep a file in the media library",
    "resource": "Media",
    "method": "PUT",
    "path": "/social/media-library/{media_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "media_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "title",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Default: ``."
      },
      {
        "name": "alt_text",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "What it shows, for people who cannot see it. Posts with the file have it unless they name another."
      },
      {
        "name": "tags",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Without duplicates; upper and lower case differ. Default: ``."
      }
    ]
  },
  {
    "id": "deleteMedia",
    "title": "Delete a media file",
    "resource": "Media",
    "method": "DELETE",
    "path": "/social/media-library/{media_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "media_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "createCommentAutomation",
    "title": "Create a comment automation",
    "resource": "Comment automations",
    "method": "POST",
    "path": "/social/create-comment-automation",
    "isIdempotent": true,
    "fields": [
      {
        "name": "name",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "channels",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": "Ids of connected channels."
      },
      {
        "name": "target_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`all`: every post of the channels that is published through this service, now or later; otherwise the chosen posts. Default: `all`.",
        "options": [
          "all",
          "posts",
          "campaigns"
        ]
      },
      {
        "name": "post_ids",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Published posts of the channels; required when target_type is posts."
      },
      {
        "name": "campaign_ids",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Campaigns whose posts are covered; required when target_type is campaigns."
      },
      {
        "name": "trigger_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Default: `any`.",
        "options": [
          "any",
          "keywords"
        ]
      },
      {
        "name": "keywords",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Words or phrases, one of which must be in the comment; required when trigger_type is keywords. Case, accents and width are ignored."
      },
      {
        "name": "response_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Default: `both`.",
        "options": [
          "comment",
          "direct_message",
          "both"
        ]
      },
      {
        "name": "comment_reply",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The public answer."
      },
      {
        "name": "direct_message",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The private one."
      },
      {
        "name": "response_time",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Default: `instant`.",
        "options": [
          "instant",
          "delayed"
        ]
      },
      {
        "name": "delay_time",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "Seconds after the comment; required when response_time is delayed."
      },
      {
        "name": "frequency",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`once`: at most one answer per person. `randomly`: answers half of the comments. Default: `everytime`.",
        "options": [
          "everytime",
          "once",
          "randomly"
        ]
      },
      {
        "name": "ai_enable",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "no",
          "yes"
        ]
      },
      {
        "name": "ai_settings",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Required unless ai_enable is no; each field is optional."
      }
    ]
  },
  {
    "id": "getCommentAutomations",
    "title": "List comment automations",
    "resource": "Comment automations",
    "method": "GET",
    "path": "/social/get-comment-automations",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "page",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Page number, from 1. Within 10,000 rows of either end of the list; use `cursor` between them. Pages far from both ends are limited to a few per second."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth."
      },
      {
        "name": "sort_by",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "Order of creation; `desc`: newest first.",
        "options": [
          "asc",
          "desc"
        ]
      }
    ]
  },
  {
    "id": "getCommentAutomation",
    "title": "Find a comment automation",
    "resource": "Comment automations",
    "method": "GET",
    "path": "/social/get-comment-automation/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "updateCommentAutomation",
    "title": "Update a comment automation",
    "resource": "Comment automations",
    "method": "PUT",
    "path": "/social/update-comment-automation/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "name",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": ""
      },
      {
        "name": "channels",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Ids of connected channels."
      },
      {
        "name": "target_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`all`: every post of the channels that is published through this service, now or later; otherwise the chosen posts.",
        "options": [
          "all",
          "posts",
          "campaigns"
        ]
      },
      {
        "name": "post_ids",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Published posts of the channels; required when target_type is posts."
      },
      {
        "name": "campaign_ids",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Campaigns whose posts are covered; required when target_type is campaigns."
      },
      {
        "name": "trigger_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "any",
          "keywords"
        ]
      },
      {
        "name": "keywords",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Words or phrases, one of which must be in the comment; required when trigger_type is keywords. Case, accents and width are ignored."
      },
      {
        "name": "response_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "comment",
          "direct_message",
          "both"
        ]
      },
      {
        "name": "comment_reply",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The public answer."
      },
      {
        "name": "direct_message",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "The private one."
      },
      {
        "name": "response_time",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "instant",
          "delayed"
        ]
      },
      {
        "name": "delay_time",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "Seconds after the comment; required when response_time is delayed."
      },
      {
        "name": "frequency",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`once`: at most one answer per person. `randomly`: answers half of the comments.",
        "options": [
          "everytime",
          "once",
          "randomly"
        ]
      },
      {
        "name": "ai_enable",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "Whether a model writes the answers. It uses the given texts, and they are sent if it fails.",
        "options": [
          "yes",
          "no"
        ]
      },
      {
        "name": "ai_settings",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "status",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "`stopped`: nothing is answered until it is `active` again; waiting answers are cancelled.",
        "options": [
          "active",
          "stopped"
        ]
      }
    ]
  },
  {
    "id": "deleteCommentAutomation",
    "title": "Delete a comment automation",
    "resource": "Comment automations",
    "method": "DELETE",
    "path": "/social/delete-comment-automation/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "getCommentAutomationReplies",
    "title": "List replies",
    "resource": "Comment automations",
    "method": "GET",
    "path": "/social/get-comment-automation/{id}/replies",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "`next_cursor` of the previous page; absent or empty for the newest."
      }
    ]
  },
  {
    "id": "testCommentAutomation",
    "title": "Test a comment automation",
    "resource": "Comment automations",
    "method": "POST",
    "path": "/social/test-comment-automation/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "text",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "The comment."
      },
      {
        "name": "author",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Who wrote it."
      }
    ]
  },
  {
    "id": "createPostGeneration",
    "title": "Generate a post",
    "resource": "Generation",
    "method": "POST",
    "path": "/social/create-post-generation",
    "isIdempotent": true,
    "fields": [
      {
        "name": "post_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "`text_only`: a caption. `ai_image_post`: with an image. `ai_banner_post`: with a banner, square and portrait. `breel`: a short video with a caption. `talking_reel`: a video of a person who speaks. `faceless_reel`: a video of scenes with a voice-over.",
        "options": [
          "text_only",
          "ai_image_post",
          "ai_banner_post",
          "breel",
          "talking_reel",
          "faceless_reel"
        ]
      },
      {
        "name": "input",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "The theme or topic, in the language of the post."
      },
      {
        "name": "platforms",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "The platforms that the post is meant for. The caption meets the rules of these, and is longer where they allow it. Without it, the caption fits every platform, including the 280 characters of X."
      },
      {
        "name": "web_hook",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A public https address that receives the outcome: the record with `post_type`, signed according to Standard Webhooks with the secret of rotate-web-hook-secret, and retried for a day. Without it nothing is sent."
      }
    ]
  },
  {
    "id": "getPostGenerations",
    "title": "List generated posts",
    "resource": "Generation",
    "method": "GET",
    "path": "/social/get-post-generations",
    "isIdempotent": false,
    "fields": [
      {
        "name": "page",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Page number, from 1. Within 10,000 rows of either end of the list; use `cursor` between them. Pages far from both ends are limited to a few per second."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth."
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Generations per page."
      },
      {
        "name": "include",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "`content`: includes the request and the reason of a failure.",
        "options": [
          "content"
        ]
      }
    ]
  },
  {
    "id": "getPostGeneration",
    "title": "Find a generated post",
    "resource": "Generation",
    "method": "GET",
    "path": "/social/post-generation/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "deletePostGeneration",
    "title": "Delete a generated post",
    "resource": "Generation",
    "method": "DELETE",
    "path": "/social/delete-post-generation/{post_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "post_id",
        "in": "path",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "createCampaign",
    "title": "Boost a post",
    "resource": "Boost campaigns",
    "method": "POST",
    "path": "/boost-campaigns/create-campaign",
    "isIdempotent": true,
    "fields": [
      {
        "name": "social_post_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A published post."
      },
      {
        "name": "name",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "If absent, a name is created."
      },
      {
        "name": "boost_type",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own free text."
      },
      {
        "name": "duration_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "daily_budget",
          "lifetime_budget"
        ]
      },
      {
        "name": "budget",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "In the ad account's currency: per day or in total, as `duration_type` says."
      },
      {
        "name": "duration",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "Days."
      },
      {
        "name": "ad_account_id",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "As get-ad-accounts returns it."
      },
      {
        "name": "campaign_objective",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "If absent: `engagement`, or the platform's closest objective.",
        "options": [
          "awareness",
          "traffic",
          "engagement",
          "leads",
          "sales",
          "app_promotion",
          "video_views"
        ]
      },
      {
        "name": "countries",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": ""
      },
      {
        "name": "interests",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "As search-interests returns them."
      },
      {
        "name": "audience",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Ids of custom audiences of the ad account."
      }
    ]
  },
  {
    "id": "updateCampaign",
    "title": "Change a boost campaign",
    "resource": "Boost campaigns",
    "method": "PUT",
    "path": "/boost-campaigns/update-campaign/{campaign_id}",
    "isIdempotent": true,
    "fields": [
      {
        "name": "campaign_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "boost_type",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own free text."
      },
      {
        "name": "duration_type",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "daily_budget",
          "lifetime_budget"
        ]
      },
      {
        "name": "budget",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "In the ad account's currency: per day or in total, as `duration_type` says."
      },
      {
        "name": "duration",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "Days."
      },
      {
        "name": "countries",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": ""
      },
      {
        "name": "interests",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "As search-interests returns them."
      },
      {
        "name": "campaign_objective",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "awareness",
          "traffic",
          "engagement",
          "leads",
          "sales",
          "app_promotion",
          "video_views"
        ]
      },
      {
        "name": "audience",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Ids of custom audiences of the ad account."
      }
    ]
  },
  {
    "id": "getInstagramPostEligibility",
    "title": "Whether an Instagram post can be boosted",
    "resource": "Boost campaigns",
    "method": "POST",
    "path": "/boost-campaigns/get-instagram-post-eligibility",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A connected instagram channel."
      },
      {
        "name": "social_post_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "A published post."
      }
    ]
  },
  {
    "id": "getCampaigns",
    "title": "List boost campaigns",
    "resource": "Boost campaigns",
    "method": "GET",
    "path": "/boost-campaigns/get-campaigns",
    "isIdempotent": false,
    "fields": [
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "page",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Page number, from 1. Within 10,000 rows of either end of the list; use `cursor` between them. Pages far from both ends are limited to a few per second."
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "Instead of `page`: empty to start, then `next_cursor` of the previous page. Fast at any depth."
      }
    ]
  },
  {
    "id": "getCampaign",
    "title": "Find a boost campaign",
    "resource": "Boost campaigns",
    "method": "GET",
    "path": "/boost-campaigns/get-campaign/{campaign_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "campaign_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "deleteCampaign",
    "title": "Delete a boost campaign",
    "resource": "Boost campaigns",
    "method": "DELETE",
    "path": "/boost-campaigns/delete-campaign/{campaign_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "campaign_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "getAdAccounts",
    "title": "List ad accounts",
    "resource": "Boost campaigns",
    "method": "GET",
    "path": "/boost-campaigns/get-ad-accounts",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": true,
        "type": "number",
        "description": "The channel that advertises."
      }
    ]
  },
  {
    "id": "getCountries",
    "title": "List countries",
    "resource": "Boost campaigns",
    "method": "GET",
    "path": "/boost-campaigns/get-countries",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": true,
        "type": "number",
        "description": "The channel that advertises."
      },
      {
        "name": "ad_account_id",
        "in": "query",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "searchInterests",
    "title": "Search interests",
    "resource": "Boost campaigns",
    "method": "GET",
    "path": "/boost-campaigns/search-interests",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "query",
        "isRequired": true,
        "type": "number",
        "description": "The channel that advertises."
      },
      {
        "name": "ad_account_id",
        "in": "query",
        "isRequired": true,
        "type": "string",
        "description": ""
      },
      {
        "name": "q",
        "in": "query",
        "isRequired": true,
        "type": "string",
        "description": ""
      }
    ]
  },
  {
    "id": "getReachEstimate",
    "title": "Estimate the reach",
    "resource": "Boost campaigns",
    "method": "POST",
    "path": "/boost-campaigns/get-reach-estimate",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "ad_account_id",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "As get-ad-accounts returns it."
      },
      {
        "name": "campaign_objective",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "awareness",
          "traffic",
          "engagement",
          "leads",
          "sales",
          "app_promotion",
          "video_views"
        ]
      },
      {
        "name": "countries",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": ""
      },
      {
        "name": "interests",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "As search-interests returns them."
      },
      {
        "name": "audience",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Ids of custom audiences of the ad account."
      }
    ]
  },
  {
    "id": "validateBudget",
    "title": "Check a budget",
    "resource": "Boost campaigns",
    "method": "POST",
    "path": "/boost-campaigns/validate-budget",
    "isIdempotent": false,
    "fields": [
      {
        "name": "channel_id",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "ad_account_id",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "As get-ad-accounts returns it."
      },
      {
        "name": "campaign_objective",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "awareness",
          "traffic",
          "engagement",
          "leads",
          "sales",
          "app_promotion",
          "video_views"
        ]
      },
      {
        "name": "countries",
        "in": "body",
        "isRequired": true,
        "type": "json",
        "description": ""
      },
      {
        "name": "interests",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "As search-interests returns them."
      },
      {
        "name": "audience",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Ids of custom audiences of the ad account."
      },
      {
        "name": "duration_type",
        "in": "body",
        "isRequired": true,
        "type": "options",
        "description": "",
        "options": [
          "daily_budget",
          "lifetime_budget"
        ]
      },
      {
        "name": "budget",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "In the ad account's currency: per day or in total, as `duration_type` says."
      },
      {
        "name": "duration",
        "in": "body",
        "isRequired": true,
        "type": "number",
        "description": "Days."
      }
    ]
  },
  {
    "id": "createWebhook",
    "title": "Create a webhook",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/create-webhook",
    "isIdempotent": true,
    "fields": [
      {
        "name": "url",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "A public https address. Redirects are not followed."
      },
      {
        "name": "description",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own note."
      },
      {
        "name": "events",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Null: all, including types of later releases."
      },
      {
        "name": "events_per_request",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "The most events in one request. Above 1, every request has a batch: `{\"type\":\"batch\",\"events\":[…]}`."
      }
    ]
  },
  {
    "id": "getWebhooks",
    "title": "List webhooks",
    "resource": "Webhooks",
    "method": "GET",
    "path": "/social/get-webhooks",
    "isIdempotent": false,
    "fields": []
  },
  {
    "id": "getWebhook",
    "title": "Get a webhook",
    "resource": "Webhooks",
    "method": "GET",
    "path": "/social/get-webhook/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "updateWebhook",
    "title": "Update a webhook",
    "resource": "Webhooks",
    "method": "PUT",
    "path": "/social/update-webhook/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "url",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "A public https address. Redirects are not followed."
      },
      {
        "name": "description",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "Your own note."
      },
      {
        "name": "events",
        "in": "body",
        "isRequired": false,
        "type": "json",
        "description": "Null: all, including types of later releases."
      },
      {
        "name": "events_per_request",
        "in": "body",
        "isRequired": false,
        "type": "number",
        "description": "The most events in one request. Above 1, every request has a batch: `{\"type\":\"batch\",\"events\":[…]}`."
      },
      {
        "name": "status",
        "in": "body",
        "isRequired": false,
        "type": "options",
        "description": "",
        "options": [
          "enabled",
          "disabled"
        ]
      }
    ]
  },
  {
    "id": "deleteWebhook",
    "title": "Delete a webhook",
    "resource": "Webhooks",
    "method": "DELETE",
    "path": "/social/delete-webhook/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "rotateWebhookSecret",
    "title": "Rotate a webhook's secret",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/rotate-webhook-secret/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "rotateProjectSecret",
    "title": "Rotate the secret of web_hook",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/rotate-web-hook-secret",
    "isIdempotent": false,
    "fields": []
  },
  {
    "id": "getWebhookDeliveries",
    "title": "List deliveries of a webhook",
    "resource": "Webhooks",
    "method": "GET",
    "path": "/social/get-webhook/{id}/deliveries",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "limit",
        "in": "query",
        "isRequired": false,
        "type": "number",
        "description": "Items per page."
      },
      {
        "name": "status",
        "in": "query",
        "isRequired": false,
        "type": "options",
        "description": "By state: waiting, delivered or failed.",
        "options": [
          "waiting",
          "delivered",
          "failed"
        ]
      },
      {
        "name": "cursor",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "`next_cursor` of the previous page; absent or empty for the newest."
      }
    ]
  },
  {
    "id": "testWebhook",
    "title": "Send a test event",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/test-webhook/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "replayDelivery",
    "title": "Replay a delivery",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/replay-delivery/{delivery_id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "delivery_id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      }
    ]
  },
  {
    "id": "replayWebhook",
    "title": "Replay deliveries of a time range",
    "resource": "Webhooks",
    "method": "POST",
    "path": "/social/replay-webhook/{id}",
    "isIdempotent": false,
    "fields": [
      {
        "name": "id",
        "in": "path",
        "isRequired": true,
        "type": "number",
        "description": ""
      },
      {
        "name": "from",
        "in": "body",
        "isRequired": true,
        "type": "string",
        "description": "What happened at this time or later: ISO 8601 with offset, or a date, which means its start in UTC."
      },
      {
        "name": "to",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "End of the range, exclusive. Default: now."
      },
      {
        "name": "cursor",
        "in": "body",
        "isRequired": false,
        "type": "string",
        "description": "`next_cursor` of the previous response, to continue."
      }
    ]
  },
  {
    "id": "getUsage",
    "title": "Usage and platform cost of a month",
    "resource": "Usage",
    "method": "GET",
    "path": "/social/usage",
    "isIdempotent": false,
    "fields": [
      {
        "name": "month",
        "in": "query",
        "isRequired": false,
        "type": "string",
        "description": "A calendar month, UTC; default: the current one. Kept for 24 months."
      }
    ]
  }
];
