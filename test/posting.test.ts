import { parts } from "./support/parts.ts";

parts({
  posts: () => import("./posting/posts.ts"),
  "alt-texts": () => import("./posting/alt-texts.ts"),
  warnings: () => import("./posting/warnings.ts"),
  refusals: () => import("./posting/refusals.ts"),
  "first-comment": () => import("./posting/first-comment.ts"),
  youtube: () => import("./posting/youtube.ts"),
  events: () => import("./posting/events.ts"),
  drafts: () => import("./posting/drafts.ts"),
  schedule: () => import("./posting/schedule.ts"),
  "post-kinds": () => import("./posting/post-kinds.ts"),
});
