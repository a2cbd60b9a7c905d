/** What a server said of a copy, at once or in a report: its code, and the finer one of RFC 3463. */
export interface ServerReply {
  reply_code: number | null;
  reply_status: string | null;
}

/**
 * What that says of the reader. `gone`: there is no such mailbox. `failing`: it takes nothing, for whatever reason. `delayed`: it took nothing
 * for so long that it was given up.
 */
export type ReaderVerdict = 'gone' | 'failing' | 'delayed';

const classOf = ({ reply_code, reply_status }: ServerReply) =>
  reply_status?.[0] ?? String(reply_code ?? '')[0];

/** Of what says that the mail is refused, or who sends it: policy (5.7), and a sender that is not taken (5.1.7, 5.1.8). */
export const heldAgainstMailing = /^5\.(7\.[0-9]+|1\.[78])$/;

/** Whether what was refused is the mail, or who sends it. */
export const isHeldAgainstMailing = ({ reply_status }: ServerReply): boolean =>
  heldAgainstMailing.test(reply_status ?? '');

/** Null where it says nothing of the reader. */
export function verdictOf(reply: ServerReply): ReaderVerdict | null {
  if (isHeldAgainstMailing(reply)) return null;
  if (/^5\.(1\.\d+|2\.1)$/.test(reply.reply_status ?? '')) return 'gone';
  return verdicts[classOf(reply) ?? ''] ?? null;
}

const verdicts: Readonly<Record<string, ReaderVerdict>> = { 4: 'delayed', 5: 'failing' };
