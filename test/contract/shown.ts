import { advance } from "../support/clock.ts";
import { IS_CALM } from "./sample.ts";

/** A calm platform shows at once what it has accepted; in production it may take this long. */
const SHOWN_MS = IS_CALM ? 0 : 10_000;

export const untilAllIsShown = () => advance(SHOWN_MS);
