import { setNonce } from 'get-nonce';
import { z } from 'zod';
import { explainIssue } from '../../../shared/contract/validation-messages.ts';
import { nonce } from '../ui/nonce.ts';

// What is wrong is told in the same words as by the service.
z.config({ customError: explainIssue });
setNonce(nonce);
