import { browserSupportsWebAuthn, startAuthentication, startRegistration } from "@simplewebauthn/browser";

/**
 * Forms with `data-passkey` appear where the browser has passkeys. The button starts the browser's dialog,
 * and the form is sent with what the passkey signed.
 */
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
  const { passkey, options = "" } = form.dataset;
  const problem = form.querySelector<HTMLElement>("[role=alert]");
  const answer = form.querySelector<HTMLInputElement>("input[name=answer]");
  form.hidden = !browserSupportsWebAuthn();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (problem) problem.hidden = true;
    const optionsJSON = JSON.parse(options);
    const start = passkey === "add" ? startRegistration({ optionsJSON }) : startAuthentication({ optionsJSON });
    start.then(
      (signed) => {
        if (answer) answer.value = JSON.stringify(signed);
        form.submit();
      },
      () => {
        if (problem) problem.hidden = false;
      },
    );
  });
}
