import type { PauseReason } from '../../shared/contract/features/mailings.ts';
import type { Database } from '../../shared/db/config.ts';
import type { CountChanges, MailingKey } from '../../shared/db/mailing-counts.ts';
import { isHeldAgainstMailing } from '../../shared/newsletter/judge-readers.ts';
import { writeMailing } from '../../shared/newsletter/write-mailing.ts';
import { type ClaimedCopy, claimCopies } from './claim.ts';
import { lockMailRoom, type MailLimit } from './limits.ts';
import { doubtLost, type LockedMailing, type Settled, settleCopies } from './settle.ts';

interface RoundInput {
  mailing: MailingKey;
  /** Of its site. */
  mailKey: string;
  /** What became of attempts of this process. */
  settled: readonly Settled[];
  /** Most copies to claim. */
  most: number;
  limits: readonly MailLimit[];
  /** Whether this process has found no server for so long that somebody has to look. */
  isRelayAway: boolean;
  /** True if test sales open content (`countsTestSales`). */
  countsTest: boolean;
}

interface RoundResult {
  claims: ClaimedCopy[];
  /** What was written of attempts. */
  own: readonly Settled[];
  skipped: number;
  /** Copies whose process died, and are in doubt now. */
  lost: number;
  /** In how many milliseconds more may be sent, where limits have been reached. */
  moreInMs: number | null;
}

/** Too many refusals among the first so many copies, or for reasons of policy in a row, stop a mailing. */
const brakes = { first: 200, mostRefused: 10, policyInARow: 10 } as const;

/**
 * One transaction about one mailing, which is locked first: writes what became of attempts, claims what is due, and keeps the
 * counts. It may be repeated when nobody knows whether it was committed: outcomes are written once, and what it claimed is in
 * doubt when its lease ends.
 */
export const runMailingRound = (database: Database, input: RoundInput): Promise<RoundResult> =>
  database.em.fork().transactional(async (em) => {
    const db = em.getKysely<unknown>();
    const changes: CountChanges = {};
    const place = { ...input.mailing, mailKey: input.mailKey };
    const found = await settleCopies(db, place, { settled: input.settled, changes });
    if (!found) return { claims: [], own: [], skipped: 0, lost: 0, moreInMs: null };
    const { mailing, own } = found;
    const lost = mailing.has_lost ? await doubtLost(db, input.mailing, changes) : 0;
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
    const isCounted = ended > 0 || (maySend && input.most > 0);
    const room = await lockMailRoom(db, isCounted ? input.limits : [], {
      ended,
      left: -(changes.sending ?? 0),
    });
    const most = Math.min(input.most, room.copies);
    const claims =
      maySend && most > 0
        ? await claimCopies(
            db,
            { ...place, post_id: mailing.post_id },
            { most, changes, countsTest: input.countsTest },
          )
        : [];
    const pause = claims === null ? 'post_not_public' : brake;
    await writeMailing(db, input.mailing, { changes, pause, refusedByPolicy });
    return { claims: claims ?? [], own, skipped: changes.skipped ?? 0, lost, moreInMs: room.moreInMs };
  });

/** How many refusals there are in a row now that are about the mailing itself. */
function policyRefusals(before: number, settled: readonly Settled[]): number {
  return settled.reduce((inARow, { outcome }) => {
    if (outcome.kind === 'accepted') return 0;
    return outcome.kind === 'refused' && isHeldAgainstMailing(outcome) ? inARow + 1 : inARow;
  }, before);
}

function brakeOf(
  { accepted, refused, refused_before, bounced, complained }: LockedMailing,
  newlyRefused: number,
  refusedByPolicy: number,
  isRelayAway: boolean,
): PauseReason | null {
  if (isRelayAway) return 'relay_away';
  if (newlyRefused > 0 && refusedByPolicy >= brakes.policyInARow) return 'refused_by_policy';
  const ended = accepted + refused + bounced + complained;
  const unseen = refused + newlyRefused - refused_before;
  if (newlyRefused > 0 && ended < brakes.first && unseen > brakes.mostRefused) return 'too_many_refused';
  return null;
}
