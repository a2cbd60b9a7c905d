import { html, raw } from 'hono/html';
import { darkSheet, type MailStyle } from './email-style.ts';

/** Maximum width of emails, in pixels. Some mail programs limit the width of images only by this. */
export const mailWidth = 600;

export interface MailParts {
  language: string;
  dir: 'ltr' | 'rtl';
  style: MailStyle;
  subject: string;
  /** Text beside the subject in lists of emails. */
  preheader: string;
  site: string;
  /** Link target of the site's name; without it the name is plain text. */
  home?: string;
  content: unknown;
  foot: unknown;
}

/** Attributes of a layout table, for mail programs without CSS for tables. */
const layout = raw('role="presentation" cellpadding="0" cellspacing="0" border="0"');

/** Attributes of a layout table as wide as the column. */
export const columnWide = raw(`${layout} width="100%" style="table-layout:fixed"`);

/** Returns a row that adds `height` pixels of space below a table, because some mail programs ignore margins of tables. */
export const gap = (height: number) =>
  raw(
    `<tr><td height="${height}" style="height:${height}px;font-size:1px;line-height:${height}px">&nbsp;</td></tr>`,
  );

/**
 * Renders the frame of every email: one column in the site's colors and fonts, with layout tables and inline styles.
 * The tables keep their width even with long words or missing images.
 */
export async function mailShell(parts: MailParts): Promise<string> {
  const { language, dir, style, subject, preheader, site, home, content, foot } = parts;
  const { paper, ink, soft, line, accent, text, label, scheme } = style;
  const start = dir === 'rtl' ? 'right' : 'left';
  const small = raw(`font-family:${label};font-size:13px;line-height:1.5;color:${soft};text-align:${start}`);
  const name = home
    ? html`<a href="${home}" class="ink" style="color:${ink};text-decoration:none">${site}</a>`
    : site;
  const sheet = darkSheet(style);
  const made = html`<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="${scheme}">
<meta name="supported-color-schemes" content="${scheme}">
<title>${subject}</title>${
    sheet &&
    html`
<style>${raw(sheet)}</style>`
  }
</head>
<body class="paper" style="margin:0;padding:0;background-color:${paper};color:${ink}">
<div style="display:none;font-size:1px;line-height:1px;color:${paper};max-height:0;overflow:hidden">${preheader}</div>
<table ${layout} width="100%" class="paper" bgcolor="${paper}" style="background-color:${paper};table-layout:fixed"><tr><td align="center" style="padding:24px 16px">
<!--[if mso]><table ${layout} width="${mailWidth}"><tr><td><![endif]-->
<table ${layout} width="100%" style="max-width:${mailWidth}px;table-layout:fixed;overflow-wrap:break-word">
<tr><td class="paper accent" style="padding:0 0 24px;border-bottom:2px solid ${accent};font-family:${raw(label)};font-size:15px;line-height:1.4;font-weight:bold;color:${ink};text-align:${start}">${name}</td></tr>
<tr><td class="paper" style="padding:28px 0 0;font-family:${raw(text)};font-size:17px;line-height:1.6;color:${ink};text-align:${start}">
${content}
</td></tr>
<tr><td class="line soft" style="padding:16px 0 0;border-top:1px solid ${line};${small}">
${foot}
</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
  return String(await made);
}

/** Renders a button: a link in a cell with the site's accent color. */
export const mailButton = (
  { paper, accent, label }: MailStyle,
  { href, text, attributes = '' }: { href: string; text: string; attributes?: string },
) =>
  html`<table ${layout}><tr><td class="button" bgcolor="${accent}" style="padding:12px 20px;background-color:${accent};border-radius:8px"><a href="${href}" ${raw(attributes)} class="on" style="font-family:${raw(label)};font-size:16px;line-height:1.3;font-weight:bold;color:${paper};text-decoration:none">${text}</a></td></tr>${gap(20)}</table>`;
