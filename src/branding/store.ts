import { eq } from "drizzle-orm";
import { selectProject } from "../accounts/store.ts";
import type { ProjectId } from "../core/ids.ts";
import { type Db, readTogether } from "../db/client.ts";
import { brandingsTable } from "./table.ts";

/** How the pages for a project's own users look. */
export interface Brand {
  /** The project's name, or the one that its owner has chosen for these pages. */
  readonly name: string;
  /** Whether the owner has chosen a name or a logo: then they replace ours. */
  readonly hasOwnName: boolean;
  /** The address of the logo. */
  readonly logo: string | null;
  readonly color: string | null;
  readonly support: string | null;
  readonly returnLabel: string | null;
}

/** What an owner sets, without the logo. */
export interface BrandingFields {
  readonly name: string | null;
  readonly color: string | null;
  readonly support: string | null;
  readonly returnLabel: string | null;
}

const LOGO_PATH = "/brand/";

/** What `toBrand` needs, for a batch. */
export function selectBrand(db: Db, projectId: ProjectId) {
  return { project: selectProject(db, projectId), branding: selectBranding(db, projectId) };
}

function selectBranding(db: Db, projectId: ProjectId) {
  return db
    .select({
      name: brandingsTable.name,
      color: brandingsTable.color,
      support: brandingsTable.support,
      returnLabel: brandingsTable.returnLabel,
      logoName: brandingsTable.logoName,
    })
    .from(brandingsTable)
    .where(eq(brandingsTable.projectId, projectId));
}

type Rows = { readonly [K in keyof ReturnType<typeof selectBrand>]: Awaited<ReturnType<typeof selectBrand>[K]> };

/** Null if the project does not exist. */
export function toBrand({ project: [project], branding: [branding] }: Rows): Brand | null {
  if (!project) return null;
  const { name = null, logoName = null, color = null, support = null, returnLabel = null } = branding ?? {};
  return {
    name: name ?? project.name,
    hasOwnName: name !== null || logoName !== null,
    logo: logoName === null ? null : `${LOGO_PATH}${logoName}`,
    color,
    support,
    returnLabel,
  };
}

/** Null if the project does not exist. One D1 call. */
export async function findBrand(db: Db, projectId: ProjectId): Promise<Brand | null> {
  return toBrand(await readTogether(db, selectBrand(db, projectId)));
}

/** What the owner has set; the address of the logo with it. */
export async function findBranding(db: Db, projectId: ProjectId): Promise<BrandingFields & Pick<Brand, "logo">> {
  const [row] = await selectBranding(db, projectId);
  const { name = null, color = null, support = null, returnLabel = null, logoName = null } = row ?? {};
  return { name, color, support, returnLabel, logo: logoName === null ? null : `${LOGO_PATH}${logoName}` };
}

export async function saveBranding(db: Db, projectId: ProjectId, fields: BrandingFields, now: number): Promise<void> {
  await db
    .insert(brandingsTable)
    .values({ projectId, ...fields, updatedAt: now })
    .onConflictDoUpdate({ target: brandingsTable.projectId, set: { ...fields, updatedAt: now } });
}

/** Replaces the logo, or removes it. */
export async function saveLogo(
  db: Db,
  projectId: ProjectId,
  logo: { readonly name: string; readonly base64: string } | null,
  now: number,
): Promise<void> {
  const change = { logoName: logo?.name ?? null, logo: logo?.base64 ?? null, updatedAt: now };
  await db
    .insert(brandingsTable)
    .values({ projectId, ...change })
    .onConflictDoUpdate({ target: brandingsTable.projectId, set: change });
}

/** The bytes of a logo, as base64, by the name in its address. */
export async function findLogo(db: Db, logoName: string): Promise<string | null> {
  const named = eq(brandingsTable.logoName, logoName);
  const [row] = await db.select({ logo: brandingsTable.logo }).from(brandingsTable).where(named).limit(1);
  return row?.logo ?? null;
}

/** The logo of a project with the name in its address; null if it has none. */
export async function findLogoOf(db: Db, projectId: ProjectId) {
  const ofProject = eq(brandingsTable.projectId, projectId);
  const [row] = await db
    .select({ name: brandingsTable.logoName, base64: brandingsTable.logo })
    .from(brandingsTable)
    .where(ofProject);
  return row?.name && row.base64 ? { name: row.name, base64: row.base64 } : null;
}
