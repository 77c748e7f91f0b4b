import type { PlatformFacts } from "../platform-facts.ts";

export const facts = {
  title: "LinkedIn",
  offers: "Your profile and organizations",
  sign: "in",
  color: "#0a66c2",
  postTypes: ["post"],
  takesDocuments: true,
  declarations: {},
  options: {
    title: { types: ["post"], onlyWith: "video", orWith: "document" },
    document: { types: ["post"], onlyWith: "image" },
    cover_url: { types: ["post"], onlyWith: "video" },
  },
  apps: {
    linkedin: {
      id: "LINKEDIN_CLIENT_ID",
      secret: "LINKEDIN_CLIENT_SECRET",
      options: { version: "LINKEDIN_VERSION", products: "LINKEDIN_PRODUCTS" },
      sandbox: { id: "sandbox-linkedin-client", secret: "sandbox-linkedin-secret" },
    },
  },
} as const satisfies PlatformFacts;
