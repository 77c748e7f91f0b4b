import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "YouTube",
  offers: "Your channel",
  sign: "▶",
  color: "#d9001b",
  postTypes: ["post", "reel"],
  takesPostExtra: true,
  declarations: {
    made_with_ai: { types: ["post", "reel"] },
    paid_partnership: { types: ["post", "reel"] },
    made_for_kids: { types: ["post", "reel"] },
  },
  options: { cover_url: { types: ["post", "reel"] }, playlist_id: { types: ["post", "reel"] } },
  optionsInstead: {
    cover_ms: {
      use: "cover_url",
      sentence: "YouTube takes a picture as the cover, and no frame: send options.cover_url.",
    },
  },
  apps: {
    google: {
      id: "GOOGLE_CLIENT_ID",
      secret: "GOOGLE_CLIENT_SECRET",
      sandbox: { id: "sandbox-google.apps.googleusercontent.com", secret: "sandbox-google-secret" },
    },
  },
} as const satisfies PlatformFacts;
