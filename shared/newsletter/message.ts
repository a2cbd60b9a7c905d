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
  /** Sender name, and an address that the mail server accepts. */
  from: { name: string; address: string };
  /** Reply address; empty to reply to the sender. */
  replyTo: string;
  site_id: string;
  mailing_id: string;
}

interface Reader {
  /** ID of the recipient row. The Message-ID contains it, so repeated attempts have the same Message-ID. */
  id: string;
  email: string;
  /** URL where this reader unsubscribes. */
  unsubscribeUrl: string;
}

/**
 * Prepares the email for all readers of one body, and returns a function that creates a reader's email. Only the
 * reader's headers and the unsubscribe URL are created per email. All other bytes are created once and shared. No body
 * line begins with a dot, so SMTP does not have to escape any.
 */
export function prepareMessage({ subject, html, text, from, replyTo, site_id, mailing_id }: MessageParts) {
  const host = from.address.split('@').at(-1) ?? 'localhost';
  // In quoted-printable text, `=` precedes only two hex digits or a line end. The boundary therefore occurs in neither
  // part.
  const boundary = `=_${mailing_id}`;
  const common = [
    header('From', `${phrase(oneLine(from.name))} <${from.address}>`.trim()),
    ...(replyTo ? [header('Reply-To', `<${replyTo}>`)] : []),
    header('Subject', strings(oneLine(subject))),
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
      // `List-Unsubscribe` is not folded, because some mail programs read only the first line of a header.
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

/** Returns true for printable ASCII that cannot be mistaken for an encoded word. */
const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text) && !text.includes('=?');

const strings = (text: string) =>
  text.includes('=?') ? encodeWord(text, 'Q', 52) : encodeWords(text, 'Q', 52);

/** Formats a display name: quoted, or encoded if it is not plain ASCII. */
function phrase(name: string): string {
  if (name === '') return '';
  return isPlain(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodeWord(name, 'Q', 52);
}

/** Encodes a text as quoted-printable, split at the unsubscribe URL, which begins on a line of its own. */
function encodedAround(content: string) {
  const at = content.lastIndexOf(unsubscribeMark);
  const before = at < 0 ? content : content.slice(0, at);
  const after = at < 0 ? '' : content.slice(at + unsubscribeMark.length);
  return { before: `${quoted(before)}=\r\n`, after: quoted(after) };
}

/** Lines have at most 74 characters, which leaves room to encode a leading dot as three. */
const quoted = (text: string) => wrap(encode(text.replace(/\r\n?|\n/g, '\r\n')), 74).replace(/^\./gm, '=2E');
