import { html } from 'hono/html';
import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { isWrittenFromTheRight } from '../words/direction.ts';
import type { Mail } from './mailer.ts';
import { mailButton, mailShell } from './shell.ts';
import { type MailTheme, mailStyle } from './style.ts';

/** Whose mail it is. */
interface LetterSite {
  name: string;
  theme: MailTheme;
}

interface Letter {
  subject: string;
  /** Paragraphs, with empty lines between them. */
  text: string;
  /** Of its words; English when left out. */
  language?: string;
  /** What there is to do, whose address is a line of the text. */
  action?: { href: string; label: string };
  /** What is to be copied out of the text. */
  code?: string;
}

/** A mail of a few sentences, in the shell of its site. Both parts say the same, in the same words. */
export async function letterOf(
  { name, theme }: LetterSite,
  { subject, text, language = 'en', action, code }: Letter,
): Promise<Pick<Mail, 'subject' | 'text' | 'html'>> {
  const style = mailStyle(theme);
  const paragraphs = text.trim().split(/\n{2,}/);
  const content = paragraphs.map((paragraph) => {
    const lines = paragraph.split('\n');
    const words = lines.filter((line) => line !== action?.href).join(' ');
    const said = words && html`<p style="margin:0 0 20px">${withCode(words, code)}</p>`;
    if (!action || words === lines.join(' ')) return said;
    return html`${said}${mailButton(style, { href: action.href, text: action.label })}`;
  });
  const page = mailShell({
    language,
    dir: isWrittenFromTheRight(language) ? 'rtl' : 'ltr',
    style,
    subject,
    preheader: paragraphs[0]?.split('\n')[0] ?? '',
    site: name,
    content: html`${content}`,
    foot: name,
  });
  return { subject, text, html: await page };
}

function withCode(words: string, code: string | undefined) {
  if (!code || !words.includes(code)) return words;
  const [before, after] = words.split(code, 2);
  return html`${before}<strong style="font-size:28px;line-height:1.3;letter-spacing:2px">${code}</strong>${after}`;
}

/** What letters of a site look like. Throws where there is no such site. */
export async function getLetterSite({ em }: Database, siteId: string): Promise<LetterSite> {
  const { rows } = await sql<LetterSite>`select name, theme from sites where id = ${siteId}`.execute(
    em.fork().getKysely(),
  );
  if (!rows[0]) throw new Error(`there is no site ${siteId}`);
  return rows[0];
}
