/** Answers that tests give in a platform's place: a hook answers a call, or leaves it to the sandbox. */
export type Hook = (call: {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}) => Promise<Response | null> | Response | null;

let hooks: readonly Hook[] = [];
const reach = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  if (hooks.length === 0) return reach(input, init);
  const request = new Request(input, init);
  const call = {
    method: request.method,
    url: decodeURIComponent(request.url),
    body: new TextDecoder().decode(await request.clone().arrayBuffer()),
  };
  for (const one of hooks) {
    const answer = await one(call);
    if (answer) return answer;
  }
  return reach(request);
};

/** Until `noHooks`; call it in `beforeEach`, or in a test. */
export function hook(...some: readonly Hook[]): void {
  hooks = [...hooks, ...some];
}

export function noHooks(): void {
  hooks = [];
}

export const outage = () => new Response("upstream", { status: 503 });

/** As Meta refuses a budget. */
export function refusedByMeta(message: string): Response {
  const error = {
    message,
    type: "OAuthException",
    code: 100,
    error_subcode: 2446307,
    is_transient: false,
    error_user_msg: message,
    fbtrace_id: "x",
  };
  return Response.json({ error }, { status: 400 });
}

/** As Meta throttles an ad account. */
export function throttledByMeta(seconds: number): Response {
  const error = {
    message: "There have been too many calls from this ad-account.",
    type: "OAuthException",
    code: 80004,
    error_subcode: 2446079,
    fbtrace_id: "x",
  };
  const usage = {
    type: "ads_management",
    call_count: 100,
    total_cputime: 100,
    total_time: 100,
    estimated_time_to_regain_access: seconds / 60,
  };
  return Response.json(
    { error },
    {
      status: 400,
      headers: {
        "Retry-After": String(seconds),
        "x-business-use-case-usage": JSON.stringify({ "330000000000001": [usage] }),
      },
    },
  );
}
