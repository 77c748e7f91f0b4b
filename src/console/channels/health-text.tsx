import { healthOf } from "../../channels/health.ts";
import type { ChannelState } from "../../channels/store.ts";
import type { Capability } from "../../platforms/names.ts";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";

interface HealthOf {
  readonly visit: ProjectVisit;
  readonly channel: ChannelState;
  readonly capability: Capability;
  readonly sentence: string | null;
}

/** Why the channel cannot do this, in the language of the page, and the sentence of the API. */
export function HealthText({ visit, channel, capability, sentence }: HealthOf) {
  const { code, health } = healthOf(channel, channel.grants, capability, visit.now);
  if (health === "expiring") return <ExpiringText visit={visit} sentence={sentence} />;
  return <FailureText visit={visit} code={code} sentence={sentence} />;
}

/** That a connection expires soon, and the sentence of the API, which says when. */
export function ExpiringText({ visit, sentence }: Pick<HealthOf, "visit" | "sentence">) {
  if (visit.language === "en") return <>{sentence}</>;
  return (
    <>
      {visit.texts.channels.expiring} <span lang="en">{sentence}</span>
    </>
  );
}
