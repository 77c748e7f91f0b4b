import { parts } from "./support/parts.ts";

parts({
  linkedin: () => import("./platforms/linkedin.ts"),
  posts: () => import("./platforms/posts.ts"),
});
