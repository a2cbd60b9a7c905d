import { html, raw } from 'hono/html';
import { withoutEntities } from '../../../shared/content/sanitized-html.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { each, nothing, type View, when } from './parts.ts';

interface Heading {
  id: string;
  level: number;
  text: string;
}

/** Minimum number of headings for a table of contents. */
const minListed = 3;

/** Adds links to the headings of a rendered body, which have IDs. Also returns the headings, in their order. */
export function withAnchors(body: string): { body: string; headings: Heading[] } {
  const headings: Heading[] = [];
  const anchored = body.replace(
    /<h([2-6]) id="([^"]*)">(.*?)<\/h\1>/gs,
    (_, level: string, id: string, inner: string) => {
      headings.push({ id, level: Number(level), text: inner.replace(/<[^>]*>/g, '').trim() });
      // The link is hidden from screen readers, which would read it as part of the heading. Their users have the
      // table of contents.
      const link = `<a class="anchor" href="${fragmentOf(id)}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${level} id="${id}">${inner} ${link}</h${level}>`;
    },
  );
  return { body: anchored, headings };
}

/** Link to an ID of a rendered body, without its HTML entities. */
const fragmentOf = (id: string) => `#${encodeURIComponent(withoutEntities(id))}`;

export function contentsOf({ contents }: SiteStrings, headings: readonly Heading[]): View {
  const listed = headings.filter(({ level }) => level <= 3);
  return when(
    listed.length >= minListed,
    () => html`<nav class="contents" aria-label="${contents}"><details><summary>${contents}</summary>
<ol role="list">${each(
      listed,
      ({ id, level, text }) =>
        // The text comes from a sanitized body.
        html`<li${level > 2 ? raw(' class="inner-part"') : nothing}><a href="${fragmentOf(id)}">${raw(text)}</a></li>`,
    )}</ol></details></nav>`,
  );
}

/** Display names of languages that differ from their identifiers. */
const languages: Readonly<Record<string, string>> = {
  bash: 'Shell',
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JSX',
  php: 'PHP',
  py: 'Python',
  python: 'Python',
  rb: 'Ruby',
  ruby: 'Ruby',
  rs: 'Rust',
  rust: 'Rust',
  sh: 'Shell',
  sql: 'SQL',
  ts: 'TypeScript',
  tsx: 'TSX',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
};

/** Adds language names to code blocks. A block that may be wider than a phone scrolls, and can be focused by keyboard. */
export const withLanguages = (strings: SiteStrings, body: string): string =>
  body.replace(
    /<pre(?: class="[^"]*")?>(?:<code(?: class="(?:language-([\w+#-]{1,20}))?[^"]*")?>)?(?=(.*?)<\/pre>)/gs,
    (block, name: string | undefined, code: string) => {
      const language = name && (languages[name.toLowerCase()] ?? name);
      const label = language ? `${strings.code}: ${language}` : strings.code;
      const isWide = textOf(code)
        .split('\n')
        .some((line) => widthOf(line) > maxUnscrolled);
      const reached = isWide ? ` tabindex="0" role="group" aria-label="${label}"` : '';
      return `<pre${reached}${language ? ` data-language="${language}"` : ''}${block.slice('<pre'.length)}`;
    },
  );

/** Puts tables into frames. A frame that may be wider than a phone scrolls, can be focused by keyboard, and has a name. */
export function withFramedTables({ table: label }: SiteStrings, body: string): string {
  const pieces: string[] = [];
  let [depth, start, end] = [0, 0, 0];
  for (const { 0: tag, index } of body.matchAll(/<\/?table\b[^>]*>/g)) {
    if (!tag.startsWith('</')) {
      if (depth === 0) start = index;
      depth += 1;
      continue;
    }
    depth -= 1;
    if (depth > 0) continue;
    const table = body.slice(start, index + tag.length);
    const frame = canScroll(table)
      ? ['<section class="frame" tabindex="0" aria-label="', label, '">', table, '</section>']
      : ['<div class="frame">', table, '</div>'];
    pieces.push(body.slice(end, start), ...frame);
    end = index + tag.length;
  }
  return [...pieces, body.slice(end)].join('');
}

/** Number of text columns that fit on the narrowest phone, with some margin. */
const maxUnscrolled = 24;

/** Returns whether a table can be wider than a phone: its cells break only between words. */
function canScroll(table: string): boolean {
  if (/<(?:img|pre|video|audio|input|picture)\b|<table\b.*<table\b|span="/s.test(table)) return true;
  const widths: number[] = [];
  for (const row of table.split('<tr'))
    for (const [column, cell] of row
      .split(/<t[hd]\b/)
      .slice(1)
      .entries()) {
      const strings = textOf(cell.slice(cell.indexOf('>') + 1)).split(/\s+/);
      widths[column] = strings.reduce((max, word) => Math.max(max, widthOf(word) + 2), widths[column] ?? 0);
    }
  return widths.reduce((sum, width) => sum + width, 0) > maxUnscrolled;
}

const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replace(/&[^;\s]+;/g, ' ');

/** Width of a text in columns. Characters of some scripts are as wide as two Latin ones. */
const widthOf = (text: string) => text.replace(/[^\p{ASCII}]|\t/gu, '  ').length;
