import { parts } from "./support/parts.ts";

parts({
  media: () => import("./files/media.ts"),
  parts: () => import("./files/parts.ts"),
  own: () => import("./files/own.ts"),
  "public-copies": () => import("./files/public-copies.ts"),
  streamed: () => import("./files/streamed.ts"),
  real: () => import("./files/real.ts"),
  "copy-step": () => import("./files/copy-step.ts"),
  validated: () => import("./files/validated.ts"),
  "large-video": () => import("./files/large-video.ts"),
});
