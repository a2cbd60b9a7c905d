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
 * Requests a passkey from the browser. A dialog asks for it or, with `useBrowserAutofill`, the autofill of the sign-in form
 * suggests it. Throws a `WebAuthnError` if the user cancels or has no passkey, or if `stopRequests` aborts the request.
 */
export async function requestPasskey(options: PasskeyRequestOptions, useBrowserAutofill = false) {
  const { startAuthentication } = await load();
  // Both types have the same structure. Only the list of transports is closed in the library's type and open in ours.
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return PasskeyResponse.parse(await startAuthentication({ optionsJSON, useBrowserAutofill }));
}

/** Returns whether the browser suggests passkeys in the sign-in form. */
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await load()).browserSupportsWebAuthnAutofill();

/** Aborts the pending request for a passkey, if there is one. */
export function stopRequests(): void {
  // If the library failed to load, nothing was requested.
  const stop = ({ WebAuthnAbortService }: Awaited<ReturnType<typeof load>>) =>
    WebAuthnAbortService.cancelCeremony();
  if (hasPasskeys()) void load().then(stop, () => undefined);
}

/**
 * Creates a passkey. Throws a `WebAuthnError` if the user cancels, or already has one of
 * `options.excludeCredentials`.
 */
export async function makePasskey(options: z.output<typeof PasskeyCreationOptions>) {
  const { startRegistration } = await load();
  // Both types have the same structure, as in `requestPasskey`. Only the list of transports is closed in the library's
  // type.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return PasskeyRegistration.parse(await startRegistration({ optionsJSON }));
}
