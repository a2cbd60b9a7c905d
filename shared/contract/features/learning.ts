import { z } from 'zod';
import { documented } from '../documented.ts';

/** ID of a certificate: 22 random characters. Anyone who has it sees the certificate. */
export const CertificateId = documented(
  z.string().regex(/^[0-9A-Za-z]{22}$/),
  'ID of the certificate',
  'k3J9x2a7F0q1Zdm8Wc4RtY',
);
