import { DAY, HOUR } from "../core/time.ts";

/** What operators are notified of: each kind is an event of the log, with what it means and what to do. */
interface AboutAlert {
  /** A sentence about the subject. */
  readonly says: (subject: string) => string;
  readonly fix: string;
  /** The same subject is notified again after this time at the earliest; left out: six hours. */
  readonly repeatMs?: number;
}

export const ALERTS = {
  platform_blocked: {
    says: (platform) =>
      `${platform} refuses our app, its plan or credits, or the version of its API. Posts there wait, and fail in the end.`,
    fix: "Run `npm run doctor -- --remote`, and check the app, its plan and its credits at the platform. Posts wait a day for credits.",
    repeatMs: DAY,
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

const USUAL_REPEAT_MS = 6 * HOUR;

/** The same kind and subject are notified again after this time at the earliest. */
export function repeatMsOf(kind: AlertKind): number {
  const about: AboutAlert = ALERTS[kind];
  return about.repeatMs ?? USUAL_REPEAT_MS;
}

/** How operators are notified. */
export type AlertWay = "email" | "webhook";
