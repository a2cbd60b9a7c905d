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
 * Has the browser ask for a passkey, or offer those that it has where it fills in who signs in. Throws where nothing came of
 * it: somebody doesn't want to, has none, or took another way.
 */
export async function askForPasskey(options: PasskeyRequestOptions, useBrowserAutofill = false) {
  const { startAuthentication } = await load();
  // The same form, whose words for transports are an open list.
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return PasskeyResponse.parse(await startAuthentication({ optionsJSON, useBrowserAutofill }));
}

/** Whether it offers them there. */
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await load()).browserSupportsWebAuthnAutofill();

/** Takes back what was asked for and is not answered. */
export function stopAsking(): void {
  // Without the code nothing was asked for.
  const stop = ({ WebAuthnAbortService }: Awaited<ReturnType<typeof load>>) =>
    WebAuthnAbortService.cancelCeremony();
  if (hasPasskeys()) void load().then(stop, () => undefined);
}

/** Has the browser make a passkey. Throws where somebody doesn't want to. */
export async function makePasskey(options: z.output<typeof PasskeyCreationOptions>) {
  const { startRegistration } = await load();
  // As above.
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return PasskeyRegistration.parse(await startRegistration({ optionsJSON }));
}
