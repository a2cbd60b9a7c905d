/**
 * Returns the parts of an email that Outlook for Windows would drop or show differently, because it renders HTML with
 * Word. The rules are those of "Word 2007 HTML and CSS rendering capabilities in Outlook 2007". Properties that it
 * drops without harm are in `extras`.
 */
export function outlookFaults(html: string): string[] {
  const body = html.slice(html.indexOf('<body'));
  const faults: string[] = [];
  for (const [, tag = '', attributes = ''] of body.matchAll(
    /<([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/g,
  )) {
    const found = new Map(
      [...attributes.matchAll(/\s+([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
    const say = (fault: string) => faults.push(`<${tag}>: ${fault}`);
    if (!tags.has(tag)) say('is not shown');
    for (const [name, value] of found) {
      if (!(attributesOf[tag] ?? everywhere).includes(name) && !everywhere.includes(name))
        say(`attribute ${name}`);
      if (name === 'style')
        for (const [property, text] of declarations(value))
          if (!takes(tag, property, text)) say(`${property}:${text}`);
    }
    if (tag === 'table' && found.get('role') === 'presentation')
      for (const name of ['cellpadding', 'cellspacing', 'border'])
        if (found.get(name) !== '0') say(`lacks ${name}`);
    if (tag === 'img' && !found.has('alt')) say('says nothing where pictures are not shown');
    if (tag === 'a' && !found.get('style')?.includes('color:')) say('has the colour of the program');
    const ground = /(?:^|;)background-color:(#[0-9a-f]{6})/.exec(found.get('style') ?? '')?.[1];
    if (ground && (tag === 'td' || tag === 'table') && !html.includes(`bgcolor="${ground}"`))
      say('lacks bgcolor');
  }
  for (const [, text = ''] of body.matchAll(/<t[dh](?:\s[^>]*?style="([^"]*)")?[^>]*>\s*[^\s<&]/g))
    if (!text.includes('font-family:')) faults.push('a cell with words: lacks its font');
  const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, sheet = '']) => sheet);
  if (sheets.some((sheet) => !sheet.startsWith('@media (prefers-color-scheme:dark){')))
    faults.push('<style>: has more than what programs add in the dark');
  if (/var\(|calc\(|url\(|@import|@font-face|javascript:/.test(body))
    faults.push('a value that it does not know');
  return [...new Set(faults)];
}

const tags = new Set(
  [
    'body table tbody thead tfoot caption tr td th div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code kbd samp var',
    'a img br hr strong b em i u s del ins mark small sub sup abbr cite q span dfn',
  ].flatMap((names) => names.split(' ')),
);

const everywhere = ['style', 'class', 'title', 'lang', 'dir'];

const grid = ['role', 'width', 'cellpadding', 'cellspacing', 'border', 'bgcolor', 'align'];

const attributesOf: Readonly<Record<string, string[]>> = {
  table: grid,
  td: ['align', 'bgcolor', 'height', 'width', 'colspan', 'rowspan'],
  th: ['align', 'scope', 'colspan', 'rowspan'],
  img: ['src', 'alt', 'width', 'height'],
  a: ['href'],
  ol: ['start', 'reversed'],
  li: ['value'],
};

/** Properties that it supports on all elements; `blocks` are the elements that support margins. */
const taken =
  /^(color|font-(family|size|weight|style)|line-height|letter-spacing|text-(align|decoration)|white-space|list-style)$/;

const blocks = /^(body|h[1-6]|p|div|ul|ol|li|dd|blockquote|pre|hr)$/;

/** Properties that it ignores, with no loss except in appearance. */
const extras = /^(max-width|max-height|overflow|overflow-wrap|border-radius|table-layout)$/;

function takes(tag: string, property: string, value: string): boolean {
  if (taken.test(property) || extras.test(property)) return true;
  if (/^margin(-(left|right))?$/.test(property))
    return blocks.test(tag) || (tag === 'table' && value === '0');
  if (/^padding(-(left|right))?$/.test(property)) return /^t[dh]$|^caption$/.test(tag) || value === '0';
  if (/^border(-(top|bottom|left|right))?$/.test(property)) return /^(td|th|hr)$/.test(tag) || value === '0';
  if (property === 'background-color') return /^(body|table|td|mark)$/.test(tag) && value.startsWith('#');
  if (property === 'border-collapse') return tag === 'table';
  if (property === 'height') return tag === 'td' || (tag === 'img' && value === 'auto');
  if (property === 'display') return value === 'none' || (tag === 'img' && value === 'block');
  return false;
}

const declarations = (style: string) =>
  style.split(';').map((one) => {
    const at = one.indexOf(':');
    return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const;
  });
