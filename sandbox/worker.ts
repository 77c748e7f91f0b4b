import { SandboxState } from "./state";

interface Env {
  readonly STATE: DurableObjectNamespace;
  /** Defaults of this installation over those of `settings.ts`, as JSON. */
  readonly SETTINGS?: string;
}

export { SandboxState };

/** Everything happens in one object, so that all callers see one world and it outlives a restart. */
export default {
  fetch(request, env, context) {
    const answer = env.STATE.get(env.STATE.idFromName("sandbox")).fetch(request);
    // A platform finishes what it began, even when the caller has long hung up.
    context.waitUntil(answer.then(noop, noop));
    return answer;
  },
} satisfies ExportedHandler<Env>;

const noop = () => {};
