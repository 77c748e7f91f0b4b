/**
 * One registration of ours at a platform: where its id and secret come from, and what the sandbox knows it
 * by.
 */
export interface AppRegistration {
  /** Names of the variable and the secret (docs/deploy.md). */
  readonly id: string;
  readonly secret: string;
  /** Variables beside them, by the names that the adapter knows them by (`AppCredentials.options`). */
  readonly options?: Readonly<Record<string, string>>;
  /** Of test projects; every sandbox knows it, and it opens nothing else. */
  readonly sandbox: {
    readonly id: string;
    readonly secret: string;
    readonly options?: Readonly<Record<string, string>>;
  };
}

/** Our app registrations: a platform may need several, and several platforms may share one. */
export const APPS = {
  facebook: {
    id: "FACEBOOK_APP_ID",
    secret: "FACEBOOK_APP_SECRET",
    options: { ads: "FACEBOOK_ADS" },
    sandbox: { id: "100000000000001", secret: "sandbox-facebook-secret", options: { ads: "yes" } },
  },
  instagram: {
    id: "INSTAGRAM_APP_ID",
    secret: "INSTAGRAM_APP_SECRET",
    // With Instagram Login the Meta app around it has another secret, which may be the one that signs.
    options: { login: "INSTAGRAM_LOGIN", ads: "INSTAGRAM_ADS", meta_secret: "INSTAGRAM_META_APP_SECRET" },
    sandbox: { id: "100000000000002", secret: "sandbox-instagram-secret", options: { ads: "yes" } },
  },
  google: {
    id: "GOOGLE_CLIENT_ID",
    secret: "GOOGLE_CLIENT_SECRET",
    sandbox: { id: "sandbox-google.apps.googleusercontent.com", secret: "sandbox-google-secret" },
  },
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
  twitter: {
    id: "X_CLIENT_ID",
    secret: "X_CLIENT_SECRET",
    // Of the same app as a whole, not of its OAuth 2 client: for webhooks only.
    options: { consumer_secret: "X_CONSUMER_SECRET", bearer: "X_BEARER_TOKEN" },
    sandbox: {
      id: "sandbox-x-client",
      secret: "sandbox-x-secret",
      options: { consumer_secret: "sandbox-x-consumer-secret", bearer: "sandbox-x-app-bearer" },
    },
  },
  threads: {
    id: "THREADS_APP_ID",
    secret: "THREADS_APP_SECRET",
    sandbox: { id: "444000222000001", secret: "sandbox-threads-secret" },
  },
  linkedin: {
    id: "LINKEDIN_CLIENT_ID",
    secret: "LINKEDIN_CLIENT_SECRET",
    options: { version: "LINKEDIN_VERSION", products: "LINKEDIN_PRODUCTS" },
    sandbox: { id: "sandbox-linkedin-client", secret: "sandbox-linkedin-secret" },
  },
} as const satisfies Readonly<Record<string, AppRegistration>>;

export type AppName = keyof typeof APPS;
export const APP_NAMES = Object.keys(APPS).filter((name): name is AppName => Object.hasOwn(APPS, name));
