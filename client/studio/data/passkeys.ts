import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { z } from 'zod';
import {
  type PasskeyCreationOptions,
  PasskeyRegistration,
  type PasskeyRequestOptions,
  PasskeyResponse,
} from '../../../shared/contract/features/passkeys.ts';
import { hasPasskeys } from '../ui/browser.ts';

const load = () => import('@simplewebauthn/browser');

/**
 * Requests a passkey from the browser, in a dialog or as a suggestion of the sign-in form's autofill. Throws if the user
 * cancels, has none, or the request is aborted.
 */
export async function askForPasskey(options: PasskeyRequestOptions, useBrowserAutofill = false) {
  const { startAuthentication } = await load();
  // Equal structure; the library's type has a closed list of transports, ours an open one.
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return PasskeyResponse.parse(await startAuthentication({ optionsJSON, useBrowserAutofill }));
}

/** True if the browser suggests passkeys in the sign-in form. */
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await load()).browserSupportsWebAuthnAutofill();

/** Aborts the pending request for a passkey. */
export function stopAsking(): void {
  // If the library failed to load, nothing was requested.
  const stop = ({ WebAuthnAbortService }: Awaited<ReturnType<typeof load>>) =>
    WebAuthnAbortService.cancelCeremony();
  if (hasPasskeys()) void load().then(stop, () => undefined);
}

/** Creates a passkey. Throws if the user cancels. */
export async function makePasskey(options: z.output<typeof PasskeyCreationOptions>) {
  const { startRegistration } = await load();
  // As above.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return PasskeyRegistration.parse(await startRegistration({ optionsJSON }));
}
