import { type Kysely, sql } from 'kysely';
import { newRecordId, type RandomBytes } from '../../shared/contract/record-id.ts';
import { ownOriginOf } from '../../shared/contract/site-origin.ts';
import type { Database } from '../../shared/db/config.ts';
import { type MailBodies, mailBodies } from '../../shared/newsletter/bodies.ts';
import type { MailingKey } from './claim.ts';
import { renderApart } from './render.ts';

/** Recipients of one transaction. */
const batchSize = 5_000;

export interface PreparingDeps {
  database: Database;
  randomBytes: RandomBytes;
  /** The service's own origin. */
  publicUrl: URL;
}

/**
 * Begins a mailing whose moment has come, if no other of its site is under way, and goes on with one that was begun: freezes
 * both bodies, then writes down the recipients batch by batch. Any number of workers may do so at once.
 */
export async function prepareMailing(deps: PreparingDeps, key: MailingKey): Promise<void> {
  if (!(await beginMailing(deps.database, key))) return;
  if (!(await freeze(deps, key))) return;
  while ((await addRecipients(deps, key)) === batchSize);
}

/** Whether it is being prepared. */
async function beginMailing({ em }: Database, { site_id, mailing_id }: MailingKey): Promise<boolean> {
  const { rows } = await sql<{ status: string }>`
    update mailings m set status = 'preparing', updated = clock_timestamp()
    where site_id = ${site_id} and id = ${mailing_id} and (status = 'preparing' or (status = 'scheduled' and not exists (
      select from mailings other where other.site_id = m.site_id and other.status in ('preparing', 'sending', 'paused')
    )))
    returning status`.execute(em.fork().getKysely());
  return rows.length > 0;
}

interface Source {
  subject: string;
  preheader: string;
  is_frozen: boolean;
  is_public: boolean | null;
  revision: number;
  title: string;
  slug: string;
  excerpt: string;
  content: string;
  site: string;
  language: string;
  custom_domain: string | null;
  subdomain: string | null;
}

/** Whether its bodies are made. A post that readers can't see any more is not mailed: the mailing is cancelled. */
async function freeze({ database, publicUrl }: PreparingDeps, { site_id, mailing_id }: MailingKey) {
  const { rows } = await sql<Source>`
    select m.subject, m.preheader, m.frozen_at is not null as is_frozen, p.is_public, p.revision, p.title, p.slug, p.excerpt, p.content,
      s.name as site, s.language, s.custom_domain, s.subdomain
    from mailings m join sites s on s.id = m.site_id left join posts p on p.site_id = m.site_id and p.id = m.post_id
    where m.site_id = ${site_id} and m.id = ${mailing_id}`.execute(database.em.fork().getKysely());
  const [source] = rows;
  if (!source || source.is_frozen) return source !== undefined;
  const isPreparing = sql`site_id = ${site_id} and id = ${mailing_id} and status = 'preparing' and frozen_at is null`;
  if (!source.is_public) {
    await sql`update mailings set status = 'cancelled', pause_reason = 'post_not_public', ended_at = clock_timestamp(),
      updated = clock_timestamp() where ${isPreparing}`.execute(database.em.fork().getKysely());
    return false;
  }
  const { open, closed } = await bodiesOf(source, publicUrl);
  await sql`
    update mailings set frozen_at = clock_timestamp(), updated = clock_timestamp(), revision = ${source.revision},
      subject = ${source.subject || source.title}, prepared_through = '',
      open_html = ${open.html}, open_text = ${open.text}, closed_html = ${closed.html}, closed_text = ${closed.text}
    where ${isPreparing}`.execute(database.em.fork().getKysely());
  return true;
}

async function bodiesOf(source: Source, publicUrl: URL): Promise<MailBodies> {
  const { title, slug, excerpt, content, site, language, subject, preheader } = source;
  const post = { title, slug, excerpt, html: await renderApart(content) };
  const origin = ownOriginOf(source, { publicUrl }) ?? publicUrl.origin;
  const about = { name: site, language, origin, postalAddress: '' };
  return mailBodies(post, about, { subject: subject || title, preheader });
}

interface Candidate {
  id: string;
  email: string;
  is_meant: boolean;
}

/** Writes down the next recipients; once there are none, sending begins. Says how many subscribers it looked at. */
const addRecipients = ({ database, randomBytes }: PreparingDeps, { site_id, mailing_id }: MailingKey) =>
  database.em.fork().transactional(async (em) => {
    const db = em.getKysely<unknown>();
    const { rows } = await sql<{ prepared_through: string; frozen_at: Date }>`
      select prepared_through, frozen_at from mailings
      where site_id = ${site_id} and id = ${mailing_id} and status = 'preparing' and frozen_at is not null for update`.execute(
      db,
    );
    const [mailing] = rows;
    if (!mailing) return 0;
    const candidates = await findCandidates(db, { site_id, mailing_id }, mailing.prepared_through);
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
        ended_at = case when ${isLast} and recipients + ${added.length} = 0 then clock_timestamp() end
      where site_id = ${site_id} and id = ${mailing_id}`.execute(db);
    return candidates.length;
  });

/** Who wants mail, in the order of ids; and whether the mailing is meant for them. */
async function findCandidates(
  db: Kysely<unknown>,
  { site_id, mailing_id }: MailingKey,
  after: string,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select s.id, s.email,
      (audience.sources is null or s.source = any(audience.sources))
        and (audience.tiers is null or coalesce(mem.access_tiers && audience.tiers
          or (mem.id is not null and 'registered' = any(audience.tiers)), false)) as is_meant
    from subscribers s
    join (
      select site_id,
        case when audience ? 'sources' then array(select jsonb_array_elements_text(audience->'sources')) end as sources,
        case when audience ? 'access_tiers' then array(select jsonb_array_elements_text(audience->'access_tiers')) end as tiers,
        frozen_at
      from mailings where site_id = ${site_id} and id = ${mailing_id}
    ) audience on audience.site_id = s.site_id
    left join members mem on mem.site_id = s.site_id and mem.email = s.email and mem.status = 'active'
    where s.site_id = ${site_id} and s.id > ${after} and s.status = 'active' and s.created <= audience.frozen_at
    order by s.id limit ${batchSize}`.execute(db);
  return rows;
}
