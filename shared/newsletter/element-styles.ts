import { codeNames, type MailStyle } from '../mail/style.ts';

/** What programs that show mail are told of each element: they know no stylesheet that all of them would read. */
export function stylesFor({
  style,
  dir,
}: {
  style: MailStyle;
  dir: 'ltr' | 'rtl';
}): Readonly<Record<string, string>> {
  const { accent, line, soft, display, label, text, mono } = style;
  const [start, end] = dir === 'rtl' ? ['right', 'left'] : ['left', 'right'];
  const list = `margin:0 0 16px;margin-${start}:26px;padding:0`;
  const heading = `font-family:${display};font-weight:bold;line-height:1.25`;
  const cell = `padding:6px 10px;border:1px solid ${line};font-family:${text};font-size:15px;line-height:1.5`;
  return {
    p: 'margin:0 0 16px',
    h2: `margin:32px 0 12px;font-size:24px;${heading}`,
    h3: `margin:28px 0 10px;font-size:20px;${heading}`,
    h4: `margin:24px 0 8px;font-size:17px;${heading}`,
    h5: `margin:24px 0 8px;font-size:16px;${heading}`,
    h6: `margin:24px 0 8px;font-size:15px;${heading}`,
    a: `color:${accent};text-decoration:underline`,
    ul: list,
    ol: list,
    li: 'margin:0 0 6px',
    dd: `margin:0 0 8px;margin-${start}:24px`,
    dt: 'font-weight:bold',
    blockquote: 'margin:0',
    pre: `margin:0;font-family:${mono};font-size:14px;line-height:1.5;text-align:left;white-space:pre-wrap;overflow-wrap:anywhere`,
    code: `font-family:${mono};font-size:15px`,
    kbd: `font-family:${mono};font-size:15px`,
    mark: 'background-color:#fdf0a6;color:#1d1b18',
    hr: `margin:28px 0;border:0;border-top:1px solid ${line}`,
    img: `display:block;max-width:100%;height:auto;border:0`,
    figure: 'margin:0 0 20px',
    figcaption: `margin:6px 0 0;font-family:${label};font-size:14px;line-height:1.5;color:${soft}`,
    table: 'margin:0;border-collapse:collapse',
    // Outlook knows no room around tables.
    spacer: 'margin:0 0 19px;font-size:1px;line-height:1px',
    th: `${cell};font-weight:bold;text-align:${start}`,
    td: `${cell};text-align:${start}`,
    caption: `padding:0 0 6px;font-size:14px;text-align:${start}`,
    sup: 'font-size:12px;line-height:1',
    sub: 'font-size:12px;line-height:1',
    small: 'font-size:14px',
    section: `font-size:15px;line-height:1.5`,
    quoted: `padding:0 0 0 16px;border-${start}:3px solid ${line};padding-${start}:16px;padding-${end}:0`,
  };
}

/** Those that are told their colours on dark screens by a class. */
export const marked: Readonly<Record<string, string>> = {
  th: 'line',
  td: 'line',
  hr: 'line',
  figcaption: 'soft',
};

/** Words of code, as the pages of a site tell them by classes. */
const codeClasses: Readonly<Record<(typeof codeNames)[number], RegExp>> = {
  comment: /\bhljs-(comment|quote)\b/,
  keyword: /\bhljs-(keyword|built_in|type|tag|name)\b/,
  string: /\bhljs-(string|regexp|attr|attribute)\b/,
  number: /\bhljs-(number|literal|variable)\b/,
  title: /\bhljs-(title|section)\b/,
};

export const codeClass = (classes: string) => codeNames.find((name) => codeClasses[name].test(classes));
