import { type RawBuilder, sql } from 'kysely';
import { type RecipientState, recipientStates } from '../contract/features/mailings.ts';

/** How many copies came into a state, or left it. */
export type CountChanges = Partial<Record<RecipientState, number>>;

interface Move {
  from: RecipientState;
  to: RecipientState;
  copies?: number;
}

/** Notes that copies went from one state to another. */
export function moved(changes: CountChanges, { from, to, copies = 1 }: Move) {
  changes[from] = (changes[from] ?? 0) - copies;
  changes[to] = (changes[to] ?? 0) + copies;
}

/** SQL for `set`: the counts of a mailing after these changes. */
export const countsAfter = (changes: CountChanges): RawBuilder<unknown> =>
  sql.join(
    recipientStates.map((state) => sql`${sql.ref(state)} = ${sql.ref(state)} + ${changes[state] ?? 0}`),
  );
