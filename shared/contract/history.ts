import { z } from 'zod';
import { documented } from './documented.ts';

/** Who writes a record. */
export const Actor = z
  .strictObject({
    kind: z
      .enum(['owner', 'key', 'assistant', 'schedule', 'operator'])
      .describe(
        'Somebody who works on the site, a program with an API key, an assistant, the schedule, or who runs the installation',
      ),
    id: z
      .string()
      .describe(
        'Id of the person, of the API key, or of the connected assistant; the name of the operator on their machine; empty for the schedule',
      ),
    name: documented(z.string(), 'Its name at that time', 'Ada Marsh'),
    by: z
      .strictObject({ id: z.string(), name: z.string() })
      .optional()
      .describe('Who connected the assistant; left out for one with an API key'),
  })
  .describe('Who did it');

export type Actor = z.infer<typeof Actor>;

/** Whose work it is that somebody writes: a person's, also by an assistant that they connected, or nobody's. */
export const personOf = (actor: Actor | undefined): string | null =>
  (actor?.kind === 'owner' ? actor.id : actor?.by?.id) ?? null;

/** Who made it, for those who work on the site. */
export const createdBy = z
  .string()
  .nullable()
  .describe('Id of the person who made it; null for what a program did, or nobody knows');

/** Which write of a record, counted from 1. */
export const RevisionNumber = documented(z.int32().min(1), 'Counts the writes of the record, from 1', 1);
