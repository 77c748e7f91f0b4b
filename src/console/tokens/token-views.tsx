import type { selectTokens } from "../../accounts/store.ts";
import { isValid } from "../../accounts/tokens.ts";
import { PERMISSIONS, type Permission } from "../../core/permissions.ts";
import { addDays, localDate } from "../../core/time.ts";
import { includesRole } from "../../people/roles.ts";
import type { ProjectVisit } from "../definition.ts";
import { ObjectList } from "../lists.tsx";
import { Confirm, Form, fieldValue, Notices, Secret, SubmitOrCancel, TextField, Time, Top } from "../parts.tsx";
import { taskOf } from "./permission-sets.ts";
import { ExpiryFields, PermissionFields } from "./token-fields.tsx";

type Token = Awaited<ReturnType<typeof selectTokens>>[number];

export function TokenList({ visit, tokens }: { readonly visit: ProjectVisit; readonly tokens: readonly Token[] }) {
  const { tokens: texts } = visit.texts;
  const isOwner = includesRole(visit.role, "owner");
  const valid = tokens.filter((token) => isValid(token, visit.now));
  const past = tokens.filter((token) => !isValid(token, visit.now));
  const createAt = isOwner ? `/console/projects/${visit.project.id}/tokens/new` : null;
  return (
    <>
      <ObjectList visit={visit} icon="key" texts={texts} createAt={createAt} isEmpty={valid.length === 0}>
        {valid.map((token) => (
          <TokenRow visit={visit} token={token} canRevoke={isOwner} />
        ))}
      </ObjectList>
      {past.length > 0 && (
        <details class="past">
          <summary>{texts.past({ count: past.length })}</summary>
          <ul class="card flush items">
            {past.map((token) => (
              <TokenRow visit={visit} token={token} canRevoke={false} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function TokenRow(row: { readonly visit: ProjectVisit; readonly token: Token; readonly canRevoke: boolean }) {
  const { visit, token } = row;
  const { tokens: texts, form } = visit.texts;
  const { timeZone: zone, id } = visit.project;
  const task = taskOf(token.permissions);
  return (
    <li>
      <div class="what">
        <span class="name">{token.name}</span>
        <span class="facts">
          <code>{token.hint}</code>
          {token.moneyNeedsPerson && <span>{texts.moneyPerson}</span>}
          <span title={token.permissions.join(", ")}>
            <b>{task ? texts.tasks[task].title : texts.permissionCount({ count: token.permissions.length })}</b>
          </span>
        </span>
        <span class="facts">
          <span>
            {texts.columns.created} <Time at={token.createdAt} zone={zone} visit={visit} />{" "}
            {texts.by({ creator: token.createdBy ?? texts.operator })}
          </span>
          <span>
            {texts.columns.lastUsed}:{" "}
            {token.lastUsedAt === null ? texts.notUsed : <Time at={token.lastUsedAt} zone={zone} visit={visit} />}
          </span>
          <span>
            {texts.columns.expires}:{" "}
            {token.expiresAt === null ? form.never : <Time at={token.expiresAt} zone={zone} visit={visit} />}
          </span>
        </span>
      </div>
      {row.canRevoke && (
        <Confirm
          visit={visit}
          id={`revoke-${token.id}`}
          button={texts.revoke}
          title={texts.revokeTitle({ name: token.name })}
          lead={texts.revokeLead}
          action={`/console/projects/${id}/tokens/${token.id}/revoke`}
        />
      )}
      {!isValid(token, visit.now) && (
        <span class="kind off">{token.revokedAt === null ? texts.expired : texts.revoked}</span>
      )}
    </li>
  );
}

export function NewTokenForm({ visit }: { readonly visit: ProjectVisit }) {
  const { tokens: texts } = visit.texts;
  const { id, timeZone } = visit.project;
  const tokensPath = `/console/projects/${id}/tokens`;
  const tomorrow = addDays(localDate(visit.now, timeZone), 1);
  return (
    <>
      <Top title={texts.createTitle} lead={texts.createLead} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={tokensPath}>
          <TextField
            visit={visit}
            name="name"
            label={texts.fields.name}
            hint={texts.fields.nameHint}
            input={{ maxlength: 100, required: true, autocomplete: "off" }}
          />
          <PermissionFields visit={visit} task="publish" offered={PERMISSIONS} />
          <ExpiryFields visit={visit} expiries={["never", "days", "date"]} days={30} />
          <TextField
            visit={visit}
            name="date"
            label={texts.date}
            hint={texts.dateHint({ zone: timeZone })}
            type="date"
            value={tomorrow}
            class="only date"
            input={{ min: localDate(visit.now, timeZone) }}
          />
          <MoneyField visit={visit} />
          <SubmitOrCancel visit={visit} submit={texts.create} cancel={tokensPath} />
        </Form>
      </section>
    </>
  );
}

/** For a token that an agent gets by hand: those of a sign-in have it always. */
function MoneyField({ visit }: { readonly visit: ProjectVisit }) {
  const { tokens: texts } = visit.texts;
  return (
    <label class="choice">
      <input type="checkbox" name="money" value="person" checked={fieldValue(visit, "money") === "person"} />
      <span class="what">
        <span class="name">{texts.fields.moneyPerson}</span>
        <span class="about">{texts.fields.moneyPersonHint}</span>
      </span>
    </label>
  );
}

interface CreatedToken {
  readonly visit: ProjectVisit;
  readonly token: string;
  readonly permissions: readonly Permission[];
}

/** Shown once, by the sealed cookie of the action. */
export function CreatedToken({ visit, token, permissions }: CreatedToken) {
  const { created } = visit.texts.tokens;
  return (
    <>
      <Top title={created.title} lead={created.lead} />
      <section class="card">
        <h2>{visit.flash?.notice}</h2>
        <Secret visit={visit} id="token" label={created.token} text={token} />
        <Secret visit={visit} id="curl" label={created.curl} text={curlFor(visit.origin, token, permissions)} />
        <div class="buttons">
          <a class="button first" href={`/console/projects/${visit.project.id}/tokens`}>
            {created.done}
          </a>
        </div>
      </section>
    </>
  );
}

/** A call that the token may make: the channels of the project, or what every token may read. */
function curlFor(origin: string, token: string, permissions: readonly Permission[]): string {
  const canRead = permissions.includes("social-read-posts") || permissions.includes("add-channels");
  const path = canRead ? "get-channels" : "platforms";
  return `curl '${origin}/api/v1/social/${path}' -H 'Authorization: Bearer ${token}'`;
}
