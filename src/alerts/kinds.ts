/** What operators are notified of: each kind is an event of the log, with what it means and what to do. */
interface AboutAlert {
  /** A sentence about the subject. */
  readonly says: (subject: string) => string;
  readonly fix: string;
}

export const ALERTS = {
  platform_blocked: {
    says: (platform) => `${platform} refuses our app, its plan, or the version of its API. Posts there wait.`,
    fix: "Run `npm run doctor -- --remote`, and check the app at the platform.",
  },
  message_dead_lettered: {
    says: (kind) => `A queue gave up a message of the kind ${kind} after several errors. Its job is tried again.`,
    fix: "Check *Failing jobs* of the operator's pages, and `delivery_failed` in the log.",
  },
  sweep_failed: {
    says: (part) => `The part ${part} of the minute sweep failed.`,
    fix: "Check `sweep_failed` in the log. A single failure is repaired by the next sweep.",
  },
  tokens_of_unknown_key: {
    says: () => "Access tokens are refused, because the key that signed them is unknown.",
    fix: "Add the SIGNING_KEY that signed them to SIGNING_KEYS_OLD.",
  },
} as const satisfies Readonly<Record<string, AboutAlert>>;

export type AlertKind = keyof typeof ALERTS;

/** How operators are notified. */
export type AlertWay = "email" | "webhook";
