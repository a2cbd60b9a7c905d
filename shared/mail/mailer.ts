import type { Logger } from 'pino';

export interface Mail {
  /** All of them see each other's addresses. */
  to: string | readonly string[];
  subject: string;
  text: string;
  html?: string;
  /** Whose name stands before the address that it comes from; nobody's when left out. */
  fromName?: string;
  /** Where answers go; empty for where it came from. */
  replyTo?: string;
}

/** Whether the mail server took a message, and what it said when it did not; null where it said nothing. */
interface MailReply {
  accepted: boolean;
  reply: string | null;
}

export interface Mailer {
  /** Whether there is a mail server; else messages are in the log. */
  delivers: boolean;
  /**
   * Hands a message to the mail server. One that can't be sent is logged; callers are never told, since the answer would
   * show which addresses are known.
   */
  send(mail: Mail): Promise<void>;
  /** The same, for callers who may know what became of it. Never rejects. */
  hand(mail: Mail): Promise<MailReply>;
}

/** For who can try again later. */
export interface MailTransport {
  /** Hands a message to the mail server; rejects when it doesn't take it. */
  send(mail: Mail): Promise<void>;
}

/** Where messages come from, as the service's address says. */
export const senderOf = (publicUrl: URL) => `no-reply@${publicUrl.hostname}`;

/** Longest wait for the mail server, in milliseconds, at each step of a delivery. */
const timeoutMs = 10_000;

type Log = Pick<Logger, 'info' | 'error'>;

/** Sends through the server at `smtpUrl`; without one, messages are written to the log. */
export function createMailTransport(smtpUrl: string | undefined, from: string, logger: Log): MailTransport {
  if (!smtpUrl)
    return { send: async (mail) => logger.info({ mail }, 'no SMTP_URL: this message was not sent') };
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // Loaded with the first message: a server seldom sends any.
  const open = async () => (await import('nodemailer')).createTransport({ url: smtpUrl, ...times }, { from });
  let transport: ReturnType<typeof open> | undefined;
  return {
    async send({ to, fromName, ...mail }) {
      transport ??= open();
      const sender = fromName ? { from: { name: fromName, address: from } } : {};
      await (await transport).sendMail({ ...mail, ...sender, to: [to].flat() });
    },
  };
}

/** Sends as a transport does, and tells nobody of a failure. */
export function createMailer(smtpUrl: string | undefined, from: string, logger: Log): Mailer {
  const transport = createMailTransport(smtpUrl, from, logger);
  return {
    delivers: smtpUrl !== undefined,
    async send(mail) {
      try {
        await transport.send(mail);
      } catch (error) {
        logger.error({ err: error, subject: mail.subject }, 'a message could not be sent');
      }
    },
    hand: (mail) =>
      transport.send(mail).then(
        () => ({ accepted: true, reply: null }),
        (error: unknown) => ({ accepted: false, reply: replyIn(error) }),
      ),
  };
}

/** What a server said to a message that it refused. */
function replyIn(error: unknown): string | null {
  const response = error instanceof Error && 'response' in error ? error.response : undefined;
  return typeof response === 'string' ? response : null;
}
