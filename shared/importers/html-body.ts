/** Tags at which Markdown begins an HTML block, which ends at the next empty line. */
const blockTag = String.raw`<\/?(?:address|article|aside|blockquote|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|iframe|li|main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)(?=[\s/>])`;
const beginsWithBlock = new RegExp(`^(?:$|${blockTag})`, 'i');
/** Maximum length of a tag of `blockTag`, with its brackets. */
const maxTagLength = 16;
const blockTags = new RegExp(`(${blockTag}[^<>]*>)`, 'i');

/** Splits HTML at `<pre>` elements: every second piece is one. An unclosed one ends with the text. */
const aroundCode = (html: string): string[] => html.split(/(<pre(?=[\s>])[\s\S]*?(?:<\/pre\s*>|$))/i);

const isCode = (at: number) => at % 2 === 1;

/**
 * Converts HTML so that Markdown shows it unchanged: an empty line would end an HTML block, and indented text would become
 * code.
 */
export const asHtmlInMarkdown = (html: string): string =>
  aroundCode(html.replaceAll('\r\n', '\n'))
    .map((piece, at, pieces) => {
      if (isCode(at)) return piece;
      const text = joined(withFootnotes(piece.replace(controls, '')), at > 0);
      return at === pieces.length - 1 ? text : `${text.trimEnd()}\n\n`;
    })
    .join('')
    .trim();

/** Renames the IDs of footnotes to those of Markdown footnotes, because pages add a prefix to all other IDs. */
const withFootnotes = (html: string): string =>
  html
    .replace(/(\bid="|\bhref="#)(?:fnref|footnote-anchor-):?(\d{1,4})\b[^"]{0,30}"/g, '$1footnote-ref$2"')
    .replace(/(\bid="|\bhref="#)(?:fn|footnote-):?(\d{1,4})\b[^"]{0,30}"/g, '$1footnote$2"');

/**
 * Elements that work only with the old site's scripts. Of buttons, only those of Ghost's players and sign-up forms: others
 * contain headings.
 */
const controls =
  /<(svg|button(?=\s[^<>]*\bclass="kg-(?:audio|video|signup)-)|form)(?=[\s>])[^<>]*>(?:(?!<\1)[\s\S]){0,20000}?<\/\1\s*>/gi;

/** Returns notes on the text of forms and SVG drawings, which are removed from a body; empty if it has none. */
export const notesOfControls = (html: string): string[] => [
  ...(/<form[\s>]/i.test(html) ? ['Forms not imported'] : []),
  ...(html.matchAll(controls).some(([each]) => /<(?:text|foreignobject)[\s>]/i.test(each))
    ? ['Text in SVG drawings not imported']
    : []),
];

/** Joins lines so that no empty line ends an HTML block. Text after code stays on its line, and a block tag gets its own. */
const joined = (piece: string, isAfterCode: boolean): string =>
  piece.replace(/\s+/g, (blank, at: number) => {
    const end = at + blank.length;
    const first = blank.indexOf('\n');
    if (first < 0) return blank;
    if (!beginsWithBlock.test(piece.slice(end, end + maxTagLength))) return isAfterCode ? ' ' : '\n';
    return first === blank.lastIndexOf('\n') ? '\n' : '\n\n';
  });

/**
 * Adds paragraph tags to text that was written without them: an empty line starts a paragraph, and a line end becomes a line
 * break.
 */
export const withParagraphs = (html: string): string =>
  outsideCode(html.replaceAll('\r\n', '\n'), (piece) =>
    piece.split(blockTags).map(paragraphsBetween).join(''),
  );

/** Adds paragraphs to the text between two block tags. Every second piece is a tag itself. */
function paragraphsBetween(each: string, at: number, all: readonly string[]): string {
  const text = each.trim();
  if (at % 2 === 1 || text === '') return each;
  const isBegun = /^<(?!\/|hr\b|blockquote\b)/i.test(all[at - 1] ?? '');
  const paragraphs = text.split(/\n[^\S\n]*\n\s*/).map(withBreaks);
  const from = each.indexOf(text);
  // Text directly after an opening tag stays the text of that element.
  const isBare = (index: number) => isBegun && index === 0 && !each.slice(0, from).includes('\n\n');
  const written = paragraphs.map((lines, index) =>
    isBare(index) || isComment.test(lines) ? lines : `<p>${lines}</p>`,
  );
  return `${each.slice(0, from)}${written.join('\n\n')}${each.slice(from + text.length)}`;
}

const isComment = /^<!--(?:(?!-->)[\s\S])*-->$/;

const withBreaks = (text: string): string =>
  text.replace(/<[^<>]*>|\s+/g, (found) =>
    found.startsWith('<') || !found.includes('\n') ? found : '<br />\n',
  );

/** Applies a change to HTML outside of `<pre>`. */
export const outsideCode = (html: string, change: (piece: string) => string): string =>
  aroundCode(html)
    .map((piece, at) => (isCode(at) ? piece : change(piece)))
    .join('');

/** Converts WordPress's caption shortcodes to figures. */
export const withCaptions = (piece: string): string =>
  piece
    .split(/(?=\[caption\b)/)
    .map(withCaption)
    .join('');

const withCaption = (piece: string): string =>
  piece.replace(
    /^\[caption\b([^\]]*)\]\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*?)\[\/caption\]/,
    (_, ...[attributes = '', image = '', below = '']: string[]) => {
      // WordPress before version 3.4 stored the caption in an attribute.
      const words = below.trim() || /\scaption=(["'])(.*?)\1/s.exec(attributes)?.[2];
      return words ? `<figure>${image}<figcaption>${words}</figcaption></figure>` : image;
    },
  );

/** Links URLs that are alone on a line. The old site embedded their content there. */
export const withLinksAlone = (piece: string): string =>
  piece.replace(/^([^\S\n]*)(https?:\/\/[^\s<>"]+)(?=[^\S\n]*$)/gm, '$1<a href="$2">$2</a>');
