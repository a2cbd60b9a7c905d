import type { Address, Email } from 'postal-mime';
import type { Outbox, StoredMail } from '../../../shared/mail/outbox.ts';

/** Limits of the parser. Emails of this service are far below. */
const bounds = { maxNestingDepth: 8, maxHeadersSize: 65_536 } as const;

/** Reads the headers of emails. Emails that were deleted or cannot be parsed are omitted. */
export async function readHeads<K extends StoredMail>(outbox: Outbox, mails: readonly K[]) {
  const read = mails.map(async (kept) => {
    const mail = await parse(await outbox.read(kept), headOf);
    return mail ? [{ kept, ...headersOf(mail) }] : [];
  });
  return (await Promise.all(read)).flat();
}

/** Reads a whole email; null if it was deleted or cannot be parsed. `html` is null for a plain text email. */
export async function readWhole(outbox: Outbox, kept: StoredMail) {
  const mail = await parse(await outbox.read(kept));
  return mail && { ...headersOf(mail), html: mail.html ?? null, text: mail.text ?? '' };
}

async function parse(raw: Buffer | null, part = (whole: Buffer) => whole) {
  if (!raw) return null;
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(part(raw), bounds).catch(() => null);
}

function headOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? raw : raw.subarray(0, end);
}

const headersOf = ({ from, to = [], subject = '' }: Email) => ({
  from: from ? written(from) : '',
  to: to.map(written).join(', '),
  subject,
});

const written = ({ name, address }: Address) =>
  name && address ? `${name} <${address}>` : (address ?? name);
