import { html, raw } from 'hono/html';
import { withoutEntities } from '../../../../shared/html-entities.ts';
import type { Words } from '../../../../shared/words/en.ts';
import { each, nothing, type View, when } from './parts.ts';

interface Heading {
  id: string;
  level: number;
  text: string;
}

/** From so many headings on, a text says at its beginning what it holds. */
const leastListed = 3;

/** The headings of a rendered body, which have ids, with links to themselves. */
export function withAnchors(body: string): { body: string; headings: Heading[] } {
  const headings: Heading[] = [];
  const anchored = body.replace(
    /<h([2-6]) id="([^"]*)">(.*?)<\/h\1>/gs,
    (_, level: string, id: string, inner: string) => {
      headings.push({ id, level: Number(level), text: inner.replace(/<[^>]*>/g, '').trim() });
      // Heard as a part of the heading it would be in the way: the table of contents is there for those who hear the page.
      const link = `<a class="anchor" href="${fragmentOf(id)}" aria-hidden="true" tabindex="-1">#</a>`;
      return `<h${level} id="${id}">${inner} ${link}</h${level}>`;
    },
  );
  return { body: anchored, headings };
}

/** A link to an id of a rendered body, whose entities are written out. */
const fragmentOf = (id: string) => `#${encodeURIComponent(withoutEntities(id))}`;

/** What a text holds; nothing of a text with few parts. */
export function contentsOf({ contents }: Words, headings: readonly Heading[]): View {
  const listed = headings.filter(({ level }) => level <= 3);
  return when(
    listed.length >= leastListed,
    () => html`<nav class="contents" aria-label="${contents}"><details><summary>${contents}</summary>
<ol role="list">${each(
      listed,
      ({ id, level, text }) =>
        // The text is of a body that was made safe.
        html`<li${level > 2 ? raw(' class="inner-part"') : nothing}><a href="${fragmentOf(id)}">${raw(text)}</a></li>`,
    )}</ol></details></nav>`,
  );
}

/** Names that people give languages, where their own is no word. */
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

/** Blocks of code, which scroll and so can be reached by keys, with the name of their language. */
export const withLanguages = (body: string): string =>
  body
    .replace(
      /<pre><code class="language-([\w+#-]{1,20})( [^"]*)?">/g,
      (block, name: string) =>
        `<pre data-language="${languages[name.toLowerCase()] ?? name}">${block.slice('<pre>'.length)}`,
    )
    .replace(/<pre(?=[ >])/g, '<pre tabindex="0"');
