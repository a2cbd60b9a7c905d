import { z } from 'zod';
import { comparableEmail } from '../../../../shared/contract/email.ts';
import { explain, type ForeignRecord, unreadable } from './foreign-record.ts';
import { type GhostLookups, moment, text } from './ghost-lookups.ts';
import { momentOf } from './moments.ts';

const GhostMember = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  email: z.string(),
  name: text,
  status: text,
  subscribed: z.union([z.boolean(), z.number()]).nullish(),
  /** Set when mail came back, or was reported as spam. */
  email_disabled: z.unknown().optional(),
  created_at: moment,
  updated_at: moment,
  last_seen_at: moment,
});

/** Somebody with an account; who pays, or is let in for nothing, holds the tier of members. */
export function memberOf(row: unknown, lookups: GhostLookups, place: number): ForeignRecord {
  const known = GhostMember.safeParse(row);
  if (!known.success)
    return unreadable({ collection: 'members', sourceId: `row ${place}` }, explain(known.error));
  const { id, email, name, status, ...data } = known.data;
  const isPaying = status === 'paid' || status === 'comped' || lookups.payingMembers.has(id);
  const labels = (lookups.labelsOfMember.get(id) ?? []).flatMap((label) => lookups.labels.get(label) ?? []);
  return {
    collection: 'members',
    sourceId: id,
    title: email,
    values: {
      email,
      name: name ?? '',
      status: 'active',
      access_tiers: isPaying ? ['members'] : [],
      last_seen_at: momentOf(data.last_seen_at)?.toISOString() ?? null,
    },
    created: momentOf(data.created_at),
    updated: momentOf(data.updated_at),
    notes: labels.length > 0 ? [`Labels not imported: ${labels.join(', ')}`] : [],
  };
}

/** Subscriber of the newsletter; null for a member who does not subscribe to it, without values for one Ghost stopped mailing. */
export function subscriberOf(row: unknown, lookups: GhostLookups): ForeignRecord | null {
  const known = GhostMember.safeParse(row);
  if (!known.success) return null;
  const { id, email, name, subscribed, created_at } = known.data;
  if (!subscribed && !lookups.subscribedMembers.has(id)) return null;
  const about = { collection: 'subscribers', sourceId: id, title: email };
  const why = whyStopped(known.data, lookups);
  if (why !== null)
    return {
      ...about,
      values: null,
      notes: [`Not imported: Ghost no longer sends mail to this person (${why})`],
      isLeftOut: true,
    };
  return {
    ...about,
    values: { email, name: name ?? '', source: 'ghost' },
    created: momentOf(created_at),
  };
}

function whyStopped(
  { email, email_disabled }: z.infer<typeof GhostMember>,
  { suppressed }: GhostLookups,
): string | null {
  const reason = suppressed.get(comparableEmail(email));
  if (reason !== undefined) return `suppressions: ${reason}`;
  const isEnabled = [undefined, null, false, 0, '0', '', 'false'].some((value) => value === email_disabled);
  return isEnabled ? null : 'email_disabled';
}
