import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { MailingAudience } from '../../shared/contract/features/mailing-audience.ts';
import type { PauseReason } from '../../shared/contract/features/mailings.ts';
import type { NewsletterSettings } from '../../shared/contract/features/newsletter.ts';
import type { Theme } from '../../shared/contract/features/theme.ts';
import { newRecordId, type RandomBytes } from '../../shared/contract/record-id.ts';
import { ownOriginOf } from '../../shared/contract/site-paths.ts';
import type { Database } from '../../shared/db/config.ts';
import { addJob } from '../../shared/db/jobs.ts';
import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import { isMeant, subscribersOf } from '../../shared/newsletter/audience.ts';
import type { MailBodies } from '../../shared/newsletter/bodies.ts';
import { findImages } from '../../shared/newsletter/find-images.ts';
import { FaultyInputError, runApart } from '../run-program.ts';
import type { MailSource } from './lay-out-process.ts';

/** Number of recipients per transaction. Larger batches hold more memory and are not faster. */
const batchSize = 1_000;

export interface PreparingDeps {
  database: Database;
  randomBytes: RandomBytes;
  /** The service's own origin. */
  publicUrl: URL;
  /** True if test sales open content (`countsTestSales`). */
  countsTest: boolean;
}

/**
 * Runs the next step of preparing a mailing, and returns true if more steps follow. Any number of workers may run steps
 * concurrently.
 *
 * A mailing moves through these states:
 *
 *   scheduled ──due, and no other mailing of the site is unfinished──▶ preparing ──bodies stored, recipients added──▶ sending
 *   sending ──no recipient waiting or in flight──▶ sent        (a mailing without recipients is sent immediately)
 *   preparing, sending ──owner, or a fault──▶ paused ──owner──▶ preparing or sending
 *   preparing ──post not public──▶ cancelled; any unfinished state ──owner──▶ cancelled
 *   sent ──owner sends refused emails again──▶ sending
 *
 * One step starts the mailing and stores its bodies; each later step adds one batch of recipients.
 */
export async function prepareStep(deps: PreparingDeps, key: MailingKey): Promise<boolean> {
  const begun = await beginMailing(deps.database, key);
  if (!begun) return false;
  return begun.is_frozen ? (await addRecipients(deps, key)) === batchSize : freeze(deps, key);
}

/** Starts a scheduled mailing, or continues one. Returns null if it cannot be prepared now. */
async function beginMailing({ em }: Database, { site_id, mailing_id }: MailingKey) {
  const { rows } = await sql<{ is_frozen: boolean }>`
    update mailings m set status = 'preparing', updated = clock_timestamp()
    where site_id = ${site_id} and id = ${mailing_id} and (status = 'preparing' or (status = 'scheduled' and not exists (
      select from mailings other where other.site_id = m.site_id and other.status in ('preparing', 'sending', 'paused')
    )))
    returning frozen_at is not null as is_frozen`.execute(em.fork().getKysely());
  return rows[0] ?? null;
}

interface Source {
  subject: string;
  preheader: string;
  is_public: boolean | null;
  /** True for a draft that is due for publication. */
  is_coming: boolean;
  revision: number;
  title: string;
  slug: string;
  excerpt: string;
  content: string;
  cover: string;
  site: string;
  language: string;
  theme: Theme;
  custom_domain: string | null;
  subdomain: string | null;
  newsletter: NewsletterSettings;
}

/**
 * Renders and stores the bodies, and returns true if that succeeded. If the post is no longer public, the mailing is
 * cancelled. If the post cannot be rendered, it is paused. If the post is about to be published, it waits.
 */
async function freeze({ database, publicUrl }: PreparingDeps, key: MailingKey): Promise<boolean> {
  const { site_id, mailing_id } = key;
  const { rows } = await sql<Source>`
    select m.subject, m.preheader, p.is_public, p.revision,
      coalesce(p.visibility = 'public' and p.publish_at <= m.send_at, false) as is_coming, p.title, p.slug, p.excerpt, p.content, p.cover,
      s.name as site, s.language, s.theme, s.custom_domain, s.subdomain, s.newsletter
    from mailings m join sites s on s.id = m.site_id left join posts p on p.site_id = m.site_id and p.id = m.post_id
    where m.site_id = ${site_id} and m.id = ${mailing_id}`.execute(database.em.fork().getKysely());
  const [source] = rows;
  if (!source) return false;
  if (!source.is_public) {
    if (source.is_coming) return false;
    await stopPreparing(database, key, 'post_not_public');
    return false;
  }
  const images = await findImages(database.em.fork().getKysely(), site_id, source);
  const { title, slug, excerpt, content, site: name, language, theme, newsletter } = source;
  const subject = source.subject || title;
  const origin = ownOriginOf(source, { publicUrl }) ?? publicUrl.origin;
  const bodies = await layOut({
    content,
    post: { title, slug, excerpt, ...images },
    site: { name, language, theme, origin, postalAddress: newsletter.postal_address },
    words: { subject, preheader: source.preheader },
  }).catch((error: unknown) => {
    if (error instanceof FaultyInputError) return null;
    throw error;
  });
  if (!bodies) {
    await stopPreparing(database, key, 'body_not_laid_out');
    return false;
  }
  const { open, closed } = bodies;
  await sql`
    update mailings set frozen_at = clock_timestamp(), updated = clock_timestamp(), revision = ${source.revision},
      subject = ${subject}, prepared_through = '',
      open_html = ${open.html}, open_text = ${open.text}, closed_html = ${closed.html}, closed_text = ${closed.text}
    where ${isBeingFrozen(key)}`.execute(database.em.fork().getKysely());
  return true;
}

const isBeingFrozen = ({ site_id, mailing_id }: MailingKey) =>
  sql`site_id = ${site_id} and id = ${mailing_id} and status = 'preparing' and frozen_at is null`;

/**
 * Ends the preparation and notifies the owners. A post that is not public cancels the mailing, because there is nothing
 * to resume.
 */
async function stopPreparing(
  { em }: Database,
  key: MailingKey,
  reason: Extract<PauseReason, 'post_not_public' | 'body_not_laid_out'>,
) {
  const status = reason === 'post_not_public' ? 'cancelled' : 'paused';
  await sql`
    with stopped as (
      update mailings set status = ${status}, pause_reason = ${reason}, updated = clock_timestamp(),
        ended_at = case when ${status} = 'cancelled' then clock_timestamp() end
      where ${isBeingFrozen(key)} returning id
    )
    select ${addJob('tell_owner_of_mailing', { ...key, reason })} from stopped`.execute(
    em.fork().getKysely(),
  );
}

interface PreparingMailing {
  prepared_through: string;
  frozen_at: Date;
  audience: MailingAudience;
}

interface Candidate {
  id: string;
  email: string;
  is_meant: boolean;
}

/**
 * Adds the next batch of recipients. After the last batch, sending begins. Returns the number of subscribers that it
 * examined.
 */
const addRecipients = (
  { database, randomBytes, countsTest }: PreparingDeps,
  { site_id, mailing_id }: MailingKey,
) =>
  database.em.fork().transactional(async (em) => {
    const db = em.getKysely<unknown>();
    const { rows } = await sql<PreparingMailing>`
      select prepared_through, frozen_at, audience from mailings
      where site_id = ${site_id} and id = ${mailing_id} and status = 'preparing' and frozen_at is not null for update`.execute(
      db,
    );
    const [mailing] = rows;
    if (!mailing) return 0;
    const candidates = await findCandidates(db, { siteId: site_id, countsTest }, mailing);
    const added = candidates
      .filter(({ is_meant }) => is_meant)
      .map(({ id: subscriber_id, email }) => ({
        subscriber_id,
        email,
        id: newRecordId(mailing.frozen_at, randomBytes),
      }));
    await sql`
      insert into mailing_recipients (site_id, mailing_id, subscriber_id, id, email, state, attempts, doubts, due_at)
      select ${site_id}, ${mailing_id}, r.subscriber_id, r.id, r.email, 'queued', 0, 0, clock_timestamp()
      from json_to_recordset(${JSON.stringify(added)}::json) as r(subscriber_id text, id text, email text)`.execute(
      db,
    );
    const isLast = candidates.length < batchSize;
    await sql`
      update mailings m set recipients = recipients + ${added.length}, queued = queued + ${added.length},
        prepared_through = ${candidates.at(-1)?.id ?? mailing.prepared_through}, updated = clock_timestamp(),
        status = case when ${isLast} then case when recipients + ${added.length} > 0 then 'sending' else 'sent' end else status end,
        prepared_at = case when ${isLast} then clock_timestamp() end,
        ended_at = case when ${isLast} and recipients + ${added.length} = 0 then clock_timestamp() end
      where site_id = ${site_id} and id = ${mailing_id}`.execute(db);
    return candidates.length;
  });

/** Returns subscribers who may receive mail, ordered by ID, with a flag for those in the mailing's audience. */
async function findCandidates(
  db: Kysely<unknown>,
  { siteId, countsTest }: { siteId: string; countsTest: boolean },
  { audience, prepared_through, frozen_at }: PreparingMailing,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select s.id, s.email, ${isMeant(audience)} as is_meant from ${subscribersOf(siteId, countsTest)}
      and s.id > ${prepared_through} and s.created <= ${frozen_at}
    order by s.id limit ${batchSize}`.execute(db);
  return rows;
}

const layOutProgram = join(import.meta.dirname, 'lay-out-process.ts');

/** Timeout for rendering, in milliseconds. The slowest known hostile bodies take two seconds. */
const maxLayOutMs = 20_000;

const Part = z.object({ html: z.string(), text: z.string() });

const Bodies: z.ZodType<MailBodies> = z.object({ open: Part, closed: Part, tooLarge: z.boolean() });

/**
 * Renders the bodies of a mailing in a separate process. Throws `FaultyInputError` if they take too much time or
 * memory, and the process's error for other failures. The unrendered text is never mailed.
 */
export async function layOut(source: MailSource, maxMs = maxLayOutMs): Promise<MailBodies> {
  const nodeOptions = ['--max-old-space-size=128'];
  const printed = await runApart(layOutProgram, { input: JSON.stringify(source), nodeOptions, maxMs });
  return Bodies.parse(JSON.parse(printed));
}
