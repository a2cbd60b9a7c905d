import { moving } from '../../../shared/contract/limits.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { type Move, movesPath } from '../../../shared/contract/moving.ts';
import { MoveTicketEntity } from '../../../shared/db/entities/move-ticket.ts';
import { hashSecret } from '../../access/credentials.ts';
import { markedText } from '../../access/site-mark.ts';
import { found } from '../../kernel/api-error.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import type { MoveTicket } from '../../kernel/moves.ts';
import { inTransaction } from '../../kernel/transaction.ts';

const tokenLength = 43;

/** An address that takes one request for this move. Those of the site that nobody used in time are forgotten. */
export async function issueTicket(deps: StoreDeps, { siteId, actor, move }: MoveTicket) {
  const token = markedText(siteId, tokenLength, deps.randomBytes);
  const now = deps.clock.now();
  const expires_at = new Timestamp(now.getTime() + moving.ticketMs);
  await inTransaction(deps, siteId, async (em) => {
    await em.nativeDelete(MoveTicketEntity, { site_id: siteId, expires_at: { $lte: now } });
    em.create(MoveTicketEntity, { site_id: siteId, token_hash: hashSecret(token), move, actor, expires_at });
  });
  return { url: `${movesPath}/${siteId}/${token}`, expires_at };
}

/** Takes a ticket out of the world, and gives what it was for. Throws `not_found` for one that is none of `moves`. */
export async function redeemTicket(
  { database, clock }: StoreDeps,
  { siteId, token, moves }: { siteId: string; token: string; moves: readonly Move[] },
): Promise<MoveTicket> {
  const ticket = await database.em
    .getKysely()
    .deleteFrom('move_tickets')
    .where('site_id', '=', siteId)
    .where('token_hash', '=', hashSecret(token))
    .where('move', 'in', moves)
    .where('expires_at', '>', clock.now())
    .returning(['site_id as siteId', 'actor', 'move'])
    .executeTakeFirst();
  return found(ticket);
}
