import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import {
  importExport,
  type TransferKind,
  TransferTicket,
  transfersPath,
} from '../../../shared/contract/features/import-export.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import { MoveTicketEntity } from '../../../shared/db/entities/transfer.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { ApiError, found } from '../api-error.ts';
import type { Deps, StoreDeps } from '../deps.ts';
import { inTransaction } from '../transaction.ts';
import { prefixedText } from './credentials.ts';
import { ownerProcedure } from './procedures.ts';
import { hostAdmits, hostNames } from './site-of-host.ts';

/**
 * Transfer tickets.
 *
 * A ticket is a row with the hash of a token. It is issued to an owner, is valid for 60 seconds, and allows one
 * request. Redeeming it deletes the row. A second or late request gets `not_found`, and so does one whose person is no
 * longer an owner. Expired rows of a site are deleted when its next ticket is issued.
 */

/** Permission for one transfer. */
export interface Ticket {
  siteId: string;
  kind: TransferKind;
  actor: Actor;
}

/** Token of a request, with the kinds of transfer that its method allows and the host that it was sent to. */
export interface GivenTicket {
  siteId: string;
  token: string;
  kinds: readonly TransferKind[];
  host: string;
}

const tokenLength = 43;

/**
 * Issues a ticket: a URL that accepts one request within `importExport.ticketMs`. Deletes expired tickets of the
 * site.
 */
export async function issueTicket(deps: StoreDeps, { siteId, actor, kind }: Ticket) {
  const token = prefixedText(siteId, tokenLength, deps.randomBytes);
  const now = deps.clock.now();
  const expires_at = new Timestamp(now.getTime() + importExport.ticketMs);
  await inTransaction(deps, siteId, async (em) => {
    await em.nativeDelete(MoveTicketEntity, { site_id: siteId, expires_at: { $lte: now } });
    em.create(MoveTicketEntity, {
      site_id: siteId,
      token_hash: hashSecret(token),
      move: kind,
      actor,
      expires_at,
    });
  });
  return { url: `${transfersPath}/${siteId}/${token}`, expires_at };
}

/**
 * Redeems a ticket and returns its transfer; it cannot be used again. Throws `not_found` if it is unknown, used or
 * expired, for another kind or host, or if its person is no longer an owner.
 */
export async function redeemTicket(
  { database, clock, config }: Pick<Deps, 'database' | 'clock' | 'config'>,
  { siteId, token, kinds, host }: GivenTicket,
): Promise<Ticket> {
  const ticket = await database.em
    .getKysely()
    .deleteFrom('move_tickets')
    .where('site_id', '=', siteId)
    .where('token_hash', '=', hashSecret(token))
    .where('move', 'in', kinds)
    .where('expires_at', '>', clock.now())
    .where(isOfOwner)
    .where(hostAdmits(hostNames(host, config), sql.ref('site_id')))
    .returning(['site_id as siteId', 'actor', 'move as kind'])
    .executeTakeFirst();
  return found(ticket);
}

/** The role is checked again, since it may have changed since the ticket was issued. */
const isOfOwner = ownedBy(sql.ref('move_tickets.site_id'), sql`move_tickets.actor ->> 'id'`);

/** SQL condition: the person is an owner of the site. */
function ownedBy(siteId: RawBuilder<unknown>, personId: RawBuilder<unknown>) {
  return sql<boolean>`exists (select from site_people p
    where p.site_id = ${siteId} and p.person_id = ${personId} and p.role = 'owner')`;
}

/** Throws `not_found` if the actor is no longer an owner. Called repeatedly during a transfer. */
export async function requireOwner(
  { database }: Pick<Deps, 'database'>,
  { siteId, actor }: Pick<Ticket, 'siteId' | 'actor'>,
): Promise<void> {
  const { rows } = await sql<{ owned: boolean }>`
    select ${ownedBy(sql`${siteId}`, sql`${actor.id}`)} as owned`.execute(database.em.getKysely());
  if (!rows[0]?.owned) throw new ApiError('not_found', 'only owners can export or import the site');
}

/**
 * Builder for procedures that issue tickets. Rate limits and the audit log count tickets, since each lets a small
 * request read or write a whole site.
 */
export const ticketProcedure = ownerProcedure.meta({ rpcTier: 'moderate' }).output(TransferTicket);

/** Builds a procedure that issues a ticket to `GET` an export. */
export const toExport = (kind: Exclude<TransferKind, 'check' | 'import'>) =>
  ticketProcedure
    .meta({ needsProof: true })
    .input(z.strictObject({}).prefault({}))
    .mutation(({ ctx }) => issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, kind }));
