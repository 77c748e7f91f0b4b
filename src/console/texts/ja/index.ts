import { frame } from "./frame.ts";
import { signIn } from "./sign-in.ts";

export const ja = { ...frame, ...signIn };
