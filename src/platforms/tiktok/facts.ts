import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "TikTok",
  offers: "Your account",
  sign: "♪",
  color: "#101014",
  postTypes: ["post", "reel"],
  hasOwnForm: true,
  campaignTerm: "Spark Ads",
  declarations: {
    made_with_ai: { types: ["post", "reel"], onlyWith: "video" },
    paid_partnership: { types: ["post", "reel"] },
    own_brand: { types: ["post", "reel"] },
  },
  options: {
    privacy_level: { types: ["post", "reel"] },
    comments: { types: ["post", "reel"] },
    duets: { types: ["post", "reel"], onlyWith: "video" },
    stitches: { types: ["post", "reel"], onlyWith: "video" },
    title: { types: ["post"], onlyWith: "image" },
    cover_ms: { types: ["post", "reel"], onlyWith: "video" },
    cover_index: { types: ["post"], onlyWith: "image" },
    consent_given: { types: ["post", "reel"] },
  },
  optionsInstead: {
    cover_url: {
      use: "cover_ms",
      sentence: "TikTok takes a frame of the video as its cover, and no picture: send options.cover_ms.",
    },
  },
  apps: {
    tiktok: {
      id: "TIKTOK_CLIENT_KEY",
      secret: "TIKTOK_CLIENT_SECRET",
      options: { privacy: "TIKTOK_PRIVACY" },
      sandbox: { id: "sandbox-tiktok-key", secret: "sandbox-tiktok-secret" },
    },
    tiktok_business: {
      id: "TIKTOK_BUSINESS_APP_ID",
      secret: "TIKTOK_BUSINESS_APP_SECRET",
      sandbox: { id: "sandbox-tiktok-business", secret: "sandbox-tiktok-business-secret" },
    },
    tiktok_ads: {
      id: "TIKTOK_ADS_APP_ID",
      secret: "TIKTOK_ADS_APP_SECRET",
      sandbox: { id: "sandbox-tiktok-ads", secret: "sandbox-tiktok-ads-secret" },
    },
  },
} as const satisfies PlatformFacts;
