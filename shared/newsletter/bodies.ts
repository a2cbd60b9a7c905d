import { html, raw } from 'hono/html';
import { isWrittenFromTheRight } from '../contract/direction.ts';
import { newsletter } from '../contract/mailings.ts';
import { pageOf } from '../contract/site-paths.ts';
import { wordsOf } from '../words/words.ts';
import { mailWidth, toMailHtml } from './mail-html.ts';
import { toPlainText } from './plain-text.ts';

/** Both parts of a mail. Where the address of a reader comes by which to unsubscribe, they have `unsubscribeMark`. */
interface MailBody {
  html: string;
  text: string;
}

/** A mail to those who may read the post, and one to all others, in which is nothing that was made of its body. */
export interface MailBodies {
  open: MailBody;
  closed: MailBody;
  /** The open body is as the closed one: programs that show mail cut off what is longer. */
  tooLarge: boolean;
}

export interface MailedPost {
  title: string;
  slug: string;
  excerpt: string;
  /** Its body as safe HTML. */
  html: string;
}

export interface MailedSite {
  name: string;
  language: string;
  /** Where the site's pages are. */
  origin: string;
  /** The postal address of the sender; empty where nobody said. */
  postalAddress: string;
}

/** No address that there is: it stands for that of each reader. The last one of a part is meant. */
export const unsubscribeMark = 'https://unsubscribe.invalid/';

/** A part of a mail that leads there to unsubscribe. */
export function withUnsubscribeAt(part: string, url: string): string {
  const at = part.lastIndexOf(unsubscribeMark);
  return at < 0 ? part : `${part.slice(0, at)}${url}${part.slice(at + unsubscribeMark.length)}`;
}

/** Longer ones would not fit, and turning them into mail takes time. */
const longestHtml = 4 * newsletter.longestBodyBytes;

/** A post as mail, by which subject and with which words beside it in lists of mail. */
export async function mailBodies(
  post: MailedPost,
  site: MailedSite,
  { subject, preheader }: { subject: string; preheader: string },
): Promise<MailBodies> {
  const page = new URL(pageOf('post', post.slug) ?? '/', site.origin);
  const place = { base: page.href, page: counted(page, post.slug), words: wordsOf(site.language) };
  const frame = { post, site, subject, preheader: preheader || post.excerpt, page: place.page };
  const closed = await bodyOf(frame, null);
  if (post.html.length > longestHtml) return { open: closed, closed, tooLarge: true };
  const whole = { html: toMailHtml(post.html, place), text: toPlainText(post.html, place.base) };
  const open = await bodyOf(frame, whole);
  const tooLarge = Buffer.byteLength(open.html) > newsletter.longestBodyBytes;
  return { open: tooLarge ? closed : open, closed, tooLarge };
}

/** As the site's own analytics tell visits that come from a mail. */
function counted(page: URL, campaign: string): string {
  const url = new URL(page);
  url.search = String(
    new URLSearchParams({ utm_source: 'newsletter', utm_medium: 'email', utm_campaign: campaign }),
  );
  return url.href;
}

interface Frame {
  post: MailedPost;
  site: MailedSite;
  subject: string;
  preheader: string;
  page: string;
}

async function bodyOf(frame: Frame, whole: MailBody | null): Promise<MailBody> {
  return { html: await htmlOf(frame, whole?.html), text: textOf(frame, whole?.text) };
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const quiet = `margin:0 0 8px;font-size:13px;line-height:1.5;color:#666666`;
const link = 'color:#0b57d0;text-decoration:underline';

async function htmlOf({ post, site, subject, preheader, page }: Frame, body?: string): Promise<string> {
  const dir = directionOf(site.language);
  const words = wordsOf(site.language);
  // A language without words of its own has those of another.
  const own = { lang: words.language, dir: directionOf(words.language) };
  const content =
    body === undefined
      ? html`${post.excerpt ? html`<p style="margin:0 0 20px">${post.excerpt}</p>` : ''}<p style="margin:0 0 20px"><a href="${page}" lang="${own.lang}" dir="${own.dir}" style="${link};font-weight:bold">${words.keepReading}</a></p>`
      : raw(body);
  const made = html`<!doctype html>
<html lang="${site.language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background:#ffffff;color:#1c1c1c;${raw(font)};font-size:17px;line-height:1.6;overflow-wrap:break-word">
<div style="display:none;max-height:0;overflow:hidden">${preheader}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border:0"><tr><td align="center" style="padding:24px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:${mailWidth}px;border:0"><tr><td style="text-align:start">
<p style="${quiet}">${site.name}</p>
<h1 style="margin:0 0 20px;font-size:30px;line-height:1.2"><a href="${page}" style="color:#1c1c1c;text-decoration:none">${post.title}</a></h1>
${content}
<hr style="margin:32px 0 16px;border:0;border-top:1px solid #d0d0d0">
<div lang="${own.lang}" dir="${own.dir}">
<p style="${quiet}"><a href="${page}" style="${link}">${words.readOnWeb}</a></p>
<p style="${quiet}">${words.whyMailed(site.name)} <a href="${unsubscribeMark}" style="${link}">${words.unsubscribe}</a></p>
</div>
${site.postalAddress ? html`<p style="${quiet}">${site.postalAddress.split(/\r?\n/).map((line, at) => html`${at > 0 ? html`<br>` : ''}${line}`)}</p>` : ''}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
  return String(await made);
}

const directionOf = (language: string) => (isWrittenFromTheRight(language) ? 'rtl' : 'ltr');

function textOf({ post, site, page }: Frame, body?: string): string {
  const words = wordsOf(site.language);
  const parts = [
    `${post.title}\n${page}`,
    body ?? [post.excerpt, `${words.keepReading}: ${page}`].filter(Boolean).join('\n\n'),
    '-- ',
    [words.whyMailed(site.name), `${words.unsubscribe}: ${unsubscribeMark}`].join('\n'),
    site.postalAddress,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
