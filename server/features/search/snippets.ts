import { type RawBuilder, sql } from 'kysely';
import type { SearchedCollection } from '../../../shared/contract/search.ts';

/** How far into a text words are marked: what stands beyond is found, and its text shown from the beginning. */
const reach = 20_000;

/** Characters that no text holds, since they are taken out of it. */
const [begin, end] = ['\u0002', '\u0003'];

export const markers = {
  options: `StartSel=${begin}, StopSel=${end}, MaxFragments=2, MaxWords=26, MinWords=18, ShortWord=0, FragmentDelimiter=" … "`,
} as const;

const lists = (...columns: string[]) =>
  sql.join(
    columns.map((column) => sql`array_to_string(${sql.ref(column)}, ', ')`),
    sql` || ', ' || `,
  );

/** Text without what Markdown and HTML mark it up with, and without our own marks. */
const plain = (text: RawBuilder<unknown>) => sql`regexp_replace(regexp_replace(regexp_replace(
  translate(left(${text}, ${sql.lit(reach)}), ${sql.lit(begin + end)}, ''),
  '!?\\[([^\\]]*)\\]\\([^)]*\\)', '\\1', 'g'), '<[^>]*>', ' ', 'g'), '[*\`#|~]+|^[>=-]+|^\\s*[-+] ', ' ', 'gn')`;

/** What of a record anybody may read besides its title, by its collection. */
export const openText: Readonly<Record<SearchedCollection, RawBuilder<unknown>>> = {
  posts: plain(sql`excerpt || E'\\n' || case when access_tier = 'free' then content else '' end`),
  projects: plain(sql`description || E'\\n' || ${lists('tech_stack', 'tags')}`),
  courses: plain(
    sql`description || E'\\n' || instructor_name || ' ' || instructor_bio || E'\\n' || ${lists('learning_outcomes', 'tags')}`,
  ),
  talks: plain(sql`event || ' ' || location || E'\\n' || description`),
  pages: plain(sql`content`),
};

/** A snippet as HTML: its words are marked, and all else is text. */
export const escaped = (snippet: string) =>
  snippet
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll(begin, '<mark>')
    .replaceAll(end, '</mark>');
