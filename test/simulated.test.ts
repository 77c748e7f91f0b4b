import { parts } from "./support/parts.ts";

parts({
  facebook: () => import("./simulated/facebook.ts"),
  instagram: () => import("./simulated/instagram.ts"),
  "instagram-publish": () => import("./simulated/instagram-publish.ts"),
  linkedin: () => import("./simulated/linkedin.ts"),
  "linkedin-posts": () => import("./simulated/linkedin-posts.ts"),
  makers: () => import("./simulated/makers.ts"),
  models: () => import("./simulated/models.ts"),
  pages: () => import("./simulated/pages.ts"),
  threads: () => import("./simulated/threads.ts"),
  "threads-posts": () => import("./simulated/threads-posts.ts"),
  tiktok: () => import("./simulated/tiktok.ts"),
  "tiktok-business": () => import("./simulated/tiktok-business.ts"),
  "tiktok-posts": () => import("./simulated/tiktok-posts.ts"),
  twitter: () => import("./simulated/twitter.ts"),
  webhooks: () => import("./simulated/webhooks.ts"),
  "youtube-login": () => import("./simulated/youtube-login.ts"),
  "youtube-read": () => import("./simulated/youtube-read.ts"),
  "youtube-upload": () => import("./simulated/youtube-upload.ts"),
  "meta-ads": () => import("./simulated/meta-ads.ts"),
  "tiktok-ads": () => import("./simulated/tiktok-ads.ts"),
});
