import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Child } from "hono/jsx";
import { z } from "zod";
import type { PasskeyPlace } from "../../people/passkeys.ts";
import type { Visit } from "../definition.ts";
import { field } from "../fields.ts";
import { Form, PageScript } from "../parts.tsx";

/** What adding a passkey and signing in with one share: the form that scripts/passkeys.ts sends. */

interface PasskeyForm {
  readonly visit: Visit;
  readonly action: string;
  readonly passkey: "add" | "use";
  readonly options: PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;
  /** Shown if the browser's dialog ends without a passkey. */
  readonly cancelled: string;
  readonly children: Child;
}

/** Hidden until the script finds that the browser has passkeys. */
export function PasskeyForm({ visit, action, passkey, options, cancelled, children }: PasskeyForm) {
  return (
    <>
      <Form
        visit={visit}
        action={action}
        attributes={{ "data-passkey": passkey, "data-options": JSON.stringify(options), hidden: true }}
      >
        <input type="hidden" name="answer" value="" />
        {children}
        <p class="error" role="alert" hidden>
          {cancelled}
        </p>
      </Form>
      <PageScript visit={visit} name="passkeys" />
    </>
  );
}

export const placeOf = ({ browser, origin }: Visit): PasskeyPlace => ({ browserHash: browser.hash, origin });

const bytes = z
  .string()
  .max(100_000)
  .regex(/^[\w-]+$/);
const credential = { id: bytes, rawId: bytes, type: z.literal("public-key"), clientExtensionResults: z.object({}) };

/** What `navigator.credentials.get()` returned. */
const Assertion: z.ZodType<AuthenticationResponseJSON> = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.exactOptional(),
  }),
});

/** What `navigator.credentials.create()` returned. */
const Attestation: z.ZodType<RegistrationResponseJSON> = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes, attestationObject: bytes }),
});

export const assertionField = (problem: string) => answerField(Assertion, problem);
export const attestationField = (problem: string) => answerField(Attestation, problem);

function answerField<Answer>(schema: z.ZodType<Answer>, problem: string) {
  return field(
    z.string().transform((text, context) => {
      const answer = schema.safeParse(parsedJson(text)).data;
      if (answer !== undefined) return answer;
      context.addIssue(problem);
      return z.NEVER;
    }),
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
