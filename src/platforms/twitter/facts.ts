import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "X",
  offers: "Your account (formerly Twitter)",
  sign: "𝕏",
  color: "#101014",
  postTypes: ["post", "tweet", "thread"],
  declarations: {
    made_with_ai: { types: ["post", "tweet", "thread"] },
    paid_partnership: { types: ["post", "tweet", "thread"] },
  },
  options: { location_id: { types: ["post", "tweet", "thread"] } },
  apps: {
    twitter: {
      id: "X_CLIENT_ID",
      secret: "X_CLIENT_SECRET",
      // They belong to the same app as a whole, not to its OAuth 2 client: for webhooks only.
      options: { consumer_secret: "X_CONSUMER_SECRET", bearer: "X_BEARER_TOKEN" },
      sandbox: {
        id: "sandbox-x-client",
        secret: "sandbox-x-secret",
        options: { consumer_secret: "sandbox-x-consumer-secret", bearer: "sandbox-x-app-bearer" },
      },
    },
  },
} as const satisfies PlatformFacts;
