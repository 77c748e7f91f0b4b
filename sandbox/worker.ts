import { SandboxState } from "./state";

interface Env {
  readonly STATE: DurableObjectNamespace;
  /** Defaults of this installation over those of `settings.ts`, as JSON. */
  readonly SETTINGS?: string;
  /** Anything but `development`: closed. */
  readonly ENVIRONMENT?: string;
}

export { SandboxState };

/** Everything happens in one object, so that all callers see one world and it outlives a restart. */
export default {
  fetch(request, env, context) {
    if (env.ENVIRONMENT !== "development") return new Response(CLOSED, { status: 403 });
    const answer = env.STATE.get(env.STATE.idFromName("sandbox")).fetch(request);
    // A platform finishes what it began, even when the caller has long hung up.
    context.waitUntil(answer.then(noop, noop));
    return answer;
  },
} satisfies ExportedHandler<Env>;

// Whoever reaches it may read, steer and reset it, all callers share its one world, and it fetches what it is
// told to.
const CLOSED = "The sandbox is for development. It opens only where its variable ENVIRONMENT is development.\n";

const noop = () => {};
