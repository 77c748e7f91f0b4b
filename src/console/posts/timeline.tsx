import { z } from "zod";
import { fileAddress, ownFile } from "../../media/own-address.ts";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { Time } from "../parts.tsx";

interface Timeline {
  readonly visit: ProjectVisit;
  /** Oldest first. */
  readonly events: readonly { readonly at: number; readonly message: string; readonly detail: unknown }[];
}

/** What happened to a post or a campaign, with the calls that the platform refused. */
export function Timeline({ visit, events }: Timeline) {
  const { posts: texts } = visit.texts;
  return (
    <section class="card" aria-label={texts.timeline}>
      <h2>{texts.timeline}</h2>
      <ol class="timeline">
        {events.map((event) => (
          <li>
            <span class="facts">
              <Time at={event.at} zone={visit.project.timeZone} visit={visit} />
              <CodeOf detail={event.detail} />
            </span>
            <p>
              <FailureText visit={visit} code={codeOf(event.detail)} sentence={event.message} />
            </p>
            <FittedCopy visit={visit} detail={event.detail} />
            <Exchange visit={visit} detail={event.detail} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const Coded = z.object({ error_code: z.string() });

const codeOf = (detail: unknown): string | null => Coded.safeParse(detail).data?.error_code ?? null;

function CodeOf({ detail }: { readonly detail: unknown }) {
  const code = codeOf(detail);
  return code === null ? null : <code>{code}</code>;
}

const Fitted = z.object({ file: z.object({ copy_url: z.string(), mime: z.string() }) });

/** The picture that the platform got in place of a file, from this service by its own name. */
function FittedCopy({ visit, detail }: { readonly visit: ProjectVisit; readonly detail: unknown }) {
  const { posts: texts } = visit.texts;
  const file = Fitted.safeParse(detail).data?.file;
  const own = file?.mime.startsWith("image/") ? ownFile(file.copy_url) : null;
  if (!own) return null;
  const address = fileAddress("", own.name, own.mime);
  return (
    <a href={address}>
      <img class="fitted-copy" src={address} alt={texts.fittedCopy} loading="lazy" />
    </a>
  );
}

const Answered = z.object({
  answer: z.object({
    method: z.string(),
    url: z.string(),
    status: z.number().nullable(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
});

/** The call and the platform's answer, as the journal keeps them: without secrets. */
function Exchange({ visit, detail }: { readonly visit: ProjectVisit; readonly detail: unknown }) {
  const { posts: texts } = visit.texts;
  const answer = Answered.safeParse(detail).data?.answer;
  if (!answer) return null;
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [
    `${answer.method} ${answer.url}`,
    "",
    String(answer.status ?? texts.noAnswer),
    ...headers,
    "",
    answer.body ?? "",
  ];
  return (
    <details>
      <summary>{texts.exchange}</summary>
      <pre class="mono">{lines.join("\n").trim()}</pre>
    </details>
  );
}
