import { z } from 'zod';

/** What somebody proves by that it is they. */
export const factorNames = ['totp', 'passkey', 'recovery'] as const;

export const FactorName = z.enum(factorNames).meta({
  description: '`totp` a code of an app, `passkey` a passkey, `recovery` a code that was written down',
  examples: ['totp'],
});

export type FactorName = z.infer<typeof FactorName>;
