import { z } from 'zod';
import { Actor, RevisionNumber } from '../history.ts';
import { moment } from '../moments.ts';

/** One write of a record. */
export const Revision = z.strictObject({
  revision: RevisionNumber,
  created: moment('Time of the write'),
  actor: Actor,
  changed: z.array(z.string()).describe('Names of the changed fields'),
});
