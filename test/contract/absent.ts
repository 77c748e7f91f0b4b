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
  const own = Object.getOwnPropertyDescriptor(group, capability);
  Reflect.deleteProperty(group, capability);
  try {
    await run();
  } finally {
    if (own) Object.defineProperty(group, capability, own);
  }
}
