import { firstNamesOf } from './foreign-record.ts';

/** Note on markup that only the old site understands, with its names; null if there is none. */
function noteOf(kind: string, names: Iterable<string>): string | null {
  const each = [...new Set(names)];
  return each.length === 0 ? null : `${kind} shown as plain text: ${firstNamesOf(each)}`;
}

const wordpress =
  /\[(?:\/([a-z][\w-]{1,40})|([a-z][\w-]{1,40}) [\w-]{1,40}=|(gallery|caption|embed|audio|video|playlist)\b)/g;

/** Returns a note on shortcodes of WordPress and its plugins in a body; null if it has none. */
export const shortcodesIn = (html: string): string | null =>
  noteOf(
    'Shortcodes',
    html.matchAll(wordpress).map(([, closed, begun, known]) => closed ?? begun ?? known ?? ''),
  );

/** Markup of template languages: shortcodes and values, tags, and texts that a filter changes. Each group has a name. */
const tags =
  /\{\{[<%]?-?\s{0,3}\/?\s{0,3}([\w./-]{1,40})|\{%-?\s{0,3}([a-z]\w{0,40})|\{\{-?\s{0,3}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')\s{0,3}\|\s{0,3}(\w{1,40})/g;

/**
 * Returns a note on template tags of Hugo, Jekyll and Eleventy in Markdown, and on MDX components; null if it has
 * none.
 */
export function templatesIn(markdown: string, isMdx: boolean): string | null {
  const text = withoutCode(markdown);
  const found = text.matchAll(tags).map(([, shortcode, tag, filter]) => shortcode ?? tag ?? filter ?? '');
  const ofMdx = isMdx ? text.matchAll(/^(?:import|export)\b|<([A-Z][\w.]{0,40})/gm) : [];
  const notes = [
    noteOf('Shortcodes and template tags', found),
    noteOf(
      'MDX components',
      [...ofMdx].map(([word, name]) => name ?? word),
    ),
  ];
  return notes.filter(Boolean).join('; ') || null;
}

/** Removes fenced code, whose content is meant to be shown. */
function withoutCode(markdown: string): string {
  let isCode = false;
  return markdown
    .split('\n')
    .filter((line) => {
      const isFence = /^ {0,3}(?:```|~~~)/.test(line);
      if (isFence) isCode = !isCode;
      return !isCode && !isFence;
    })
    .join('\n');
}
