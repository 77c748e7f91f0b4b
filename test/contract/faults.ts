import type { FailureCode } from "../../src/core/failures.ts";
import { hasMedia, hasVideo, type Shape } from "./shapes.ts";

/** What the suite has the sandbox do to a post on its way, and how the post must end. Pure. */
export type Operation = "token" | "publish" | "upload" | "status" | "delete";
export type FaultKind =
  | "error"
  | "slow"
  | "rate_limit"
  | "accept_then_drop"
  | "accept_then_error"
  | "expire_token"
  | "revoke_token"
  | "reject_media"
  | "processing_failed";

export interface Fault {
  readonly operation: Operation;
  readonly kind: FaultKind;
  readonly times: number;
}

/**
 * How a post ends: `published` (where nothing shows whether the call arrived, `published or in doubt`),
 * `failed` with a reason and nothing live, or `either`, as long as what it says is true.
 */
export type End = "published" | "published or unconfirmed" | "failed" | "either";

export interface FaultCase {
  /** Says what happens, after the shape's name. */
  readonly sentence: string;
  readonly faults: readonly Fault[];
  readonly end: End;
  /** Of a post that must fail. */
  readonly code?: FailureCode;
  /** Whether the faults must have met their calls: every post is published, and every file uploaded. */
  readonly mustStrike: boolean;
}

/** How often: a number, or once for every item of the post. */
const PASSING: readonly (readonly [Operation, FaultKind, times: number | "each"])[] = [
  ["publish", "error", 1],
  ["publish", "slow", "each"],
  ["publish", "rate_limit", 2],
  ["publish", "accept_then_drop", "each"],
  ["publish", "accept_then_error", "each"],
  ["upload", "error", 2],
  ["upload", "slow", 1],
  ["upload", "rate_limit", 2],
  ["upload", "accept_then_drop", 1],
  ["upload", "accept_then_drop", 3],
  ["upload", "accept_then_error", 1],
  ["status", "error", 2],
  ["status", "rate_limit", 2],
  ["status", "accept_then_drop", 2],
];

const FOREVER = 1_000;

interface Handling {
  /** The platform fetches its files as it publishes it. */
  readonly isFetched?: boolean | undefined;
  /** The processing of a video cannot be seen. */
  readonly isProcessingHidden?: boolean | undefined;
}

/** Everything that can happen to a post of this shape. */
export function faultCasesOf(shape: Shape, handling: Handling = {}): FaultCase[] {
  const meant = PASSING.filter(([operation]) => operation !== "upload" || hasMedia(shape));
  const passing = meant.map(([operation, kind, often]) => {
    const times = often === "each" ? shape.items.length : often;
    const sentence = `is live once although ${operation} meets ${kind} (${times})`;
    // Nothing was done, and nothing says so.
    const end: End = operation === "publish" && kind === "error" ? "published or unconfirmed" : "published";
    return { sentence, faults: [{ operation, kind, times }], end, mustStrike: operation !== "status" };
  });
  return [...passing, ...lasting(shape, handling)];
}

function lasting(shape: Shape, { isFetched = false, isProcessingHidden = false }: Handling): FaultCase[] {
  const failing = (operation: Operation, kind: FaultKind, code: FailureCode, sentence: string): FaultCase => ({
    sentence,
    faults: [{ operation, kind, times: FOREVER }],
    end: "failed",
    code,
    mustStrike: false,
  });
  return [
    failing(
      "publish",
      "error",
      "may_be_published",
      "fails with a reason when publishing never works, and nothing is live",
    ),
    {
      sentence: "is live once or reported as unconfirmed when publishing works and the look-up does not",
      faults: [
        { operation: "status", kind: "error", times: FOREVER },
        { operation: "publish", kind: "accept_then_drop", times: 1 },
      ],
      end: "either",
      mustStrike: false,
    },
    ...(hasMedia(shape)
      ? [
          failing(
            isFetched ? "publish" : "upload",
            "reject_media",
            "media_invalid",
            "fails with a reason when the media are refused",
          ),
        ]
      : []),
    ...(hasMedia(shape)
      ? [failing("upload", "error", "platform_down", "fails with a reason when uploading never works")]
      : []),
    ...(hasVideo(shape) && !isProcessingHidden
      ? [
          failing(
            "upload",
            "processing_failed",
            "media_invalid",
            "fails with a reason when the video cannot be processed",
          ),
        ]
      : []),
  ];
}

/** The operations of the platform that such a post surely meets. */
export function operationsOf(shape: Shape, { isProcessingHidden = false }: Handling = {}): readonly Operation[] {
  const upload = hasMedia(shape) ? (["upload"] as const) : [];
  return ["publish", ...upload, ...(hasVideo(shape) && !isProcessingHidden ? (["status"] as const) : [])];
}
