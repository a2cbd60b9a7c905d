import { encodeWord, encodeWords, foldLines } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import { oneLine } from '../i18n/fit-text.ts';
import type { Message } from '../mail/dkim.ts';
import { unsubscribeMark } from './bodies.ts';
import { messageIdOf } from './mail-tokens.ts';

interface MessageParts {
  subject: string;
  html: string;
  text: string;
  /** Who sends it: a name, and the address that the relay takes. */
  from: { name: string; address: string };
  /** Where answers go; empty for where it came from. */
  replyTo: string;
  site_id: string;
  mailing_id: string;
}

interface Reader {
  /** Of the copy. It is in the Message-ID, which stays the same however often the copy is sent. */
  id: string;
  email: string;
  /** Where this reader unsubscribes. */
  unsubscribeUrl: string;
}

/**
 * A mail for all who get the same body. The headers and the address to unsubscribe at are made for each copy; all else is made
 * once, and its bytes are shared by all copies. No line of its body begins with a dot, which SMTP would want doubled.
 */
export function prepareMessage({ subject, html, text, from, replyTo, site_id, mailing_id }: MessageParts) {
  const host = from.address.split('@').at(-1) ?? 'localhost';
  // Encoded text has `=` only before two digits or the end of a line, so that this is in neither part.
  const boundary = `=_${mailing_id}`;
  const common = [
    header('From', `${phrase(oneLine(from.name))} <${from.address}>`.trim()),
    ...(replyTo ? [header('Reply-To', `<${replyTo}>`)] : []),
    header('Subject', words(oneLine(subject))),
    header('List-Id', `<${site_id}.newsletter.${host}>`),
    header('Feedback-ID', `${mailing_id}:${site_id}:newsletter:${host}`),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ].join('\r\n');
  const bodies = [['text/plain', text] as const, ['text/html', html] as const].map(([type, content]) => {
    const head = `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;
    const { before, after } = encodedAround(content);
    return { before: Buffer.from(head + before), after: Buffer.from(`=\r\n${after}\r\n`) };
  });
  const end = Buffer.from(`--${boundary}--\r\n`);

  return ({ id, email, unsubscribeUrl }: Reader, sentAt: Date): Message => {
    const own = [
      `To: <${email}>`,
      `Date: ${sentAt.toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${messageIdOf({ id, mailing_id, host })}`,
      // Not folded: some who read it take only its first line.
      `List-Unsubscribe: <${unsubscribeUrl}>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ].join('\r\n');
    const url = Buffer.from(quoted(unsubscribeUrl));
    return [
      Buffer.from(`${own}\r\n${common}\r\n\r\n`),
      ...bodies.flatMap(({ before, after }) => [before, url, after]),
      end,
    ];
  };
}

const header = (name: string, value: string) => foldLines(`${name}: ${value}`, 76);

/** What stands as it is: printable, and nothing that would be decoded. */
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text) && !text.includes('=?');

const words = (text: string) =>
  text.includes('=?') ? encodeWord(text, 'Q', 52) : encodeWords(text, 'Q', 52);

/** A name before an address: in quotes, or encoded, where quotes would be shown. */
function phrase(name: string): string {
  if (name === '') return '';
  return isPlain(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodeWord(name, 'Q', 52);
}

/** A text as quoted-printable, up to the address to unsubscribe at and from there on, which begins on a line of its own. */
function encodedAround(content: string) {
  const at = content.lastIndexOf(unsubscribeMark);
  const before = at < 0 ? content : content.slice(0, at);
  const after = at < 0 ? '' : content.slice(at + unsubscribeMark.length);
  return { before: `${quoted(before)}=\r\n`, after: quoted(after) };
}

/** In lines of 74, so that there is room for a dot to be written as three characters. */
const quoted = (text: string) => wrap(encode(text.replace(/\r\n?|\n/g, '\r\n')), 74).replace(/^\./gm, '=2E');
