import { z } from "zod";
import { colorProblem } from "../../branding/colors.ts";
import { readLogo } from "../../branding/logo.ts";
import { findBranding, saveBranding, saveLogo } from "../../branding/store.ts";
import type { Texts } from "../../pages/texts.ts";
import { type Entry, FormProblem, projectAction, projectPage } from "../definition.ts";
import { checks, field, NoFields } from "../fields.ts";
import { BrandingPage, BrandPreview } from "./branding-views.tsx";

/** The look of the pages for a project's own users. */

const PATH = "/projects/:project/branding";

const brandingPage = projectPage({
  path: PATH,
  role: "owner",
  menu: { title: ({ branding }) => branding.title, icon: "settings" },
  title: ({ branding }) => branding.title,
  load: async ({ deps, project }) => findBranding(deps.db, project.id),
  view: (branding, visit) => <BrandingPage visit={visit} branding={branding} />,
});

/** Empty becomes null. */
const optional = (max: number) =>
  field(
    z
      .string()
      .max(max, checks.tooLong({ max: String(max) }))
      .refine((text) => !/\p{Cc}/u.test(text), checks.oneLine)
      .transform((text) => (text === "" ? null : text)),
  );

const BrandingForm = ({ branding }: Texts) =>
  z.object({
    name: optional(60),
    color: field(z.string().toLowerCase()).transform((text, context) => {
      if (text === "") return null;
      const color = /^#?[0-9a-f]{6}$/.test(text) ? `#${text.replace("#", "")}` : null;
      const problem = color === null ? null : colorProblem(color);
      if (color !== null && problem === null) return color;
      const message = problem
        ? branding.lowContrast({ scheme: problem.scheme, ratio: problem.ratio.toFixed(1), nearest: problem.nearest })
        : branding.badColor;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }),
    support: optional(254).refine((text) => text === null || isSupportAddress(text), branding.badSupport),
    return_label: optional(40),
    answer: field(z.string()),
  });

function isSupportAddress(text: string): boolean {
  if (z.email().safeParse(text).success) return true;
  const url = URL.parse(text);
  return url !== null && text.startsWith("https://") && url.username === "" && url.password === "";
}

const saveAction = projectAction({
  effect: "sets",
  path: PATH,
  page: PATH,
  role: "owner",
  body: BrandingForm,
  run: async (visit, { answer, return_label: returnLabel, ...form }) => {
    const { deps, project, texts, now } = visit;
    const branding = { ...form, returnLabel };
    if (answer === "preview") {
      const { logo } = await findBranding(deps.db, project.id);
      const report = <BrandPreview visit={visit} branding={{ ...branding, logo }} />;
      const entered = { ...form, return_label: returnLabel };
      const fields = Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, [value ?? ""]]));
      return { status: 200, again: { fields, problem: null, errors: {}, report } };
    }
    await saveBranding(deps.db, project.id, branding, now);
    return { to: `/console/projects/${project.id}/branding`, flash: { notice: texts.branding.saved } };
  },
});

const logoAction = projectAction({
  effect: "sets",
  path: `${PATH}/logo`,
  page: PATH,
  role: "owner",
  takesFile: true,
  body: () => NoFields,
  run: async ({ deps, project, texts: { branding }, file, now }) => {
    if (!file) throw new FormProblem({ logo: [branding.noLogo] });
    const read = await readLogo(file);
    if (read.kind !== "logo") throw new FormProblem({ logo: [branding.logoProblems[read.kind]] });
    await saveLogo(deps.db, project.id, read, now);
    return { to: `/console/projects/${project.id}/branding`, flash: { notice: branding.logoSaved } };
  },
});

const removeLogoAction = projectAction({
  effect: "sets",
  path: `${PATH}/logo/remove`,
  page: PATH,
  role: "owner",
  body: () => NoFields,
  run: async ({ deps, project, texts, now }) => {
    await saveLogo(deps.db, project.id, null, now);
    return { to: `/console/projects/${project.id}/branding`, flash: { notice: texts.branding.logoRemoved } };
  },
});

export const BRANDING: readonly Entry[] = [brandingPage, saveAction, logoAction, removeLogoAction];
