import { type RawBuilder, sql } from 'kysely';
import type { NewEvent } from '../contract/events.ts';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';
import type { Transaction } from '../db/config.ts';
import { preparedStatement } from '../db/prepared-statement.ts';
import { type ContentDeps, recordedEvents, type SiteEvent } from './events.ts';

/** The records of one collection of a site, and who writes them. */
export interface ContentWriter {
  deps: ContentDeps;
  siteId: string;
  collection: string;
  actor: Actor;
}

/** A write as its history tells it. */
export interface Write {
  /** SQL that carries it out, and returns a row if it did. */
  statement: RawBuilder<unknown>;
  id: string;
  /** When it was. */
  at: Date;
  events: readonly NewEvent[];
  /** SQL of the slug that they tell, if only the statement knows it. */
  slug?: RawBuilder<string> | undefined;
  /** What it leaves for others to find; nothing for a deletion, which goes to the trash. */
  revision?: { number: number; changed: readonly string[]; previous: RawBuilder<unknown> };
  /** More parts of the statement. */
  parts?: readonly RawBuilder<unknown>[];
  /** Whether its text is the same for all records of the collection. */
  prepared?: boolean;
}

/** Carries out a write with its place in the history of the record and the events it fires: one statement. */
export async function carryOut(
  em: Transaction,
  { deps, siteId, collection, actor }: ContentWriter,
  write: Write,
) {
  const { statement, id, at, slug, revision, parts = [], prepared = false } = write;
  const [first, ...more] = write.events.map((event): SiteEvent => ({ siteId, slug, ...event }));
  const told = first && recordedEvents(deps, { events: [first, ...more], after: 'written' });
  const all = [sql`written as (${statement})`, ...parts];
  if (revision) {
    const { number, changed, previous } = revision;
    all.push(sql`remembered as (
      insert into record_revisions (site_id, collection, record_id, revision, created, actor, changed, previous)
      select ${siteId}, ${collection}, ${id}, ${number}::integer, ${at}::timestamptz, ${JSON.stringify(actor)}::jsonb,
        ${changed}::text[], ${previous} from written)`);
    if (number > keptRevisions) all.push(forgotten({ siteId, collection, id, number }));
  }
  if (told) all.push(told.parts);
  await sql`${prepared ? preparedStatement : sql``}
    with ${sql.join(all)} ${told?.wake ?? sql`select from written`}`.execute(em.getKysely());
}

interface Latest {
  siteId: string;
  collection: string;
  id: string;
  number: number;
}

/** Each record remembers its latest writes only. */
const forgotten = ({ siteId, collection, id, number }: Latest) => sql`forgotten as (
  delete from record_revisions where site_id = ${siteId} and collection = ${collection} and record_id = ${id}
    and revision <= ${number - keptRevisions}::integer)`;
