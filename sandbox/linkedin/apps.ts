// The registered apps of the simulated LinkedIn, their products, and the scopes of each product.

const PRODUCTS = {
  openid: ["openid", "profile", "email"],
  share: ["w_member_social"],
  community: [
    "r_organization_social",
    "w_organization_social",
    "rw_organization_admin",
    "r_organization_admin",
    "r_organization_social_feed",
    "w_organization_social_feed",
    "w_member_social_feed",
    "r_basicprofile",
    "r_organization_followers",
    "r_1st_connections_size",
    "r_member_postAnalytics",
  ],
} as const;

interface App {
  readonly id: string;
  readonly secret: string;
  readonly products: readonly (keyof typeof PRODUCTS)[];
}

/** One app with all products, and one with the self-serve products. */
const APPS: readonly App[] = [
  { id: "sandbox-linkedin-client", secret: "sandbox-linkedin-secret", products: ["openid", "share", "community"] },
  { id: "sandbox-linkedin-self-serve", secret: "sandbox-linkedin-self-serve-secret", products: ["openid", "share"] },
];

/** The app that the service uses by default. */
export const MAIN_APP = "sandbox-linkedin-client";

export const findApp = (id: string | undefined): App | undefined => APPS.find((app) => app.id === id);
export const isSelfServe = (clientId: string): boolean => findApp(clientId)?.products.includes("community") === false;

export function scopesOf({ products }: App): readonly string[] {
  return products.flatMap((product) => [...PRODUCTS[product]]);
}

/**
 * Scope descriptions for the consent page. `r_member_social` is closed to all apps, so it is never requested.
 */
export const SCOPES: Readonly<Record<string, string>> = {
  openid: "Use your name and photo",
  profile: "Use your name and photo",
  email: "Use the primary email address of your account",
  w_member_social: "Create, modify and delete posts on your behalf",
  r_basicprofile: "Use your basic profile",
  r_organization_social: "Retrieve your organizations’ posts and comments",
  w_organization_social: "Create, modify and delete posts on your organizations’ behalf",
  rw_organization_admin: "Manage your organizations’ pages",
  r_organization_admin: "Retrieve your organizations’ pages",
  r_organization_social_feed: "Retrieve comments and reactions on your organizations’ posts",
  w_organization_social_feed: "Comment and react on your organizations’ behalf",
  w_member_social_feed: "Comment and react on your behalf",
  r_organization_followers: "See who follows your organizations",
  r_1st_connections_size: "See how many connections you have",
  r_member_postAnalytics: "See how your posts do",
};
