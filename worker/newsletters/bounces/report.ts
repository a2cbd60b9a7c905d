import PostalMime, { type Attachment } from 'postal-mime';
import { readMessageId } from '../../../shared/newsletter/mail-tokens.ts';

/**
 * Report in an email: a bounce with its status, or a reader's complaint with the data that identifies the recipient.
 */
export type MailedReport =
  | { kind: 'failure'; status: string }
  | { kind: 'complaint'; senders: string[]; unsubscribeToken: string; recipient: string | null };

/** Parser limits. A report precedes the original email, of which only the headers matter. */
const bounds = { maxNestingDepth: 4, maxHeadersSize: 32_768, maxRfc822NestingDepth: 0 } as const;

/**
 * Parses a bounce (RFC 3464) or complaint (RFC 5965). Returns null for other emails, such as replies and out-of-office
 * notices, and for unreadable ones.
 */
export async function readReport(mail: Buffer): Promise<MailedReport | null> {
  const parsed = await PostalMime.parse(mail, { ...bounds, attachmentEncoding: 'utf8' }).catch(() => null);
  const type = parsed?.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  if (!parsed || !/^multipart\/report\s*;/i.test(type)) return null;
  const part = (...types: string[]) =>
    textOf(parsed.attachments.find(({ mimeType }) => types.includes(mimeType)));
  const isOf = (kind: string) => new RegExp(`;\\s*report-type\\s*=\\s*"?${kind}"?\\s*(;|$)`, 'i').test(type);
  if (isOf('delivery-status')) return failureIn(part('message/delivery-status'));
  if (isOf('feedback-report'))
    return complaintIn(part('message/feedback-report'), part('message/rfc822', 'text/rfc822-headers'));
  return null;
}

const textOf = (part: Attachment | undefined) => (typeof part?.content === 'string' ? part.content : '');

/**
 * Parses blocks of header fields that empty lines separate. Names become lower case, and the first field of a name
 * counts.
 */
function blocksOf(text: string): ReadonlyMap<string, string>[] {
  const blocks = text.replace(/\r\n/g, '\n').split(/\n{2,}/);
  return blocks.map((block) => {
    const fields = block
      .replace(/\n[ \t]+/g, ' ')
      .split('\n')
      .toReversed();
    return new Map(
      fields.map((field) => {
        const at = field.indexOf(':');
        return [field.slice(0, at).trim().toLowerCase(), field.slice(at + 1).trim()];
      }),
    );
  });
}

/** Returns the bounce in a delivery status; null for delayed or forwarded emails. */
function failureIn(text: string): MailedReport | null {
  const failed = blocksOf(text).find((fields) => fields.get('action')?.toLowerCase() === 'failed');
  if (!failed) return null;
  const status = /^[45]\.\d{1,3}\.\d{1,3}(?![.\d])/.exec(failed.get('status') ?? '')?.[0] ?? '5.0.0';
  // Some servers report 5.0.0 for every failure, and the precise status in `Diagnostic-Code`.
  const said = /\b[45]\d\d[ -]#?([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(
    failed.get('diagnostic-code') ?? '',
  )?.[1];
  return { kind: 'failure', status: status.endsWith('.0.0') ? (said ?? status) : status };
}

function complaintIn(report: string, original: string): MailedReport | null {
  const [said] = blocksOf(report);
  const [headers] = blocksOf(original.trimStart());
  if (!/^(abuse|fraud|virus)$/i.test(said?.get('feedback-type') ?? '')) return null;
  const senders = [said?.get('original-mail-from'), headers?.get('return-path')];
  return {
    kind: 'complaint',
    senders: senders.flatMap((sender) => sender?.replace(/^<|>$/g, '') ?? []),
    unsubscribeToken: /\/([\w-]+)>/.exec(headers?.get('list-unsubscribe') ?? '')?.[1] ?? '',
    recipient: readMessageId(headers?.get('message-id') ?? ''),
  };
}
