import { setNonce } from 'get-nonce';
import { z } from 'zod';

/** The nonce of the page's Content-Security-Policy, which every style made at run time has to carry. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Zod tries `new Function` once to see whether it may compile schemas; the policy would report that as a violation.
z.config({ jitless: true });
setNonce(nonce);
