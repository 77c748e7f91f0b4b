import { callJson } from "./http.mjs";

/** The sandbox's own record and its switches (`/_control`). */
export function sandboxControl(origin) {
  const call = async (method, path, body) => {
    const answer = await callJson(method, `${origin}/_control${path}`, { body });
    if (answer.status >= 300)
      throw new Error(`The sandbox answered ${answer.status}: ${answer.body?.message ?? answer.body}`);
    return answer.body;
  };
  return {
    posts: () => call("GET", "/posts"),
    /** The faults that no call has met yet. */
    faults: () => call("GET", "/faults"),
    fault: (fault) => call("POST", "/faults", fault),
    /** Changes the named ones of sandbox/settings.ts. */
    settings: (changes) => call("POST", "/settings", changes),
    /** A sample file that the sandbox serves. */
    media: (name) => `${origin}/_media/${name}`,
  };
}
