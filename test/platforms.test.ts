import { parts } from "./support/parts.ts";

parts({
  threads: () => import("./platforms/threads.ts"),
  linkedin: () => import("./platforms/linkedin.ts"),
  instagram: () => import("./platforms/instagram.ts"),
  posts: () => import("./platforms/posts.ts"),
});
