import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "Threads",
  offers: "Your profile",
  sign: "@",
  color: "#101014",
  postTypes: ["post", "thread"],
  declarations: {},
  options: { location_id: { types: ["post", "thread"], only: { places: true } } },
  apps: {
    threads: {
      id: "THREADS_APP_ID",
      secret: "THREADS_APP_SECRET",
      options: { location: "THREADS_LOCATION" },
      sandbox: { id: "444000222000001", secret: "sandbox-threads-secret", options: { location: "yes" } },
    },
  },
} as const satisfies PlatformFacts;
