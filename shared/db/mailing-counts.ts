import { type RawBuilder, sql } from 'kysely';
import { type RecipientState, recipientStates } from '../contract/features/mailings.ts';

export interface MailingKey {
  site_id: string;
  mailing_id: string;
}

/** SQL condition for the recipients of a mailing. */
export const recipientsOf = ({ site_id, mailing_id }: MailingKey): RawBuilder<unknown> =>
  sql`site_id = ${site_id} and mailing_id = ${mailing_id}`;

/** SQL for `from`: `waiting.is_over` is true if no recipient of the mailing has a due time left. */
export const waitingOf = (mailing: MailingKey): RawBuilder<unknown> => sql`(
  select not exists (select from mailing_recipients where ${recipientsOf(mailing)} and due_at is not null) as is_over
) waiting`;

/** Changes of the number of recipients per state. */
export type CountChanges = Partial<Record<RecipientState, number>>;

/** Adds a move of recipients from one state to another to `changes`. */
export function moved(
  changes: CountChanges,
  { from, to, count = 1 }: Record<'from' | 'to', RecipientState> & { count?: number },
) {
  changes[from] = (changes[from] ?? 0) - count;
  changes[to] = (changes[to] ?? 0) + count;
}

/** SQL for `set` that adds the changes to a mailing's counts. */
export const countsAfter = (changes: CountChanges): RawBuilder<unknown> =>
  sql.join(
    recipientStates.map((state) => sql`${sql.ref(state)} = ${sql.ref(state)} + ${changes[state] ?? 0}`),
  );
