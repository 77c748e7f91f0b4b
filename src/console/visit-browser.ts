/** What is known of the browser of a visit. */
export interface VisitBrowser {
  readonly hash: string;
  /** The cookie of its session, which may have ended. */
  readonly session: string | null;
  /** That it has signed in to an account before; null if it has not. */
  readonly proof: string | null;
  /** The sign-in that it began at the provider, sealed. */
  readonly begun: string | null;
  readonly device: string;
  readonly place: string;
  /** Of the network; empty if unknown. */
  readonly address: string;
}
