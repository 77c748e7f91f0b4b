import type { AppName } from "./apps.ts";
import type { AppCredentials } from "./context.ts";

/**
 * How a platform reports that a person has removed our app, or wants their data deleted. The login is over at
 * the platform by then.
 */
export interface Deauthorizing {
  /** The app registration whose secret signs. */
  readonly app: AppName;
  /**
   * `form`: at two addresses of its own, one for each report, as a form. `event`: as an event at the address
   * of the app's webhooks.
   */
  readonly by: "form" | "event";
  /** Where the addresses are entered in the platform's console, in its own words. */
  readonly settings: (app: AppCredentials) => DeauthorizationSettings;
  /**
   * Reads a report and verifies that the platform signed it for this app, in constant time. Null: it did not.
   */
  read(body: Uint8Array, headers: Headers, app: AppCredentials): Promise<Reported | null>;
}

/** With `by: "event"` both are the same. */
interface DeauthorizationSettings {
  readonly deauthorize: string;
  readonly deletion: string;
}

export type Reported =
  | ({ readonly kind: "deauthorized" } & Deauthorization)
  /** Signed by the platform, and about something else. */
  | { readonly kind: "other" };

export interface Deauthorization {
  /** The person, as the platform identifies them to our app (`GrantedAccount.login`). */
  readonly userId: string;
  /** When the platform wrote it, epoch milliseconds, exact to the second. */
  readonly issuedAt: number;
  /** What a repeat has in common with it: the text that is signed. */
  readonly signed: string;
}
