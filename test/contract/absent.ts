/**
 * Runs while an adapter lacks an optional capability, as one that never had it: what the service then does is
 * asserted of every platform, whether it has the capability or not.
 */
export async function without<T extends object>(
  group: T | undefined,
  capability: keyof T,
  run: () => Promise<void>,
): Promise<void> {
  if (!group) throw new Error(`There is no group to take ${String(capability)} from.`);
  const own = Object.getOwnPropertyDescriptors(group);
  Reflect.deleteProperty(group, capability);
  try {
    await run();
  } finally {
    // All of them again, because the order of platforms matters.
    for (const name of Reflect.ownKeys(own)) Reflect.deleteProperty(group, name);
    Object.defineProperties(group, own);
  }
}
