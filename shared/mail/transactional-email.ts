import { html } from 'hono/html';
import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { isWrittenFromTheRight } from '../i18n/language-rules.ts';
import { mailButton, mailShell } from './email-frame.ts';
import { type MailTheme, mailStyle } from './email-style.ts';
import type { Mail, MailTransport } from './mailer.ts';

/** Site that an email is sent for. */
interface EmailSite {
  name: string;
  /** Sender name of the newsletter; empty for the site's name. */
  fromName: string;
  language: string;
  time_zone: string;
  subdomain: string | null;
  custom_domain: string | null;
  theme: MailTheme;
}

export interface TransactionalEmail {
  subject: string;
  /** Plain text. Empty lines separate paragraphs. */
  text: string;
  /** Language of the text; English if missing. */
  language?: string;
  /** Button. Its URL must be a line of the text. */
  action?: { href: string; label: string };
  /** Code in the text that the receiver copies. */
  code?: string;
}

/**
 * Sends the email that `write` returns, in the design of the site. Rejects with the transport's error if the mail
 * server does not accept it, or if the site does not exist.
 */
export async function sendTransactionalEmail(
  { database, mail }: { database: Database; mail: MailTransport },
  about: Pick<Mail, 'kind' | 'siteId' | 'to'>,
  write: (site: EmailSite) => TransactionalEmail,
): Promise<void> {
  const { rows } = await sql<EmailSite>`
    select name, coalesce(newsletter->>'from_name', '') as "fromName", language, time_zone, subdomain, custom_domain,
      theme from sites where id = ${about.siteId}`.execute(database.em.fork().getKysely());
  const [site] = rows;
  if (!site) throw new Error(`email not sent: site ${about.siteId} does not exist`);
  const email = write(site);
  const { subject, text } = email;
  await mail.send({
    ...about,
    fromName: site.fromName || site.name,
    subject,
    text,
    html: await htmlOf(site, email),
  });
}

/** Renders the text as HTML in the site's email frame. */
async function htmlOf(
  { name, theme }: EmailSite,
  { subject, text, language = 'en', action, code }: TransactionalEmail,
): Promise<string> {
  const style = mailStyle(theme);
  const paragraphs = text.trim().split(/\n{2,}/);
  const content = paragraphs.map((paragraph) => {
    const lines = paragraph.split('\n');
    const words = lines.filter((line) => line !== action?.href).join(' ');
    const said = words && html`<p style="margin:0 0 20px">${withCode(words, code)}</p>`;
    if (!action || words === lines.join(' ')) return said;
    return html`${said}${mailButton(style, { href: action.href, text: action.label })}`;
  });
  return mailShell({
    language,
    dir: isWrittenFromTheRight(language) ? 'rtl' : 'ltr',
    style,
    subject,
    preheader: paragraphs[0]?.split('\n')[0] ?? '',
    site: name,
    content: html`${content}`,
    foot: name,
  });
}

function withCode(words: string, code: string | undefined) {
  if (!code || !words.includes(code)) return words;
  const [before, after] = words.split(code, 2);
  return html`${before}<strong style="font-size:28px;line-height:1.3;letter-spacing:2px">${code}</strong>${after}`;
}
