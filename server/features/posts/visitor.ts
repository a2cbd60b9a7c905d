import { z } from 'zod';
import { keyProcedure } from '../../access/procedures.ts';
import { withReader } from './reader.ts';

/** What the visitor of a page is entitled to: pages are kept for those who may read the same. */
export const entitlements = keyProcedure
  .meta({ scope: 'read' })
  .concat(withReader)
  .output(
    z.strictObject({
      signedIn: z.boolean(),
      tiers: z.array(z.string()).readonly(),
      purchases: z.array(z.string()).readonly(),
    }),
  )
  .query(({ ctx }) => ctx.reader);
