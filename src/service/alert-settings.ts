import { z } from "zod";

/** Where operators are notified (alerts/). */
export interface AlertSettings {
  /** Null: not configured. */
  readonly email: string | null;
  readonly webhook: { readonly url: string; readonly secret: string } | null;
  /** The names of variables that are missing beside others that are set: a mistake. */
  readonly lacking: readonly string[];
}

export interface AlertConfig {
  readonly alerts: AlertSettings;
}

const SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const ALERT_VARIABLES = {
  OPERATOR_EMAIL: z.email().optional(),
  OPERATOR_WEBHOOK: z.url({ protocol: /^https?$/ }).optional(),
  /** Signs the webhook (Standard Webhooks). */
  OPERATOR_WEBHOOK_SECRET: z
    .string()
    .regex(SECRET, "it must read `whsec_` and 24 or more random bytes in base64")
    .optional(),
};

type Vars = { readonly [Name in keyof typeof ALERT_VARIABLES | "MAIL_FROM"]?: string | undefined };

export function alertConfig(vars: Vars): AlertConfig {
  const { OPERATOR_EMAIL: email, OPERATOR_WEBHOOK: url, OPERATOR_WEBHOOK_SECRET: secret, MAIL_FROM: from } = vars;
  const lacking = [
    ...(email && !from ? ["MAIL_FROM"] : []),
    ...(secret && !url ? ["OPERATOR_WEBHOOK"] : []),
    ...(url && !secret ? ["OPERATOR_WEBHOOK_SECRET"] : []),
  ];
  return { alerts: { email: email ?? null, webhook: url && secret ? { url, secret } : null, lacking } };
}
