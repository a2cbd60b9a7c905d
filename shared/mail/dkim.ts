import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** A mail in pieces that stand one behind the other: its headers, then its body. */
export type Message = readonly [headers: Buffer, ...body: Buffer[]];

/** By what mail is signed (RFC 6376); receivers find its other half at `SELECTOR._domainkey.DOMAIN`. */
export interface Dkim {
  selector: string;
  /** An RSA key: hardly any receiver knows others. */
  key: KeyObject;
}

/** Whose signature it is: of the domain that `From` names, so that DMARC is met. */
export const domainOf = (from: string) => from.slice(from.lastIndexOf('@') + 1);

/** What receivers read of a key in the DNS. */
export const dkimRecord = (key: KeyObject) =>
  `v=DKIM1; k=rsa; p=${createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')}`;

/** What is signed, of what a message has: all that its reader sees, and that by which they unsubscribe (RFC 8058). */
export const signedHeaders = [
  ...['From', 'Reply-To', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
  ...['Content-Transfer-Encoding', 'List-Id', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID'],
];

/**
 * The signature of a message, which stands before it. That leaves its bytes as they are, so that a prepared one costs little more than
 * the arithmetic of the key: its body, whose lines end with CRLF and not in blanks, is hashed as it is.
 */
export function signatureOf([head, ...body]: Message, from: string, { selector, key }: Dkim): Buffer {
  const headers = new Map(
    head
      .toString('latin1')
      .trimEnd()
      .replace(/\r\n(?=[ \t])/g, '')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), relaxed(line)]),
  );
  const named = signedHeaders.filter((name) => headers.has(name.toLowerCase()));
  const hash = createHash('sha256');
  for (const piece of body) hash.update(piece);
  const unsigned = [
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; q=dns/txt;',
    ` d=${domainOf(from)}; s=${selector};`,
    ` h=${named.join(':\r\n  ')};`,
    ` bh=${hash.digest('base64')};`,
    ' b=',
  ].join('\r\n');
  const data = [...named.map((name) => headers.get(name.toLowerCase())), relaxed(unsigned)].join('\r\n');
  const signature = sign('sha256', Buffer.from(data, 'latin1'), key).toString('base64');
  return Buffer.from(`${unsigned}${signature.replace(/.{72}(?=.)/g, '$&\r\n ')}\r\n`);
}

/** A header as it is signed: receivers see the same however it is folded. */
function relaxed(line: string): string {
  const at = line.indexOf(':');
  const value = line
    .slice(at + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
  return `${line.slice(0, at).toLowerCase()}:${value}`;
}
