import type { Generator } from './old-addresses.ts';

const opening = String.raw`(?:\{\{[<%]|\{%-?)\s{0,20}`;
const closing = String.raw`(?:-?[>%]\}\}|-?%\})`;
const tag = (name: string) => String.raw`${opening}${name}(?=\s|-?[>%])[^%>\n]{0,200}${closing}`;
const endTag = (name: string) => tag(String.raw`(?:end|/\s{0,20})${name}`);

/** Who understands the markup of a text: what makes a site of it, or MDX, whatever does. */
export type MarkupReader = Generator | 'mdx';

interface Remark {
  begin: string;
  end: string;
  nests?: true;
  of: readonly MarkupReader[];
}

/** What nobody was to see, by how it begins and ends, and whose it is. */
export const remarks: Readonly<Record<string, Remark>> = {
  comment: {
    ...{ begin: String.raw`${opening}comment(?=\s|-?[>%])`, end: endTag('comment'), nests: true },
    of: ['hugo', 'jekyll', 'eleventy', 'astro', 'unknown'],
  },
  extension: {
    ...{ begin: String.raw`\{::comment\b`, end: String.raw`\{:/(?:comment)?\}` },
    of: ['jekyll', 'unknown'],
  },
  expression: { begin: String.raw`(?<!\{)\{/\*`, end: String.raw`\*/\}`, of: ['mdx'] },
  inline: {
    ...{ begin: String.raw`\{%-?\s{0,20}#`, end: String.raw`%\}` },
    of: ['jekyll', 'eleventy', 'unknown'],
  },
  template: {
    begin: String.raw`(?<!\{)\{#(?![\w-]{1,300}[^#}\n]{0,300}\})`,
    end: String.raw`#\}`,
    of: ['eleventy'],
  },
  note: { begin: '%%', end: '%%', of: ['obsidian'] },
};

/** These are read before Markdown is, so that they are hidden in code, too. */
export const inCodeToo: ReadonlySet<string> = new Set(['comment', 'inline', 'template']);

export const remarkKinds = Object.entries(remarks);

export const rawTag = tag('raw');

/** What ends by a mark of its own, and what of its like may be within. */
export const ends: Readonly<Record<string, { begin?: string; end: string }>> = {
  ...Object.fromEntries(
    remarkKinds.map(([kind, { begin, end, nests }]) => [kind, nests ? { begin, end } : { end }]),
  ),
  raw: { end: tag('endraw') },
};

/** Ends of nothing else: where one stands alone its beginning wasn't found. */
const strayEnds = [
  ['comment', endTag('comment')],
  ['extension', String.raw`\{:/comment\}`],
  ['template', String.raw`#\}`],
];

/** HTML that shows, or runs, what it holds as it is. */
const verbatim = ['pre', 'script', 'style']
  .map((name) => String.raw`(?i:<${name}\b(?:(?!<${name}\b)[\s\S])*?</${name}\s{0,9}>)`)
  .join('|');

/** Code goes no further than its paragraph. */
const inParagraph = String.raw`(?!\n[ \t>]*(?:\r?\n|\x60{3}|~{3}|[-*+#] |\d+[.)] ))[\s\S]`;

const code = String.raw`<code\b(?:(?!<code\b)${inParagraph})*?</code>|(?<!\x60)(?<mark>\x60+)(?!\x60)(?:${inParagraph}){1,2000}?(?<!\x60)\k<mark>(?!\x60)`;

const attributes = String.raw`[ \t]{0,9}(?:[.#][\w-]|[\w-]{1,50}(?:[ \t]{0,3}=|:?[ \t]{0,9}\}|:?[ \t]{1,9}(?:[.#]|[\w-]{1,50}=))|:(?:options|nomarkdown)\b|/)`;

/** What only a generator or a program for notes understands, and what keeps its like from being meant. */
export const own = new RegExp(
  [
    String.raw`(?<verbatim>\\\x60|${verbatim})|(?<code>${code})`,
    ...remarkKinds.map(([kind, { begin }]) => `(?<${kind}>${begin})`),
    ...strayEnds.map(([kind, end]) => `(?<${kind}End>${end})`),
    String.raw`(?<anchor>(?:^|[ \t])\^(?<block>[a-zA-Z0-9-]{1,50})[ \t]*$)|==(?<marked>[^\s=](?:[^=\n]{0,500}[^\s=])?)==`,
    // The number is the width at which Obsidian shows an image.
    String.raw`(?<sized>!\[(?:(?<shown>[^[\]\n]{0,300}?)\\?\|)?[ \t]{0,9}\d{1,5}(?:x\d{1,5})?\](?=\())`,
    `(?<raw>${rawTag})`,
    String.raw`(?<contents>^(?:[*+-]|1\.) [^\r\n]{0,100}\r?\n\{:[ \t]?toc(?![\w-])[^}\n]{0,50}\}[ \t]*$)`,
    String.raw`(?<ofBlock>(?:(?<=(?<row>\|)[ \t]{0,9}\r?\n)|)^[ \t]*\{:(?=${attributes})[^{}\n]{1,300}\}[ \t]*(?:\r?\n|$(?!\r)))`,
    String.raw`(?<ofPart>\{(?<colon>:?)[ \t]?(?:[.#][\w-]|[\w-]{1,50}=)[^{}\n]{0,300}\}(?<=\]\([^()\n]{0,500}\)\{[^{}\n]{0,310}\}))`,
    String.raw`(?<ofHeading>(?:[ \t]{1,10}#{1,6})?[ \t]{1,10}(?:\{:[ \t]?[#.][\w-]|\{#[\w-][^\s{}"<>&]{0,300}(?=\}|[ \t]{1,9}(?:[.#]|[\w-]{1,50}=)))[^{}\n]{0,300}\}[ \t]*$(?:(?<=^#{1,6}[ \t]{1,9}[^\s{][^\n]{1,600})|(?=\r?\n {0,3}(?:={1,99}|-{1,99})[ \t]*$)))`,
    String.raw`(?<belowHeading>[ \t]{0,10}\r?\n[ \t]{0,3}\{:[^{}\n]{0,300}(?<=[{:\s])#[\w-][^{}\n]{0,300}\}[ \t]*$(?<=^#{1,6}[ \t]{1,9}[^\s{][^\n]{0,600}\n[^\n]{1,700}))`,
    String.raw`^(?<quote>[ \t>]{0,12}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,3}(?:> ?){1,9})\[!(?<kind>[\w-]{1,30})(?:\|[^\]\n]{0,100})?\][+-]?(?<words>[^\r\n]*)$`,
  ].join('|'),
  'gm',
);

export const anyRemark = new RegExp(
  remarkKinds.map(([kind, { begin }]) => `(?<${kind}>${begin})`).join('|'),
  'g',
);
