import { z } from 'zod';
import { documented } from './documented.ts';
import { timestamp } from './timestamps.ts';

/** Actor of a change, with the name at that time. */
export const Actor = z
  .strictObject({
    kind: z
      .enum(['owner', 'key', 'assistant', 'schedule', 'operator'])
      .describe(
        'Kind of actor: `owner` is a person with any role on the site, `key` a program with an API key, `assistant` a connected assistant, `schedule` the service itself, `operator` a command on the server',
      ),
    id: z
      .string()
      .describe(
        'ID of the person, API key or connected assistant; for `operator` the user name on the server; empty for `schedule`',
      ),
    name: documented(z.string(), 'Name of the actor at that time', 'Ada Marsh'),
    by: z
      .strictObject({ id: z.string(), name: z.string() })
      .optional()
      .describe('Person who connected the assistant; absent for other actors'),
  })
  .describe('Actor who made the change');

export type Actor = z.infer<typeof Actor>;

/**
 * Returns the ID of the person who acted, directly or through an assistant. Null for other actors and if there is no
 * actor.
 */
export const personOf = (actor: Actor | undefined): string | null =>
  (actor?.kind === 'owner' ? actor.id : actor?.by?.id) ?? null;

/** ID of the creator, for people who work on the site. */
export const createdBy = z
  .string()
  .nullable()
  .describe('ID of the person who created it; null if a program created it, or if the creator is unknown');

/** Number of a record's write, starting at 1. */
export const RevisionNumber = documented(
  z.int32().min(1),
  'Revision number: the number of writes of the record, starting at 1',
  1,
);

/** Write of a record: its number, time, actor and changed fields. */
export const Revision = z.strictObject({
  revision: RevisionNumber,
  created: timestamp('Time of the write'),
  actor: Actor,
  changed: z.array(z.string()).describe('Names of the changed fields'),
});
