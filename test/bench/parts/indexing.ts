import { en } from '../../../shared/i18n/en.ts';
import { fr } from '../../../shared/i18n/fr.ts';
import type { Bench, Part } from '../bench.ts';
import { millis, times } from '../report.ts';
import { startService } from '../service.ts';
import { openOperator, seedSite } from '../site.ts';
import { median } from '../statistics.ts';

/** Maximum duration of a write, relative to one where only lists can be searched. */
const maxOfListsOnly = 1.05;

const posts = 20_000;

/**
 * Creation of a post of 2 KB, over HTTP and on disk, with its words in the indexes for readers and owners. Compared,
 * request by request, with one index for lists only, and with none.
 */
export const indexing: Part = async (bench) => {
  await using searched = await startSite(bench, 'bench_indexing');
  await using listsOnly = await startSite(bench, 'bench_indexing_lists', searchedByLists);
  await using without = await startSite(bench, 'bench_indexing_without', notSearched);
  const rows = [];
  for (const [language, texts] of Object.entries({ English: textsOf(en), French: textsOf(fr) })) {
    const turns = { searched: [] as number[], listsOnly: [] as number[], without: [] as number[] };
    for (let turn = -20; turn < bench.rounds * 200; turn++)
      for (const [name, site] of Object.entries({ searched, listsOnly, without })) {
        const tookMs = await site.create(texts[(turn + 20) % texts.length] ?? '');
        if (turn >= 0) turns[name as keyof typeof turns].push(tookMs);
      }
    const took = {
      searched: median(turns.searched),
      listsOnly: median(turns.listsOnly),
      without: median(turns.without),
    };
    const [ratio, all] = [took.searched / took.listsOnly, took.searched / took.without];
    rows.push(
      {
        work: `create a post of 2 KB of ${language}, p50 to that where only lists are searched`,
        target: `<= ${times(maxOfListsOnly)}`,
        result: `${times(ratio)} (${millis(took.searched)} to ${millis(took.listsOnly)})`,
        met: ratio <= maxOfListsOnly,
        values: { ratio, p50: took.searched, listsOnlyP50: took.listsOnly },
      },
      {
        work: 'the same, compared with a table without search',
        target: '',
        result: `${times(all)} (${millis(took.searched)} to ${millis(took.without)})`,
        met: null,
        values: { ratio: all, p50: took.searched, withoutP50: took.without },
      },
    );
  }
  return rows;
};

async function startSite(bench: Bench, name: string, change?: string) {
  const databaseUrl = await bench.createDatabase(name);
  await using operator = await openOperator(databaseUrl);
  if (change) await operator.database.em.execute(change);
  const { authorization } = await seedSite(operator, posts);
  const service = await startService(databaseUrl);
  let made = 0;
  return {
    /** Creates a post and returns the duration in milliseconds. */
    async create(content: string) {
      made += 1;
      const body = JSON.stringify({ title: `${content.slice(0, 40)} ${made}`, content });
      const startedAt = performance.now();
      const answer = await fetch(`${service.url}/api/v1/posts`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body,
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`a post was answered ${answer.status}`);
      return performance.now() - startedAt;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const notSearched = 'alter table posts drop column search';

/** Schema of `0005-lists`: one index for the lists of owners and readers, and words with their accents. */
const searchedByLists = `
${notSearched};
alter table posts
  add column search tsvector not null generated always as (
    to_tsvector('simple'::regconfig, title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end)
  ) stored,
  alter column search set storage external;
create index posts_narrowed_idx on posts using gin (
  site_id collate "C", (case when is_public then site_id end) collate "C", tags, search
) with (gin_pending_list_limit = 1024)`;

/** Creates texts of 2 KB from the site strings of a language. */
function textsOf(table: object): string[] {
  const words = saidIn(table).flatMap((text) => text.match(/[\p{L}’'-]+[.,!?]?/gu) ?? []);
  return Array.from({ length: 50 }, (_, text) => {
    let content = '';
    for (let at = 0; content.length < 2_000; at++)
      content += `${words[(at * (2 * text + 7) + text * 31) % words.length]} `;
    return content;
  });
}

const saidIn = (said: unknown): string[] =>
  typeof said === 'string'
    ? [said]
    : typeof said === 'object' && said !== null
      ? Object.values(said).flatMap(saidIn)
      : [];
