import { parts } from "./support/parts.ts";

parts({
  facebook: () => import("./simulated/facebook.ts"),
  google: () => import("./simulated/google.ts"),
  instagram: () => import("./simulated/instagram.ts"),
  "instagram-publish": () => import("./simulated/instagram-publish.ts"),
  linkedin: () => import("./simulated/linkedin.ts"),
  "linkedin-bodies": () => import("./simulated/linkedin-bodies.ts"),
  "linkedin-posts": () => import("./simulated/linkedin-posts.ts"),
  makers: () => import("./simulated/makers.ts"),
  models: () => import("./simulated/models.ts"),
  pages: () => import("./simulated/pages.ts"),
  threads: () => import("./simulated/threads.ts"),
  "threads-posts": () => import("./simulated/threads-posts.ts"),
  "youtube-login": () => import("./simulated/youtube-login.ts"),
  "youtube-read": () => import("./simulated/youtube-read.ts"),
  "youtube-upload": () => import("./simulated/youtube-upload.ts"),
  "meta-ads": () => import("./simulated/meta-ads.ts"),
});
