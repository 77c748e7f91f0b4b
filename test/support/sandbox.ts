import { env } from "cloudflare:workers";
import { createControl } from "./control.ts";

export type { LivePost } from "./control.ts";

/** The sandbox beside the Worker under test. */
export const SANDBOX = "http://sandbox.test";

export const sandbox = createControl((request) => env.SANDBOX.fetch(request), SANDBOX);

/** The public address of a sample file. */
export const media = (name: string) => sandbox.media(name).replace("http:", "https:");
