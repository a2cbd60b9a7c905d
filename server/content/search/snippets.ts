import { type RawBuilder, sql } from 'kysely';
import { escapeHtml } from '../../../shared/content/sanitized-html.ts';
import { cutText } from '../../../shared/contract/cut-text.ts';
import type { SearchedCollection } from '../../../shared/contract/features/search.ts';
import { wordsIn } from '../../api/search-text.ts';

/**
 * Number of characters of a text in which words are highlighted. If words are only found beyond, the snippet is the beginning.
 */
const reach = 20_000;

const list = (...columns: string[]) =>
  sql`array_to_string(${sql.join(
    columns.map((column) => sql.ref(column)),
    sql` || `,
  )}, ', ')`;

const begun = (text: RawBuilder<unknown>) => sql`left(${text}, ${sql.lit(reach)})`;

/** SQL: text of a record that is open to everyone, apart from its title, by collection. */
export const openText: Readonly<Record<SearchedCollection, RawBuilder<unknown>>> = {
  posts: begun(sql`excerpt || E'\\n' || case when access_tier = 'free' then content else '' end`),
  projects: begun(sql`description || E'\\n' || ${list('tech_stack', 'tags')}`),
  courses: begun(
    sql`description || E'\\n' || instructor_name || ' ' || instructor_bio || E'\\n' || ${list('learning_outcomes', 'tags')}`,
  ),
  talks: begun(sql`event || ' ' || location || E'\\n' || description`),
  pages: begun(sql`content`),
};

/** Removes Markdown and HTML markup. No pattern matches past the beginning of another match, so that the time is linear. */
const plain = (text: string) =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[*`#|~]+|^[>=-]+|^[ \t]*[-+] /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Length of a snippet, and number of characters before its first highlight. */
const [maxLength, before] = [240, 60];

/** Maximum number of occurrences of search terms that are compared to find the best part of a text. */
const maxCompared = 20;

/** Maximum number of words of a phrase that are compared. */
const maxOrdered = 10;

interface Run {
  begin: number;
  end: number;
  /** Index of the search term. */
  of: number;
}

/** Returns a function that makes a snippet: escaped HTML with `<mark>` around search terms. */
export function snippetOf(marked: readonly string[]): (text: string) => string {
  const sought = marked.map((words) => [...wordsIn(words)].slice(0, maxOrdered).map(({ word }) => word));
  return (text) => {
    const shown = plain(text);
    const runs = runsIn(shown, sought);
    const [begin, end] = partOf(shown, runs);
    let [at, html] = [begin, begin > 0 ? '… ' : ''];
    for (const run of runs.filter((one) => one.begin >= begin && one.end <= end)) {
      html += `${escaped(shown.slice(at, run.begin))}<mark>${escaped(shown.slice(run.begin, run.end))}</mark>`;
      at = run.end;
    }
    return `${html}${escaped(shown.slice(at, end))}${end < shown.length ? ' …' : ''}`;
  };
}

/** Finds the first occurrences of search terms. A long text is read only as far as needed. */
function runsIn(text: string, sought: readonly string[][]): Run[] {
  const byFirst = Map.groupBy(sought.entries(), ([, [first]]) => first);
  const wordAt = readAsAsked(wordsIn(text));
  const runs: Run[] = [];
  let at = 0;
  for (let first = wordAt(at); first && runs.length < maxCompared; first = wordAt(at)) {
    const [of, words] =
      byFirst
        .get(first.word)
        ?.find(([, words]) => words.every((word, further) => wordAt(at + further)?.word === word)) ?? [];
    const last = words && wordAt(at + words.length - 1);
    if (of !== undefined && last) runs.push({ begin: first.begin, end: last.end, of });
    at += words?.length ?? 1;
  }
  return runs;
}

function readAsAsked<T>(source: Iterator<T, undefined>): (at: number) => T | undefined {
  const read: T[] = [];
  return (at) => {
    while (read.length <= at) {
      const next = source.next();
      if (next.done) return undefined;
      read.push(next.value);
    }
    return read[at];
  };
}

/** Returns the begin and end of the snippet in `text`: around the highlight that is followed by most other terms. */
function partOf(text: string, runs: readonly Run[]): [begin: number, end: number] {
  const followed = ({ begin }: Run) =>
    new Set(
      runs.filter((run) => run.begin >= begin && run.end <= begin + maxLength - before).map(({ of }) => of),
    ).size;
  const first = runs.reduce<Run | undefined>(
    (best, run) => (best && followed(best) >= followed(run) ? best : run),
    undefined,
  );
  const from = first && first.end > maxLength ? first.begin - before : 0;
  const begin = from > 0 ? blankAfter(text, from) : 0;
  const to = Math.max(begin + maxLength, first?.end ?? 0);
  const end = to >= text.length ? text.length : Math.max(blankBefore(text, to), first?.end ?? 0);
  return [begin, end];
}

/** Maximum distance to a blank at which a snippet is cut. Without one, words are cut. */
const nearBlank = 30;

function blankAfter(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  return blank >= 0 && blank - at < nearBlank ? blank + 1 : cutText(text, at).length;
}

function blankBefore(text: string, at: number): number {
  const blank = text.lastIndexOf(' ', at);
  return at - blank < nearBlank ? blank : cutText(text, at).length;
}

const escaped = (text: string) => escapeHtml(text).replaceAll("'", '&#39;');
