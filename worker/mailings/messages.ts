import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { prepareMessage } from '../../shared/newsletter/message.ts';
import type { ClaimedCopy } from './claim.ts';
import type { Envelope } from './relay.ts';

export interface MessageSettings {
  /** Who sends, as the relay takes it. */
  from: string;
  /** Where the reader of a copy unsubscribes. */
  unsubscribeUrl(reader: Pick<ClaimedCopy, 'site_id' | 'subscriber_id'>): Promise<string>;
}

interface FrozenBody {
  subject: string;
  site: string;
  html: string;
  text: string;
}

/** Bodies that are held: of the mailings under way, two each. */
const mostHeld = 20;

/** Copies of mailings as they are sent. A body is made once for all who get it. */
export function createMessages(
  database: Database,
  { from, unsubscribeUrl }: MessageSettings,
): { make(claim: ClaimedCopy): Promise<{ envelope: Envelope; message: Buffer } | null> } {
  const held = new Map<string, Promise<ReturnType<typeof prepareMessage> | null>>();

  async function prepare({ site_id, mailing_id, body }: ClaimedCopy) {
    const { rows } = await sql<FrozenBody>`
      select m.subject, s.name as site, ${sql.ref(`m.${body}_html`)} as html, ${sql.ref(`m.${body}_text`)} as text
      from mailings m join sites s on s.id = m.site_id
      where m.site_id = ${site_id} and m.id = ${mailing_id} and m.frozen_at is not null`.execute(
      database.em.getKysely(),
    );
    const [frozen] = rows;
    if (!frozen) return null;
    return prepareMessage({ ...frozen, from: { name: frozen.site, address: from }, site_id, mailing_id });
  }

  function preparedFor(claim: ClaimedCopy) {
    const key = `${claim.site_id}/${claim.mailing_id}/${claim.body}`;
    const known = held.get(key);
    if (known) return known;
    const made = prepare(claim);
    held.set(key, made);
    made.catch(() => held.delete(key));
    const [oldest] = held.keys();
    if (held.size > mostHeld && oldest !== undefined) held.delete(oldest);
    return made;
  }

  return {
    async make(claim) {
      const messageFor = await preparedFor(claim);
      if (!messageFor) return null;
      const { id, email } = claim;
      const url = await unsubscribeUrl(claim);
      const message = messageFor({ id, email, unsubscribeUrl: url }, new Date());
      return { envelope: { from, to: email }, message };
    },
  };
}
