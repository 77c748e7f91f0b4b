import { listMissedRules } from "../../alerts/missed-rules.ts";
import type { MissedRule } from "../../alerts/table.ts";
import { DAY } from "../../core/time.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { inEach } from "../../service/deps.ts";
import { operatorPage, type PersonVisit } from "../definition.ts";
import { DataTable } from "../lists.tsx";
import { Empty, Time } from "../parts.tsx";
import { OperatorPage } from "./operator-parts.tsx";

/** Refusals of posts that our rules had let pass: what the operator compares with the platforms' pages. */

const SHOWN = 200;
const SHOWN_MS = 90 * DAY;

export const rulesPage = operatorPage({
  path: "/operator/rules",
  title: ({ operator }) => operator.rules.title,
  load: async ({ deps, now }) => {
    const found = await Promise.all(inEach(deps).map(({ db }) => listMissedRules(db, now - SHOWN_MS, SHOWN)));
    return {
      missed: found
        .flat()
        .toSorted((a, b) => b.lastAt - a.lastAt)
        .slice(0, SHOWN),
    };
  },
  view: ({ missed }, visit) => <Rules visit={visit} missed={missed} />,
});

function Rules({ visit, missed }: { readonly visit: PersonVisit; readonly missed: readonly MissedRule[] }) {
  const { rules: texts } = visit.texts.operator;
  const { columns } = texts;
  return (
    <OperatorPage visit={visit} room="rules" title={texts.title} lead={texts.lead}>
      {missed.length === 0 ? (
        <Empty icon="check" title={texts.empty} lead={texts.emptyLead} />
      ) : (
        <DataTable
          caption={texts.title}
          columns={[
            { title: columns.platform },
            { title: columns.words },
            { title: columns.call },
            { title: columns.code },
            { title: columns.count, isNumber: true },
            { title: columns.last },
          ]}
          rows={missed.map(({ platform, words, operation, code, platformCode, count, lastAt }) => [
            platformTitle(platform),
            words,
            <code>{operation}</code>,
            <>
              <code>{code}</code>
              {platformCode !== "" && (
                <>
                  <br />
                  <code class="about">{platformCode}</code>
                </>
              )}
            </>,
            String(count),
            <Time at={lastAt} zone="UTC" visit={visit} />,
          ])}
        />
      )}
    </OperatorPage>
  );
}
