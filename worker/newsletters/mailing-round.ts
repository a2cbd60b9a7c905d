import type { PauseReason } from '../../shared/contract/features/mailings.ts';
import type { Database } from '../../shared/db/config.ts';
import type { CountChanges, MailingKey } from '../../shared/db/mailing-counts.ts';
import { isHeldAgainstMailing } from '../../shared/newsletter/end-failing-subscriptions.ts';
import { writeMailing } from '../../shared/newsletter/write-mailing.ts';
import { type ClaimedRecipient, claimRecipients } from './claim.ts';
import { lockMailRoom, type MailLimit } from './limits.ts';
import {
  type LockedMailing,
  markLostUnconfirmed,
  type SettledRecipient,
  settleRecipients,
} from './settle-recipients.ts';

interface RoundInput {
  mailing: MailingKey;
  /** Key that signs links and bounce addresses of the mailing's site. */
  mailKey: string;
  /** Outcomes of attempts that this process made. */
  settled: readonly SettledRecipient[];
  /** Maximum number of recipients to claim. */
  max: number;
  limits: readonly MailLimit[];
  /** Mail server unreachable from this process for longer than `maxOutageMs`: the mailing pauses. */
  isRelayAway: boolean;
  /** True if test sales open content (`countsTestSales`). */
  countsTest: boolean;
}

interface RoundResult {
  claims: ClaimedRecipient[];
  /** Outcomes that were stored. Outcomes of expired leases are missing. */
  own: readonly SettledRecipient[];
  skipped: number;
  /** Number of recipients whose lease expired. They are now `unknown`. */
  lost: number;
  /** Time until a sending limit allows more, in milliseconds; null if no limit is reached. */
  moreInMs: number | null;
}

/**
 * Thresholds that pause a mailing: more than `maxRefused` refusals before `first` recipients have an outcome, or `policyInARow`
 * policy refusals in a row.
 */
const brakes = { first: 200, maxRefused: 10, policyInARow: 10 } as const;

/**
 * Runs one transaction on one locked mailing: stores outcomes, claims due recipients and updates the counts. Returns the
 * claims; none for a mailing that does not exist. The caller may repeat it if the commit is uncertain. Outcomes are stored
 * only once, and recipients that it claimed become `unknown` when their lease ends.
 */
export const runMailingRound = (database: Database, input: RoundInput): Promise<RoundResult> =>
  database.em.fork().transactional(async (em) => {
    const db = em.getKysely<unknown>();
    const changes: CountChanges = {};
    const position = { ...input.mailing, mailKey: input.mailKey };
    const found = await settleRecipients(db, position, { settled: input.settled, changes });
    if (!found) return { claims: [], own: [], skipped: 0, lost: 0, moreInMs: null };
    const { mailing, own } = found;
    const lost = mailing.has_lost ? await markLostUnconfirmed(db, input.mailing, changes) : 0;
    const refusedByPolicy = policyRefusals(mailing.refused_by_policy, own);
    const brake =
      mailing.status === 'sending'
        ? brakeOf(
            mailing,
            changes.refused ?? 0,
            refusedByPolicy,
            // A resumed mailing gets another attempt before it pauses again.
            input.isRelayAway && input.settled.some(({ outcome }) => outcome.kind === 'away'),
          )
        : null;
    const maySend = mailing.status === 'sending' && brake === null;
    const handed = input.settled.filter(
      ({ outcome }) => outcome.kind !== 'untried' && outcome.kind !== 'away',
    );
    const ended = handed.length + lost;
    const isCounted = ended > 0 || (maySend && input.max > 0);
    const room = await lockMailRoom(db, isCounted ? input.limits : [], {
      ended,
      left: -(changes.sending ?? 0),
    });
    const max = Math.min(input.max, room.recipients);
    const claims =
      maySend && max > 0
        ? await claimRecipients(
            db,
            { ...position, post_id: mailing.post_id },
            { max, changes, countsTest: input.countsTest },
          )
        : [];
    const pause = claims === null ? 'post_not_public' : brake;
    await writeMailing(db, input.mailing, { changes, pause, refusedByPolicy });
    return { claims: claims ?? [], own, skipped: changes.skipped ?? 0, lost, moreInMs: room.moreInMs };
  });

/**
 * Returns the number of policy refusals in a row after these outcomes. An accepted email resets it; other outcomes
 * leave it unchanged.
 */
function policyRefusals(before: number, settled: readonly SettledRecipient[]): number {
  return settled.reduce((inARow, { outcome }) => {
    if (outcome.kind === 'accepted') return 0;
    return outcome.kind === 'refused' && isHeldAgainstMailing(outcome) ? inARow + 1 : inARow;
  }, before);
}

function brakeOf(
  { accepted, refused, refused_before, bounced, complained }: LockedMailing,
  newlyRefused: number,
  refusedByPolicy: number,
  isRelayUnavailable: boolean,
): PauseReason | null {
  if (isRelayUnavailable) return 'relay_away';
  if (newlyRefused > 0 && refusedByPolicy >= brakes.policyInARow) return 'refused_by_policy';
  const ended = accepted + refused + bounced + complained;
  const unseen = refused + newlyRefused - refused_before;
  if (newlyRefused > 0 && ended < brakes.first && unseen > brakes.maxRefused) return 'too_many_refused';
  return null;
}
