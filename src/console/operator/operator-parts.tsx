import type { Child } from "hono/jsx";
import type { PersonVisit } from "../definition.ts";
import { Notices, Top } from "../parts.tsx";

/** The frame of the operator's pages. */

export const OPERATOR_PATH = "/console/operator";

const ROOMS = [
  ["doctor", OPERATOR_PATH],
  ["jobs", `${OPERATOR_PATH}/jobs`],
  ["rules", `${OPERATOR_PATH}/rules`],
  ["projects", `${OPERATOR_PATH}/projects`],
] as const;

interface OperatorPage {
  readonly visit: PersonVisit;
  readonly room: (typeof ROOMS)[number][0];
  readonly title: string;
  readonly lead?: string;
  readonly children: Child;
}

export function OperatorPage({ visit, room, title, lead, children }: OperatorPage) {
  const { operator } = visit.texts;
  return (
    <>
      <Top title={title} {...(lead === undefined ? {} : { lead })} />
      <nav class="tabs" aria-label={operator.title}>
        {ROOMS.map(([name, href]) => (
          <a href={href} aria-current={name === room ? "true" : undefined}>
            {operator.nav[name]}
          </a>
        ))}
      </nav>
      <Notices visit={visit} />
      {children}
    </>
  );
}
