import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import {
  importExport,
  type TransferKind,
  TransferTicket,
  transfersPath,
} from '../../shared/contract/features/import-export.ts';
import type { Actor } from '../../shared/contract/history.ts';
import { Timestamp } from '../../shared/contract/moments.ts';
import { MoveTicketEntity } from '../../shared/db/entities/transfer.ts';
import { hashSecret } from '../../shared/runtime/secret-box.ts';
import { markedText } from '../api/access/credentials.ts';
import { ownerProcedure } from '../api/access/procedures.ts';
import { hostAdmits, hostNames } from '../api/access/site-of-host.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps, StoreDeps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';

/** What somebody with a ticket may do, once. */
export interface Ticket {
  siteId: string;
  kind: TransferKind;
  actor: Actor;
}

/** What somebody shows who wants to use one, and at which host. */
export interface GivenTicket {
  siteId: string;
  token: string;
  kinds: readonly TransferKind[];
  host: string;
}

const tokenLength = 43;

/** An address that takes one request for this transfer. Those of the site that nobody used in time are forgotten. */
export async function issueTicket(deps: StoreDeps, { siteId, actor, kind }: Ticket) {
  const token = markedText(siteId, tokenLength, deps.randomBytes);
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

/** Uses a ticket up and returns what it allows. Throws `not_found` for another kind, owner or domain. */
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

/** What somebody may do is asked for when they get a ticket, and may have changed since. */
const isOfOwner = ownedBy(sql.ref('move_tickets.site_id'), sql`move_tickets.actor ->> 'id'`);

/** SQL: whether somebody is an owner of a site. */
function ownedBy(siteId: RawBuilder<unknown>, personId: RawBuilder<unknown>) {
  return sql<boolean>`exists (select from site_people p
    where p.site_id = ${siteId} and p.person_id = ${personId} and p.role = 'owner')`;
}

/** The same while it is under way. Throws `not_found` for who is no owner any more. */
export async function requireOwner(
  { database }: Pick<Deps, 'database'>,
  { siteId, actor }: Pick<Ticket, 'siteId' | 'actor'>,
): Promise<void> {
  const { rows } = await sql<{ owned: boolean }>`
    select ${ownedBy(sql`${siteId}`, sql`${actor.id}`)} as owned`.execute(database.em.getKysely());
  if (!rows[0]?.owned) throw new ApiError('not_found', 'only owners of the site move it');
}

/** A ticket is what is limited and noted: each makes the server read or write a whole site, however small a request it is. */
export const ticketProcedure = ownerProcedure.meta({ rpcTier: 'moderate' }).output(TransferTicket);

/** Gives a ticket to `GET` what is taken out. */
export const toExport = (kind: Exclude<TransferKind, 'check' | 'import'>) =>
  ticketProcedure
    .meta({ needsProof: true })
    .input(z.strictObject({}).prefault({}))
    .mutation(({ ctx }) => issueTicket(ctx.deps, { siteId: ctx.siteId, actor: ctx.actor, kind }));
