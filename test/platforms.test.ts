import { parts } from "./support/parts.ts";

parts({
  posts: () => import("./platforms/posts.ts"),
});
