import { countBad, type Finding, type Section } from "../../doctor/finding.ts";
import {
  alertsOf,
  appsOf,
  bannersOf,
  deploymentOf,
  missedRulesOf,
  modelsOf,
  signInOf,
  storageOf,
  versionsOf,
} from "../../doctor/findings.ts";
import { reportOf } from "../../doctor/report.ts";
import { operatorPage, type PersonVisit } from "../definition.ts";
import { State, type StateKind } from "../lists.tsx";
import { OperatorPage } from "./operator-parts.tsx";

/** The checks of `npm run doctor` that the service can make itself, in its words: in English. */
export const doctorPage = operatorPage({
  path: "/operator",
  title: ({ operator }) => operator.doctor.title,
  load: async ({ deps, origin }) => {
    const report = await reportOf(deps, origin);
    return {
      sections: [
        deploymentOf(report, origin),
        storageOf(report, "remote"),
        bannersOf(report, "remote"),
        modelsOf(report),
        signInOf(report),
        alertsOf(report),
        versionsOf(report),
        missedRulesOf(report),
        ...appsOf(report),
      ],
    };
  },
  view: ({ sections }, visit) => <Doctor visit={visit} sections={sections} />,
});

const KINDS: Readonly<Record<Finding["kind"], StateKind>> = {
  good: "good",
  absent: "off",
  soon: "warn",
  compare: "warn",
  bad: "bad",
};

function Doctor({ visit, sections }: { readonly visit: PersonVisit; readonly sections: readonly Section[] }) {
  const { doctor: texts } = visit.texts.operator;
  const wrong = countBad(sections);
  return (
    <OperatorPage visit={visit} room="doctor" title={texts.title} lead={texts.lead}>
      <p class={wrong === 0 ? "note good" : "note bad"}>
        {wrong === 0 ? texts.nothing : texts.wrong({ count: wrong })}
      </p>
      {sections.map(({ title, findings }) => (
        <section class="stack">
          <h2 lang="en">{title}</h2>
          <ul class="card flush items" aria-label={title} lang="en">
            {findings.map((finding) => (
              <li>
                <div class="what">
                  <span>{finding.text}</span>
                  {"fix" in finding && finding.fix !== undefined && (
                    <span class="about">
                      <span lang={visit.language}>{finding.kind === "bad" ? texts.fix : texts.how}</span>: {finding.fix}
                    </span>
                  )}
                </div>
                <span lang={visit.language}>
                  <State kind={KINDS[finding.kind]} text={texts[finding.kind]} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </OperatorPage>
  );
}
