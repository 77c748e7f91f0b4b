import { BrandName, SupportLink } from "../../branding/brand-parts.tsx";
import { brandRules } from "../../branding/colors.ts";
import type { Brand, BrandingFields } from "../../branding/store.ts";
import { DARK, LIGHT } from "../../pages/style.ts";
import type { ProjectVisit } from "../definition.ts";
import { PageStyle } from "../page-style.tsx";
import { FieldErrors, Form, Notices, TextField, Top } from "../parts.tsx";

type Branding = BrandingFields & Pick<Brand, "logo">;
interface Shown {
  readonly visit: ProjectVisit;
  readonly branding: Branding;
}

export function BrandingPage({ visit, branding }: Shown) {
  const { branding: texts } = visit.texts;
  const path = `/console/projects/${visit.project.id}/branding`;
  return (
    <>
      <Top title={texts.title} lead={texts.lead} />
      <Notices visit={visit} />
      {visit.form.report ?? <BrandPreview visit={visit} branding={branding} />}
      <section class="card">
        <Form visit={visit} action={path}>
          <Fields visit={visit} branding={branding} />
          <div class="buttons">
            <button class="button first" type="submit" name="answer" value="save">
              {texts.save}
            </button>
            <button class="button" type="submit" name="answer" value="preview">
              {texts.showPreview}
            </button>
          </div>
        </Form>
      </section>
      <section class="card" aria-label={texts.logo}>
        <Form visit={visit} action={`${path}/logo`} attributes={{ enctype: "multipart/form-data" }}>
          <div class="field">
            <label for="logo">{texts.logo}</label>
            <input
              id="logo"
              name="logo"
              type="file"
              accept="image/png,image/jpeg,image/webp"
              aria-describedby="logo-hint"
              required
            />
            <p class="hint" id="logo-hint">
              {texts.logoHint}
            </p>
            <FieldErrors visit={visit} name="logo" />
          </div>
          <div class="buttons">
            <button class="button" type="submit">
              {texts.upload}
            </button>
          </div>
        </Form>
        {branding.logo !== null && (
          <Form visit={visit} action={`${path}/logo/remove`}>
            <div class="buttons">
              <button class="button small bad" type="submit">
                {texts.remove}
              </button>
            </div>
          </Form>
        )}
      </section>
    </>
  );
}

function Fields({ visit, branding }: Shown) {
  const { branding: texts } = visit.texts;
  const { name, color, support, returnLabel } = branding;
  return (
    <>
      <TextField
        visit={visit}
        name="name"
        label={texts.name}
        hint={texts.nameHint({ project: visit.project.name })}
        value={name ?? ""}
        input={{ maxlength: 60, autocomplete: "off" }}
      />
      <TextField
        visit={visit}
        name="color"
        label={texts.color}
        hint={texts.colorHint}
        value={color ?? ""}
        input={{ maxlength: 7, autocomplete: "off", spellcheck: "false" }}
      />
      <TextField
        visit={visit}
        name="support"
        label={texts.support}
        hint={texts.supportHint}
        value={support ?? ""}
        input={{ maxlength: 254, autocomplete: "off" }}
      />
      <TextField
        visit={visit}
        name="return_label"
        label={texts.returnLabel}
        hint={texts.returnLabelHint}
        value={returnLabel ?? ""}
        input={{ maxlength: 40, autocomplete: "off" }}
      />
    </>
  );
}

/** What users will see, with our colours where the project has none. */
export function BrandPreview({ visit, branding }: Shown) {
  const { branding: texts } = visit.texts;
  const colors = branding.color === null ? null : brandRules(branding.color);
  const rules = `.looks{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr))}
.look{display:flex;flex-direction:column;gap:12px;padding:20px;border:1px solid var(--line);border-radius:16px;background:var(--card);color:var(--ink)}
.look .brand{padding:0}
.look .plain,.look .small{text-align:center}
.look.light{${LIGHT};--link:var(--accent);${colors?.light ?? ""}}
.look.dark{${DARK};--link:var(--accent);${colors?.dark ?? ""}}`;
  return (
    <section class="card" aria-label={texts.preview}>
      <PageStyle visit={visit} rules={rules} />
      <div>
        <h2>{texts.preview}</h2>
        <p class="about">{texts.previewLead}</p>
      </div>
      <div class="looks">
        <Look visit={visit} branding={branding} scheme="light" />
        <Look visit={visit} branding={branding} scheme="dark" />
      </div>
    </section>
  );
}

function Look({ visit, branding, scheme }: Shown & { readonly scheme: "light" | "dark" }) {
  const { branding: texts } = visit.texts;
  const { logo, support, returnLabel } = branding;
  const name = branding.name ?? visit.project.name;
  return (
    <section class={`look ${scheme}`} aria-label={texts.schemes[scheme]}>
      <BrandName brand={{ name, logo, hasOwnName: branding.name !== null || logo !== null }} />
      <h3>{texts.sample.title}</h3>
      <p class="about">{texts.sample.lead({ name })}</p>
      <span class="button first" aria-hidden="true">
        {texts.sample.button}
      </span>
      <span class="plain">{returnLabel ?? texts.sample.back}</span>
      {support !== null && (
        <p class="small">
          {texts.questions} <SupportLink support={support} />
        </p>
      )}
    </section>
  );
}
