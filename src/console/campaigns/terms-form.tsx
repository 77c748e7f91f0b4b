import type { AdAccess } from "../../boosts/ad-account.ts";
import { listAdAccounts, listCountries } from "../../boosts/estimate.ts";
import type { AdAccount, Country, Objective } from "../../platforms/advertising.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select, TextArea } from "../form-fields.tsx";
import { ChoiceList, FieldErrors, Form, fieldValue, fieldValues, TextField } from "../parts.tsx";
import { interestIn } from "./campaign-form.ts";

/** The fields of create-campaign and update-campaign. */

/** What the platform offers for a campaign of this channel. */
export interface Offer {
  /** The ad accounts to choose from; null for an existing campaign, which keeps its own. */
  readonly accounts: readonly AdAccount[] | null;
  readonly countries: readonly Country[];
  readonly objectives: readonly Objective[];
}

/** For a new campaign. The countries are those of the first account that can be used. */
export async function offerOf(advertiser: AdAccess): Promise<Offer> {
  const accounts = await listAdAccounts(advertiser);
  const usable = accounts.find(({ problem }) => problem === null);
  const countries = usable ? await listCountries(advertiser, usable.id) : [];
  return { accounts, countries, objectives: advertiser.ads.objectives };
}

interface TermsForm {
  readonly visit: ProjectVisit;
  readonly action: string;
  readonly offer: Offer;
  /** Hidden fields. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The values of an existing campaign. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}

export function TermsForm({ visit, action, offer, hidden, values = {} }: TermsForm) {
  const { fields: texts, estimate } = visit.texts.campaigns;
  const { form } = visit.texts;
  const initial = (name: string, standard = "") => values[name]?.[0] ?? standard;
  const budgetType = fieldValue(visit, "duration_type", initial("duration_type", "lifetime_budget"));
  return (
    <section class="card" id="terms">
      <Form visit={visit} action={action}>
        {Object.entries(hidden).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {offer.accounts && <Accounts visit={visit} accounts={offer.accounts} />}
        <fieldset class="field">
          <legend>{texts.budgetType}</legend>
          <ChoiceList
            name="duration_type"
            options={(["lifetime_budget", "daily_budget"] as const).map((value) => ({
              value,
              ...texts.budgetTypes[value],
            }))}
            chosen={budgetType}
          />
          <FieldErrors visit={visit} name="duration_type" />
        </fieldset>
        <div class="row">
          <TextField
            visit={visit}
            name="budget"
            label={texts.budget}
            value={initial("budget")}
            input={{ required: true, inputmode: "decimal", autocomplete: "off" }}
          />
          <TextField
            visit={visit}
            name="duration"
            label={texts.duration}
            type="number"
            value={initial("duration", "7")}
            input={{ required: true, min: 1, max: 365 }}
          />
        </div>
        <p class="hint">{texts.budgetHint}</p>
        <Countries visit={visit} countries={offer.countries} chosen={values.countries ?? []} />
        <Select
          visit={visit}
          name="campaign_objective"
          label={texts.objective}
          value={initial("campaign_objective")}
          options={[
            ...(offer.accounts ? [{ value: "", text: texts.standard }] : []),
            ...offer.objectives.map((value) => ({ value, text: texts.objectives[value] })),
          ]}
        />
        <Interests visit={visit} chosen={values.interests ?? []} />
        <details open={fieldValue(visit, "audience", initial("audience")) !== ""}>
          <summary class="name">{texts.more}</summary>
          <div class="inside">
            <TextArea
              visit={visit}
              name="audience"
              label={`${texts.audience} (${form.optional})`}
              hint={texts.audienceHint}
              value={initial("audience")}
            />
            {offer.accounts && (
              <TextField
                visit={visit}
                name="name"
                label={`${texts.name} (${form.optional})`}
                hint={texts.nameHint}
                input={{ maxlength: 255, autocomplete: "off" }}
              />
            )}
            <TextField
              visit={visit}
              name="boost_type"
              label={`${texts.boostType} (${form.optional})`}
              hint={texts.boostTypeHint}
              value={initial("boost_type")}
              input={{ maxlength: 64, autocomplete: "off" }}
            />
          </div>
        </details>
        <div class="buttons">
          <button class="button first" type="submit" name="act" value="estimate">
            {estimate.button}
          </button>
        </div>
      </Form>
    </section>
  );
}

function Accounts({ visit, accounts }: { readonly visit: ProjectVisit; readonly accounts: readonly AdAccount[] }) {
  const { fields: texts } = visit.texts.campaigns;
  const usable = accounts.filter(({ problem }) => problem === null);
  const unusable = accounts.filter(({ problem }) => problem !== null);
  return (
    <div>
      <Select
        visit={visit}
        name="ad_account_id"
        label={texts.account}
        hint={texts.accountHint}
        options={usable.map(({ id, name, currency }) => ({ value: id, text: `${name} (${currency})` }))}
      />
      {unusable.map(({ name, problem }) => (
        <p class="hint">
          {name}: {problem}
        </p>
      ))}
    </div>
  );
}

interface Countries {
  readonly visit: ProjectVisit;
  readonly countries: readonly Country[];
  readonly chosen: readonly string[];
}

/** A native list with multiple choice: hundreds of checkboxes would make the page large. */
function Countries({ visit, countries, chosen }: Countries) {
  const { fields: texts } = visit.texts.campaigns;
  const selected = fieldValues(visit, "countries") ?? chosen;
  const names = new Intl.DisplayNames(visit.language, { type: "region", fallback: "none" });
  const listed = countries
    .map(({ code, name }) => ({ code, name: names.of(code) ?? name }))
    .sort((one, other) => one.name.localeCompare(other.name, visit.language));
  return (
    <div class="field">
      <label for="countries">{texts.countries}</label>
      <select
        id="countries"
        name="countries"
        multiple
        size={8}
        required
        aria-describedby="countries-hint"
        aria-invalid={visit.form.errors.countries ? "true" : undefined}
      >
        {listed.map(({ code, name }) => (
          <option value={code} selected={selected.includes(code)}>
            {name}
          </option>
        ))}
      </select>
      <p class="hint" id="countries-hint">
        {texts.countriesHint}
      </p>
      <FieldErrors visit={visit} name="countries" />
    </div>
  );
}

/** The chosen interests, and those that a search has found. */
function Interests({ visit, chosen }: { readonly visit: ProjectVisit; readonly chosen: readonly string[] }) {
  const { fields: texts } = visit.texts.campaigns;
  const selected = fieldValues(visit, "interests") ?? chosen;
  const found = fieldValues(visit, "found");
  const shown = [...new Set([...selected, ...(found ?? [])])];
  return (
    <fieldset class="field">
      <legend>
        {visit.texts.campaigns.interests} ({visit.texts.form.optional})
      </legend>
      <div class="row">
        <TextField
          visit={visit}
          name="interest_words"
          label={texts.search}
          input={{ autocomplete: "off", maxlength: 100 }}
        />
        <button class="button" type="submit" name="act" value="interests" formnovalidate>
          {texts.searchButton}
        </button>
      </div>
      {visit.form.fields.found !== undefined && found?.length === 0 && <p class="hint">{texts.noneFound}</p>}
      <ChoiceList
        name="interests"
        options={shown.map((value) => ({ value, title: interestIn(value)?.name ?? value }))}
        chosen={selected}
        isSmall
      />
      <FieldErrors visit={visit} name="interests" />
    </fieldset>
  );
}
