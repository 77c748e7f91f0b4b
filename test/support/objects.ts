import { runInDurableObject } from "cloudflare:test";

/**
 * Has an object end, as when the runtime moves it: the next call meets a new one, which knows only what was
 * stored. The stub ends with it.
 */
export async function restart(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_, state) => state.abort("the test restarts it")).catch(() => {});
}
