/** Every permission a token can carry: the service's own list, which Node reads as it stands. */
export async function listPermissions() {
  const { PERMISSIONS } = await import("../../src/core/permissions.ts");
  return PERMISSIONS;
}
