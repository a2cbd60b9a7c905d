import { setNonce } from 'get-nonce';
import { z } from 'zod';
import { explainIssue } from '../../../shared/contract/validation-messages.ts';

/** The nonce of the page's Content-Security-Policy, which every style made at run time has to carry. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// What is wrong is told in the same words as by the service.
z.config({ customError: explainIssue });
setNonce(nonce);
