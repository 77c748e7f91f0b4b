import { approval } from "./approval.ts";
import { channels } from "./channels.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { posts } from "./posts.ts";
import { signIn } from "./sign-in.ts";

/** Every text of the console in English, a file for each room. Other languages have the same shape. */
export const en = { ...frame, ...signIn, home, posts, channels, approval };
