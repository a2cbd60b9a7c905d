import { type RawBuilder, sql } from 'kysely';
import { type RecipientState, recipientStates } from '../contract/features/mailings.ts';

export interface MailingKey {
  site_id: string;
  mailing_id: string;
}

/** SQL: which copies are those of a mailing. */
export const copiesOf = ({ site_id, mailing_id }: MailingKey): RawBuilder<unknown> =>
  sql`site_id = ${site_id} and mailing_id = ${mailing_id}`;

/** SQL for `from`: `waiting.is_over`, whether no copy of a mailing waits for a moment any more. */
export const waitingOf = (mailing: MailingKey): RawBuilder<unknown> => sql`(
  select not exists (select from mailing_recipients where ${copiesOf(mailing)} and due_at is not null) as is_over
) waiting`;

/** How many copies came into a state, or left it. */
export type CountChanges = Partial<Record<RecipientState, number>>;

/** Notes that copies went from one state to another. */
export function moved(
  changes: CountChanges,
  { from, to, copies = 1 }: Record<'from' | 'to', RecipientState> & { copies?: number },
) {
  changes[from] = (changes[from] ?? 0) - copies;
  changes[to] = (changes[to] ?? 0) + copies;
}

/** SQL for `set`: the counts of a mailing after these changes. */
export const countsAfter = (changes: CountChanges): RawBuilder<unknown> =>
  sql.join(
    recipientStates.map((state) => sql`${sql.ref(state)} = ${sql.ref(state)} + ${changes[state] ?? 0}`),
  );
