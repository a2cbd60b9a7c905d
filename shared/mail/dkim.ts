import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** Email in pieces: its headers, then its body. */
export type Message = readonly [headers: Buffer, ...body: Buffer[]];

/** DKIM key (RFC 6376). Receivers find the public key in the TXT record of `SELECTOR._domainkey.DOMAIN`. */
export interface Dkim {
  selector: string;
  /** RSA key, because few receivers support other types. */
  key: KeyObject;
}

/** Returns the signing domain: the one of `From`, as DMARC requires. */
export const domainOf = (from: string) => from.slice(from.lastIndexOf('@') + 1);

/** Returns the content of the TXT record in DNS that publishes the key. */
export const dkimRecord = (key: KeyObject) =>
  `v=DKIM1; k=rsa; p=${createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')}`;

/** Headers to sign, if present: everything that the reader sees, and one-click unsubscription (RFC 8058). */
export const signedHeaders = [
  ...['From', 'Reply-To', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
  ...['Content-Transfer-Encoding', 'List-Id', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID'],
];

/**
 * Returns the `DKIM-Signature` header to place before an email, which stays unchanged. The body must have CRLF line
 * ends and no trailing blanks. It is hashed as is, so the RSA operation dominates the cost.
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

/** Returns a header in the relaxed canonical form, which does not depend on folding. */
function relaxed(line: string): string {
  const at = line.indexOf(':');
  const value = line
    .slice(at + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
  return `${line.slice(0, at).toLowerCase()}:${value}`;
}
