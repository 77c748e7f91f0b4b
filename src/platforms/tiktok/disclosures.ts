import type { Disclosures } from "../publishing.ts";

/** The sentences that TikTok's Content Sharing Guidelines require on a page for posting, word for word. */
const MUSIC = {
  label: "Music Usage Confirmation",
  url: "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en",
};
const BRANDED = { label: "Branded Content Policy", url: "https://www.tiktok.com/legal/page/global/bc-policy/en" };

export const disclosures: Disclosures = {
  ownBrand: "Your photo/video will be labeled as 'Promotional content'",
  paidPartnership: "Your photo/video will be labeled as 'Paid partnership'",
  consent: { text: "By posting, you agree to TikTok's Music Usage Confirmation.", links: [MUSIC] },
  paidConsent: {
    text: "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
    links: [BRANDED, MUSIC],
  },
};
