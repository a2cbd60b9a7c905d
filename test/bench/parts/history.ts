import { sql } from 'kysely';
import { changeRecord, insertRecord, lockRecord } from '../../../shared/content/records.ts';
import { type ContentWriter, carryOut, contentEvents } from '../../../shared/content/write.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import type { Part } from '../bench.ts';
import { perSecond, times } from '../report.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

const writers = 4;
const maxOfForgetting = 1.3;
const content = 'lorem ipsum '.repeat(170);
const posts = 1_000;

/** Cost of recording a revision: the same statements with and without their history, each commit on disk. */
export const history: Part = async (bench) => {
  await using operator = await openOperator(await bench.createDatabase('bench_history'));
  const { siteId } = await seedSite(operator, posts);
  const actor = { kind: 'owner', id: '', name: 'Ada Marsh' } as const;
  const writer: ContentWriter = { deps: operator, siteId, resource: post, actor };
  const rate = (write: (em: Transaction) => Promise<unknown>) =>
    rateOf(bench.seconds, () => operator.database.em.fork().transactional(write));
  const works = {
    create: [(em: Transaction) => create(em, writer), (em: Transaction) => createUnremembered(em, writer)],
    update: [(em: Transaction) => update(em, writer), (em: Transaction) => updateUnremembered(em, writer)],
  } as const;
  const rows = [];
  for (const [name, [remembered, forgotten]] of Object.entries(works)) {
    const rounds = [];
    for (let round = 0; round < bench.rounds; round++)
      rounds.push({ without: await rate(forgotten), with: await rate(remembered) });
    const ratio = median(rounds.map((round) => round.without / round.with));
    const [remembering, forgetting] = [
      median(rounds.map((round) => round.with)),
      median(rounds.map(({ without }) => without)),
    ];
    rows.push({
      work: `${name} a post and remember it, ${writers} at once, time to that without history`,
      target: `<= ${times(maxOfForgetting)}`,
      result: `${times(ratio)} (${perSecond(remembering)} of ${perSecond(forgetting)})`,
      met: ratio <= maxOfForgetting,
      values: { ratio, perSecond: remembering, forgettingPerSecond: forgetting },
    });
  }
  return rows;
};

async function rateOf(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const repeat = async () => {
    for (; performance.now() - startedAt < seconds * 1_000; done++) await work();
  };
  await Promise.all(Array.from({ length: writers }, repeat));
  return done / ((performance.now() - startedAt) / 1_000);
}

let made = 0;

function newRow({ deps, siteId }: ContentWriter) {
  const now = deps.clock.now();
  const id = newRecordId(now, deps.randomBytes);
  const own = { title: `Post ${id}`, slug: `post-${id}`, content, published_at: now };
  const row = { ...unsetValues(post.fields), ...own, site_id: siteId, id };
  return { ...row, created: now, updated: now, revision: 1, created_by: null };
}

const create = (em: Transaction, writer: ContentWriter) =>
  insertRecord(em, writer, { row: newRow(writer), unset: unsetValues(post.fields) });

function createUnremembered(em: Transaction, writer: ContentWriter) {
  const row = newRow(writer);
  const columns = Object.keys(row);
  return carryOut(em, writer, {
    statement: sql`
      insert into posts (${sql.join(columns.map((column) => sql.ref(column)))})
      values (${sql.join(Object.values(row))}) returning id`,
    id: row.id,
    at: row.created,
    events: contentEvents(post.collection, row, 'content.created'),
    prepared: true,
  });
}

/** Locks the next post, whose body is about to change. */
async function nextPost(em: Transaction, writer: ContentWriter) {
  made += 1;
  const id = String(1 + (made % posts)).padStart(15, '0');
  const record = await lockRecord(em, writer, { id, also: ['content'] });
  if (!record) throw new Error(`there is no post ${id}`);
  return { record, changes: { content: `${content}${made}` } };
}

async function update(em: Transaction, writer: ContentWriter) {
  const { record, changes } = await nextPost(em, writer);
  await changeRecord(em, writer, { before: record, values: changes });
}

async function updateUnremembered(em: Transaction, writer: ContentWriter) {
  const { record, changes } = await nextPost(em, writer);
  const at = writer.deps.clock.now();
  await carryOut(em, writer, {
    statement: sql`
      update posts set content = ${changes.content}, updated = ${at}, revision = ${record.revision}
      where site_id = ${writer.siteId} and id = ${record.id} returning id`,
    id: record.id,
    at,
    events: contentEvents(post.collection, record, 'content.updated'),
  });
}
