import { html, raw } from 'hono/html';
import { newsletter } from '../contract/features/mailings.ts';
import { pageOf } from '../contract/site-paths.ts';
import { shortened } from '../i18n/fit-text.ts';
import { isReadFromTheRight, isWrittenFromTheRight } from '../i18n/language-rules.ts';
import { siteStrings } from '../i18n/site-strings.ts';
import { columnWide, mailButton, mailShell, mailWidth } from '../mail/email-frame.ts';
import { type MailStyle, type MailTheme, mailStyle } from '../mail/email-style.ts';
import { toMailHtml } from './mail-html.ts';
import { imagesById, type MailedImage, mailedUrl } from './mailed-images.ts';
import { toPlainText } from './plain-text.ts';

/** HTML and plain text of an email. Both contain `unsubscribeMark` instead of the reader's unsubscribe URL. */
interface MailBody {
  html: string;
  text: string;
}

/**
 * Email for readers with access to the post (`open`), and for others (`closed`), which contains nothing of the post's
 * body.
 */
export interface MailBodies {
  open: MailBody;
  closed: MailBody;
  /** True if the complete email would be so long that mail programs cut it off. `open` is then the same as `closed`. */
  tooLarge: boolean;
}

export interface MailedPost {
  title: string;
  slug: string;
  excerpt: string;
  /** First paragraph of the body, as plain text. */
  beginning: string;
  /** Body as sanitized HTML. */
  html: string;
  cover: MailedImage | null;
  /** The site's own images in the body. */
  pictures: readonly MailedImage[];
}

export interface MailedSite {
  name: string;
  language: string;
  theme: MailTheme;
  /** Origin of the site's pages. */
  origin: string;
  /** Postal address of the sender; empty if not set. */
  postalAddress: string;
}

/** Placeholder for a reader's unsubscribe URL. Only its last occurrence in a part is replaced. */
export const unsubscribeMark = 'https://unsubscribe.invalid/';

/**
 * Replaces the last placeholder in a part of an email with the URL. A part without a placeholder is returned
 * unchanged.
 */
export function withUnsubscribeAt(part: string, url: string): string {
  const at = part.lastIndexOf(unsubscribeMark);
  return at < 0 ? part : `${part.slice(0, at)}${url}${part.slice(at + unsubscribeMark.length)}`;
}

/** Length of a preheader in characters: about as much as mail programs show beside the subject. */
const maxPreheaderLength = 150;

/**
 * Returns the preheader, which mail programs show beside the subject: the sender's own, the excerpt, or the beginning
 * of the post for readers with access. Empty if there is none of these.
 */
export const preheaderOf = (
  { excerpt, beginning }: Pick<MailedPost, 'excerpt' | 'beginning'>,
  said: string,
  isOpen: boolean,
): string => said || excerpt || (isOpen ? shortened(beginning, maxPreheaderLength) : '');

/** Maximum length of HTML to convert. Longer HTML would exceed the limit of a body, and its conversion takes time. */
const maxHtmlLength = 4 * newsletter.maxBodyBytes;

/**
 * Renders a post as email: `open` for readers with access, and `closed` for others. If the whole post is too large for an
 * email, `open` equals `closed` and `tooLarge` is true.
 */
export async function mailBodies(
  post: MailedPost,
  site: MailedSite,
  { subject, preheader }: { subject: string; preheader: string },
): Promise<MailBodies> {
  const page = new URL(pageOf('post', post.slug) ?? '/', site.origin);
  const context = { base: page.href, page: counted(page, post.slug), words: siteStrings(site.language) };
  const style = mailStyle(site.theme);
  // The direction of the post's text is the direction of the email.
  const dir = isReadFromTheRight(post.html.replace(/<[^>]*>/g, '')) ? 'rtl' : directionOf(site.language);
  const frame = { post, site, subject, style, dir, preheader, page: context.page };
  const closed = await bodyOf(frame, null);
  if (post.html.length > maxHtmlLength) return { open: closed, closed, tooLarge: true };
  const looks = { style, dir, pictures: imagesById(post.pictures) };
  const whole = {
    html: toMailHtml(post.html, { ...context, ...looks }),
    text: toPlainText(post.html, context.base),
  };
  const open = await bodyOf(frame, whole);
  const tooLarge = Buffer.byteLength(open.html) > newsletter.maxBodyBytes;
  return { open: tooLarge ? closed : open, closed, tooLarge };
}

/** Adds campaign parameters, by which the site's analytics count visits from the email. */
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
  style: MailStyle;
  dir: 'ltr' | 'rtl';
}

async function bodyOf(frame: Frame, whole: MailBody | null): Promise<MailBody> {
  return { html: await htmlOf(frame, whole?.html), text: textOf(frame, whole?.text) };
}

async function htmlOf(
  { post, site, subject, preheader, page, style, dir }: Frame,
  body?: string,
): Promise<string> {
  const strings = siteStrings(site.language);
  // A language without translations uses the strings of another one, so their own language is declared.
  const own = raw(`lang="${strings.language}" dir="${directionOf(strings.language)}"`);
  const { ink, accent, display } = style;
  const link = raw(`color:${accent};text-decoration:underline`);
  const content =
    body === undefined
      ? html`${post.excerpt ? html`<p style="margin:0 0 20px">${post.excerpt}</p>` : ''}${mailButton(style, { href: page, text: strings.keepReading, attributes: String(own) })}`
      : raw(body);
  return mailShell({
    language: site.language,
    dir,
    style,
    subject,
    preheader: preheaderOf(post, preheader, body !== undefined),
    site: site.name,
    home: site.origin,
    content: html`<h1 style="margin:0 0 20px;font-family:${raw(display)};font-size:30px;line-height:1.2;font-weight:bold"><a href="${page}" class="ink" style="color:${ink};text-decoration:none">${post.title}</a></h1>
${post.cover ? coverOf(post.cover, site.origin) : ''}${content}`,
    foot: html`<div ${own}>
<p style="margin:0 0 8px"><a href="${page}" style="${link}">${strings.readOnWeb}</a></p>
<p style="margin:0 0 8px">${strings.whyMailed(site.name)} <a href="${unsubscribeMark}" style="${link}">${strings.unsubscribe}</a></p>
</div>${
      site.postalAddress
        ? html`
<p dir="auto" style="margin:0 0 8px">${site.postalAddress.split(/\r?\n/).map((line, at) => html`${at > 0 ? html`<br>` : ''}${line}`)}</p>`
        : ''
    }`,
  });
}

/** Returns the cover image, at most as wide as the column. */
const coverOf = (cover: MailedImage, origin: string) =>
  html`<table ${columnWide}><tr><td style="padding:0 0 24px"><img src="${new URL(mailedUrl(cover), origin).href}" alt="${cover.alt}" width="${Math.min(cover.width, mailWidth)}" style="display:block;max-width:100%;height:auto;border:0"></td></tr></table>
`;

const directionOf = (language: string): 'ltr' | 'rtl' => (isWrittenFromTheRight(language) ? 'rtl' : 'ltr');

function textOf({ post, site, page }: Frame, body?: string): string {
  const strings = siteStrings(site.language);
  const parts = [
    `${post.title}\n${page}`,
    body ?? [post.excerpt, `${strings.keepReading}: ${page}`].filter(Boolean).join('\n\n'),
    '-- ',
    [strings.whyMailed(site.name), `${strings.unsubscribe}: ${unsubscribeMark}`].join('\n'),
    site.postalAddress,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
