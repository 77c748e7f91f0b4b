import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "Threads",
  offers: "Your profile",
  sign: "@",
  color: "#101014",
  postTypes: ["post", "thread"],
  declarations: {},
  options: {},
  apps: {
    threads: {
      id: "THREADS_APP_ID",
      secret: "THREADS_APP_SECRET",
      sandbox: { id: "444000222000001", secret: "sandbox-threads-secret" },
    },
  },
} as const satisfies PlatformFacts;
