import { parts } from "./support/parts.ts";

parts({
  lists: () => import("./reading/lists.ts"),
  filters: () => import("./reading/filters.ts"),
  content: () => import("./reading/content.ts"),
  labels: () => import("./reading/labels.ts"),
  "channel-health": () => import("./reading/channel-health.ts"),
  platforms: () => import("./reading/platforms.ts"),
  pages: () => import("./reading/pages.ts"),
});
