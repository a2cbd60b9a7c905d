import { z } from 'zod';
import { keyProcedure } from '../../access/procedures.ts';
import { findMember } from './member-session.ts';

/** The member who reads, if one is signed in. */
export const signedInMember = keyProcedure
  .meta({ scope: 'read' })
  .output(
    z.strictObject({
      member: z.strictObject({ email: z.string(), access_tiers: z.array(z.string()) }).nullable(),
    }),
  )
  .query(async ({ ctx }) => {
    const found = await findMember(ctx);
    return { member: found && { email: found.email, access_tiers: found.access_tiers } };
  });
