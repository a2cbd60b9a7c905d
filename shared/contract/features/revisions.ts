import { z } from 'zod';
import { Actor, RevisionNumber } from '../history.ts';
import { moment } from '../moments.ts';

/** One write of a record. */
export const Revision = z.strictObject({
  revision: RevisionNumber,
  created: moment('When it was written'),
  actor: Actor,
  changed: z.array(z.string()).describe('Fields that it gave another value'),
});
