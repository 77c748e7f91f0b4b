import { z } from "@hono/zod-openapi";
import { operation } from "../http/operation.ts";
import {
  CreatePostBody,
  DeletePostParam,
  EventView,
  ListPostsQuery,
  PostIdParam,
  PostPage,
  PostView,
  UpcomingQuery,
  UpcomingView,
  UpdatePostBody,
} from "./schema.ts";

/** The contracts of spec 4.3 to 4.7 and of the extensions about posts; routes.ts answers them. */
const Done = z.literal(true);

export const getPosts = operation({
  id: "getPosts",
  method: "get",
  path: "/social/get-posts",
  tag: "Posts",
  permission: "social-read-posts",
  summary: "List posts",
  description: "Posts on the named channels, newest first, a page at a time (spec 4.3).",
  query: ListPostsQuery,
  answer: z.object({ posts: PostPage, status: Done }),
  answerDescription: "A page of posts.",
  example: {
    posts: {
      current_page: 1,
      data: [
        {
          post_id: 42,
          channel_type: "facebook",
          channel_id: "12",
          STATUS: "published",
          permalink: "https://www.facebook.com/104000000000001/posts/122000000000011",
        },
      ],
      first_page_url: "https://belfry.example/api/v1/social/get-posts?channels=facebook&page=1",
      from: 1,
      last_page: 1,
      last_page_url: "https://belfry.example/api/v1/social/get-posts?channels=facebook&page=1",
      next_page_url: null,
      path: "https://belfry.example/api/v1/social/get-posts",
      per_page: 10,
      prev_page_url: null,
      to: 1,
      total: 1,
    },
    status: true,
  },
});

export const createPostOperation = operation({
  id: "createPost",
  method: "post",
  path: "/social/create-post",
  tag: "Posts",
  permission: "social-create-post",
  refusal: 401,
  summary: "Create a post",
  description:
    "Publishes now, at a time, in the channel's next free slot (`queued`) or in its very next one (`share_next`). Publishing goes on after the answer: read the final state at `find_post_url` (spec 4.4).",
  idempotent: true,
  body: CreatePostBody,
  answer: z.object({
    message: z.string(),
    data: z.object({
      post_id: z.int(),
      STATUS: z.literal("processing"),
      find_post_url: z.string().openapi({ example: "https://belfry.example/api/v1/social/post/42" }),
    }),
    status: Done,
  }),
  answerDescription: "Accepted.",
  example: {
    message: "The post is being published.",
    data: { post_id: 42, STATUS: "processing", find_post_url: "https://belfry.example/api/v1/social/post/42" },
    status: true,
  },
});

export const findPostOperation = operation({
  id: "findPost",
  method: "get",
  path: "/social/post/{post_id}",
  tag: "Posts",
  permission: "social-view-post",
  summary: "Find a post",
  description: "The state of one post: with `permalink` when published, with `error` when failed (spec 4.5).",
  params: PostIdParam,
  answer: z.object({ post: PostView, status: Done }),
  answerDescription: "The post.",
  example: {
    post: {
      post_id: 42,
      channel_type: "facebook",
      channel_id: "12",
      STATUS: "published",
      permalink: "https://www.facebook.com/104000000000001/posts/122000000000011",
    },
    status: true,
  },
});

export const deletePostOperation = operation({
  id: "deletePost",
  method: "delete",
  path: "/social/delete-post/{postId}",
  tag: "Posts",
  permission: "social-delete-post",
  summary: "Delete a post",
  description: "Gone here at once; what is live is taken down at the platform where it can be (spec 4.6).",
  params: DeletePostParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "Deletion is initiated.",
  example: { message: "Post deletion has been initiated; it is being taken down at the platform.", status: true },
});

export const upcomingPosts = operation({
  id: "upcomingPosts",
  method: "get",
  path: "/social/upcoming-posts",
  tag: "Posts",
  permission: "social-read-posts",
  refusal: 422,
  summary: "Upcoming posts",
  description: "Scheduled, queued and next-share posts, the next one first (spec 4.7).",
  errorExtras: { up_coming: [] },
  query: UpcomingQuery,
  answer: z.object({ up_coming: z.array(UpcomingView) }),
  answerDescription: "What goes out next.",
  example: {
    up_coming: [
      {
        post_id: 43,
        channel_type: "twitter",
        channel_id: "13",
        STATUS: "scheduled",
        schedule_time: "10AM, 5th of March, 2030",
        time_zone: "Europe/Berlin",
        scheduled_at: "2030-03-05T10:00:00+01:00",
      },
    ],
  },
});

export const updatePostOperation = operation({
  id: "updatePost",
  method: "put",
  path: "/social/update-post/{post_id}",
  tag: "Posts",
  permission: "social-create-post",
  extension: true,
  summary: "Update a post",
  description:
    "Changes caption, media, hashtags, thread items or time of a post that is still draft, scheduled or queued. A queued post that gets a time of its own leaves the queue.",
  params: PostIdParam,
  body: UpdatePostBody,
  answer: z.object({ message: z.string(), post: PostView, status: Done }),
  answerDescription: "The changed post.",
  example: {
    message: "The post was changed.",
    post: { post_id: 43, channel_type: "twitter", channel_id: "13", STATUS: "scheduled" },
    status: true,
  },
});

export const validatePostOperation = operation({
  id: "validatePost",
  method: "post",
  path: "/social/validate-post",
  tag: "Posts",
  permission: "social-create-post",
  extension: true,
  summary: "Check a post without creating it",
  description:
    "All checks of create-post, and the media files themselves, as far as they can be looked at in some 15 seconds. A post that would fail is a 422 that says why.",
  body: CreatePostBody,
  answer: z.object({
    message: z.string(),
    valid: z.literal(true),
    items: z.array(
      z.object({
        text: z.string(),
        media: z.array(
          z.object({
            url: z.string(),
            kind: z.enum(["image", "gif", "video"]),
            mime: z.string(),
            bytes: z.number(),
            width: z.number().nullable(),
            height: z.number().nullable(),
            duration_seconds: z.number().nullable(),
          }),
        ),
      }),
    ),
    status: Done,
  }),
  answerDescription: "What would go out.",
  example: {
    message: "The post can be published.",
    valid: true,
    items: [
      {
        text: "The new frames are in.",
        media: [
          {
            url: "https://cdn.example.com/frame.jpg",
            kind: "image",
            mime: "image/jpeg",
            bytes: 184233,
            width: 1080,
            height: 1080,
            duration_seconds: null,
          },
        ],
      },
    ],
    status: true,
  },
});

export const postEvents = operation({
  id: "postEvents",
  method: "get",
  path: "/social/post/{post_id}/events",
  tag: "Posts",
  permission: "social-view-post",
  extension: true,
  summary: "Timeline of a post",
  description: "Everything that happened to the post, oldest first, with the reason for each wait and failure.",
  params: PostIdParam,
  answer: z.object({ events: z.array(EventView), status: Done }),
  answerDescription: "The timeline.",
  example: {
    events: [
      {
        id: 7,
        type: "post.published",
        message: "Live on the platform.",
        detail: { permalink: "https://x.com/acmebikes/status/2094364576052150272" },
        created_at: "2030-03-05T09:00:01.000Z",
      },
    ],
    status: true,
  },
});
