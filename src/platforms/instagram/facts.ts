import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "Instagram",
  offers: "Professional accounts",
  sign: "Ig",
  color: "#c4317b",
  postTypes: ["post", "reel", "story"],
  declarations: {
    made_with_ai: { types: ["post", "reel", "story"] },
    paid_partnership: { types: ["post", "reel"], except: { login: "instagram" } },
  },
  options: {
    cover_url: { types: ["post", "reel"], onlyWith: "video" },
    cover_ms: { types: ["post", "reel"], onlyWith: "video" },
    collaborators: { types: ["post", "reel"] },
    location_id: { types: ["post", "reel"] },
  },
  apps: {
    instagram: {
      id: "INSTAGRAM_APP_ID",
      secret: "INSTAGRAM_APP_SECRET",
      // With Instagram Login, the surrounding Meta app has another secret, which may be the one that signs.
      options: {
        login: "INSTAGRAM_LOGIN",
        ads: "INSTAGRAM_ADS",
        meta_secret: "INSTAGRAM_META_APP_SECRET",
        // A configuration of Facebook Login for Business, in place of the scopes.
        config: "INSTAGRAM_LOGIN_CONFIG",
      },
      sandbox: { id: "100000000000002", secret: "sandbox-instagram-secret", options: { ads: "yes" } },
    },
  },
} as const satisfies PlatformFacts;
