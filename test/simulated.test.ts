import { parts } from "./support/parts.ts";

parts({
  google: () => import("./simulated/google.ts"),
  linkedin: () => import("./simulated/linkedin.ts"),
  "linkedin-bodies": () => import("./simulated/linkedin-bodies.ts"),
  "linkedin-posts": () => import("./simulated/linkedin-posts.ts"),
  makers: () => import("./simulated/makers.ts"),
  models: () => import("./simulated/models.ts"),
  pages: () => import("./simulated/pages.ts"),
  "youtube-login": () => import("./simulated/youtube-login.ts"),
  "youtube-read": () => import("./simulated/youtube-read.ts"),
  "youtube-upload": () => import("./simulated/youtube-upload.ts"),
});
