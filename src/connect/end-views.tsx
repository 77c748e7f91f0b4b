import type { Brand } from "../branding/store.ts";
import { Heading } from "../pages/layout.tsx";
import { Connected, ReturnLink } from "./layout.tsx";
import type { ConnectedChannel } from "./table.ts";
import type { Wording } from "./wording.tsx";

interface Finished {
  readonly channels: readonly ConnectedChannel[];
  readonly brand: Brand;
  readonly wording: Wording;
  readonly returnLink: string | null;
}

export function Finished({ channels, brand, wording, returnLink }: Finished) {
  const { finished } = wording.texts;
  return (
    <>
      <Heading mark="good" title={finished.title} lead={returnLink === null ? finished.close : finished.back} />
      <Connected channels={channels} wording={wording} />
      <ReturnLink href={returnLink} brand={brand} wording={wording} isFirst />
    </>
  );
}
