import { z } from "zod";

/** The service's report on itself (report.ts), as `npm run doctor` and the operator's page read it. */

export const ReportedWebhooks = z.object({
  callback_url: z.string(),
  verify_token: z.string().nullable(),
  fields: z.array(z.string()).readonly(),
  setting: z.string(),
  is_by_hand: z.boolean(),
});
export type ReportedWebhooks = z.output<typeof ReportedWebhooks>;

/** An address at which the platform reports that a person removed our app, or wants their data deleted. */
export const ReportedCallback = z.object({ url: z.string(), setting: z.string() });

export const Report = z.object({
  is_production: z.boolean(),
  public_origin: z.string().nullable(),
  has_sandbox: z.boolean(),
  /** Whether pictures can be made to fit. A service of an earlier version does not say. */
  has_images: z.boolean().nullable().default(null),
  /** Whether the Worker that draws banners answers. A service of an earlier version has none. */
  has_banners: z.boolean().nullable().default(null),
  migrations: z.array(z.string()).readonly().nullable(),
  /** Who is notified of what needs an operator. A service of an earlier version has none. */
  alerts: z
    .object({ email: z.string().nullable(), webhook: z.string().nullable(), lacking: z.array(z.string()).readonly() })
    .default({ email: null, webhook: null, lacking: [] }),
  /** Those beside database 0. */
  databases: z
    .array(
      z.object({
        number: z.number(),
        migrations: z.array(z.string()).readonly().nullable(),
        bytes: z.number().nullable(),
        has_own_ids: z.boolean(),
      }),
    )
    .readonly()
    // A service of an earlier version has none.
    .default([]),
  /** The versions of platforms' APIs that are called. A service of an earlier version reports none. */
  versions: z
    .array(
      z.object({
        api: z.string(),
        version: z.string(),
        ends_on: z.string().nullable(),
        is_estimate: z.boolean(),
        /** By the service's clock; null if no end is known. */
        days_left: z.number().nullable(),
      }),
    )
    .readonly()
    // A service of an earlier version has none.
    .default([]),
  /**
   * Refusals of posts that our rules had let pass, of the last week. A service of an earlier version has
   * none.
   */
  missed_rules: z
    .array(
      z.object({
        platform: z.string(),
        operation: z.string(),
        code: z.string(),
        platform_code: z.string(),
        words: z.string(),
        count: z.number(),
        last_at: z.string(),
      }),
    )
    .readonly()
    .default([]),
  kv: z.string().nullable(),
  files: z.string().nullable(),
  apps: z.array(
    z.object({
      platform: z.string(),
      is_sandbox: z.boolean(),
      is_set_up: z.boolean(),
      variables: z.tuple([z.string(), z.string()]).readonly(),
      lacking: z.array(z.string()).readonly(),
      site: z.string(),
      redirect_uri: z.string(),
      redirect_setting: z.string(),
      scopes: z.array(z.string()).readonly(),
      scopes_setting: z.string(),
      apis: z.object({ names: z.array(z.string()).readonly(), setting: z.string() }).nullable(),
      webhooks: ReportedWebhooks.nullable(),
      /** Addresses to be entered manually, for a removed app and for the deletion of data. */
      callbacks: z.array(ReportedCallback).readonly().default([]),
      can_be_asked: z.boolean(),
      findings: z.array(
        z.object({ topic: z.string(), is_good: z.boolean(), message: z.string(), fix: z.string().nullable() }),
      ),
    }),
  ),
  ai: z.object({
    base_url: z.string().nullable(),
    chat_model: z.string().nullable(),
    image_model: z.string().nullable(),
    speech_model: z.string().nullable(),
    video_model: z.string().nullable(),
    lacking: z.array(z.string()).readonly(),
  }),
  sign_in: z.object({
    provider: z.string().nullable(),
    redirect_uri: z.string(),
    lacking: z.array(z.string()).readonly(),
  }),
});
export type Report = z.output<typeof Report>;
