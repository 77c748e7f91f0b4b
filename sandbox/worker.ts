import { SandboxState } from "./state";

interface Env {
  readonly STATE: DurableObjectNamespace;
  /** This installation's defaults as JSON; they override those of `settings.ts`. */
  readonly SETTINGS?: string;
  /** The sandbox is closed unless this is `development`. */
  readonly ENVIRONMENT?: string;
}

export { SandboxState };

/** One Durable Object serves everything, so that all callers share one state that survives a restart. */
export default {
  fetch(request, env, context) {
    if (env.ENVIRONMENT !== "development") return new Response(CLOSED, { status: 403 });
    const answer = env.STATE.get(env.STATE.idFromName("sandbox")).fetch(request);
    // A platform completes its work even if the caller disconnects.
    context.waitUntil(answer.then(noop, noop));
    return answer;
  },
} satisfies ExportedHandler<Env>;

// Every caller can read, control and reset the shared state, and make the sandbox fetch any URL.
const CLOSED = "The sandbox is for development. It runs only if its variable ENVIRONMENT is development.\n";

const noop = () => {};
