import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { NewsletterSettings } from '../../shared/contract/features/newsletter.ts';
import { sitePaths } from '../../shared/contract/site-paths.ts';
import type { Database } from '../../shared/db/config.ts';
import { type Dkim, signatureOf } from '../../shared/mail/dkim.ts';
import { bounceAddress, unsubscribeToken } from '../../shared/newsletter/mail-tokens.ts';
import { prepareMessage } from '../../shared/newsletter/message.ts';
import type { ClaimedRecipient } from './claim.ts';
import type { Envelope } from './relay.ts';

export interface MessageSettings {
  /** Sender address of the envelope and of the `From` header. */
  from: string;
  /** DKIM key that signs the emails. Without it they are unsigned. */
  dkim?: Dkim | null | undefined;
  /** Domain of bounce addresses, which identify the recipient; null if bounces go to the sender address. */
  bounceDomain: string | null;
  /** The service's own origin, used in unsubscribe links. */
  publicUrl: URL;
  keyOf(siteId: string): Promise<string>;
}

interface FrozenBody {
  subject: string;
  site: string;
  newsletter: NewsletterSettings;
  html: string;
  text: string;
}

/** Maximum number of cached bodies. A mailing has two. */
const maxHeld = 20;

/**
 * Creates the emails of mailings. Each body is prepared once for all its readers. `make` resolves to null if the bodies of
 * the mailing are not stored.
 */
export function createMessages(
  database: Database,
  { from, dkim, bounceDomain, publicUrl, keyOf }: MessageSettings,
): { make(claim: ClaimedRecipient): Promise<{ envelope: Envelope; message: readonly Buffer[] } | null> } {
  const prepared = new LRUCache<string, ReturnType<typeof prepareMessage>, ClaimedRecipient>({
    max: maxHeld,
    fetchMethod: (_key, _stale, { context }) => prepare(context),
    // A body that is evicted while it is prepared is still returned to the callers that wait for it.
    ignoreFetchAbort: true,
  });

  async function prepare({ site_id, mailing_id, body }: ClaimedRecipient) {
    const { rows } = await sql<FrozenBody>`
      select m.subject, s.name as site, s.newsletter, ${sql.ref(`m.${body}_html`)} as html, ${sql.ref(`m.${body}_text`)} as text
      from mailings m join sites s on s.id = m.site_id
      where m.site_id = ${site_id} and m.id = ${mailing_id} and m.frozen_at is not null`.execute(
      database.em.getKysely(),
    );
    const [frozen] = rows;
    if (!frozen) return;
    const { newsletter, site, ...parts } = frozen;
    const sender = { name: newsletter.from_name || site, address: from };
    return prepareMessage({ ...parts, from: sender, replyTo: newsletter.reply_to, site_id, mailing_id });
  }

  return {
    async make(claim) {
      const { id, email, site_id: siteId, mailing_id, subscriber_id: subscriberId, body } = claim;
      const messageFor = await prepared.fetch(`${siteId}/${mailing_id}/${body}`, { context: claim });
      if (!messageFor) return null;
      const key = await keyOf(siteId);
      const token = unsubscribeToken(key, { siteId, subscriberId, email });
      const unsubscribeUrl = new URL(sitePaths.unsubscribe.replace(':token', token), publicUrl).href;
      const unsigned = messageFor({ id, email, unsubscribeUrl }, new Date());
      const message = dkim ? [signatureOf(unsigned, from, dkim), ...unsigned] : unsigned;
      const sender =
        bounceDomain === null ? from : bounceAddress(key, { siteId, recipientId: id }, bounceDomain);
      return { envelope: { from: sender, to: email, siteId }, message };
    },
  };
}
