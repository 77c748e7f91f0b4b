import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "Facebook",
  offers: "Pages that you manage",
  sign: "f",
  color: "#0866ff",
  postTypes: ["post", "reel", "story"],
  declarations: {},
  options: {
    title: { types: ["post", "reel"], onlyWith: "video" },
    cover_url: { types: ["post", "reel"], onlyWith: "video" },
    // Reels only.
    collaborators: { types: ["reel"] },
    // `/videos` has no field for a place.
    location_id: [{ types: ["post"], notWith: "video" }, { types: ["reel"] }],
  },
  optionsInstead: {
    cover_ms: {
      use: "cover_url",
      sentence: "Facebook takes a picture as the cover, and no frame: send options.cover_url.",
    },
  },
  apps: {
    facebook: {
      id: "FACEBOOK_APP_ID",
      secret: "FACEBOOK_APP_SECRET",
      // A configuration of Facebook Login for Business, in place of the scopes.
      options: { ads: "FACEBOOK_ADS", config: "FACEBOOK_LOGIN_CONFIG" },
      sandbox: { id: "100000000000001", secret: "sandbox-facebook-secret", options: { ads: "yes" } },
    },
  },
} as const satisfies PlatformFacts;
