import { setNonce } from 'get-nonce';
import { z } from 'zod';
import { explainIssue } from '../../../shared/contract/validation-messages.ts';
import { nonce } from '../ui/nonce.ts';

// Report validation problems in the same words as the service.
z.config({ customError: explainIssue });
setNonce(nonce);
