import { z } from "zod";

/** Our registration at an OpenID Connect provider, for the console's sign-in (people/provider.ts). */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
}

export interface ProviderConfig {
  /** Null if it is not, or not fully, configured. */
  readonly provider: ProviderSettings | null;
  /** The names of variables that are missing beside others that are set: a mistake. */
  readonly providerLacking: readonly string[];
}

export const PROVIDER_VARIABLES = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "it must be the issuer's address, such as https://id.example.com" })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** As the sign-in page names it; the issuer's host if it is not set. */
  OIDC_NAME: z.string().max(60).optional(),
};

type Vars = { readonly [Name in keyof typeof PROVIDER_VARIABLES]?: string | undefined };

export function providerConfig(vars: Vars): ProviderConfig {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = vars;
  if (issuer && clientId && clientSecret) {
    return { provider: { issuer, clientId, clientSecret, name: name ?? new URL(issuer).host }, providerLacking: [] };
  }
  const needed = Object.entries({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret });
  const missing = needed.flatMap(([variable, value]) => (value ? [] : [variable]));
  const isMeant = missing.length < needed.length || name !== undefined;
  return { provider: null, providerLacking: isMeant ? missing : [] };
}
