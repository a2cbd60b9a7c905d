import type { Logger } from 'pino';
import { oneLine } from '../i18n/fit-text.ts';
import { lazily } from '../runtime/single-flight.ts';
import { type Dkim, domainOf, signedHeaders } from './dkim.ts';
import type { MailAbout, Outbox } from './outbox.ts';

export interface Mail extends MailAbout {
  /** Receivers. They see each other's addresses. */
  to: string | readonly string[];
  subject: string;
  text: string;
  html?: string;
  /** Sender name; empty or missing for the address alone. */
  fromName?: string;
  /** Reply address; empty to reply to the sender. */
  replyTo?: string;
}

/**
 * Result of a delivery to the mail server. `reply` is the server's answer to a refused email; null if there was none.
 */
interface MailReply {
  accepted: boolean;
  reply: string | null;
}

export interface Mailer {
  /** True if emails are sent or stored in the outbox. Otherwise they are only logged. */
  delivers: boolean;
  /** True if emails are signed by DKIM. */
  signs: boolean;
  /** Outbox that stores emails; null if emails are sent or dropped. */
  outbox: Outbox | null;
  /**
   * Sends an email. Never rejects: failures are only logged, because the caller's response would otherwise reveal which
   * addresses are known.
   */
  send(mail: Mail): Promise<void>;
  /** Sends an email and returns the result, for callers whose response may contain it. Never rejects. */
  hand(mail: Mail): Promise<MailReply>;
}

/** Mail transport for callers that can retry. */
export interface MailTransport {
  /** Sends an email. Rejects if the mail server does not accept it. */
  send(mail: Mail): Promise<void>;
}

/** Returns the sender address, which uses the service's host name. */
export const senderOf = (publicUrl: URL) => `no-reply@${publicUrl.hostname}`;

/** Timeout of each step of the SMTP session, in milliseconds. */
const timeoutMs = 10_000;

type Log = Pick<Logger, 'info' | 'error'>;

/** Mail server, with the key that signs emails for it. */
interface MailServer {
  url: string;
  /** Key that signs emails; without one they are unsigned. */
  dkim?: Dkim | null;
}

/** Destination of emails: a mail server or an outbox. If undefined, emails are dropped. */
export type MailRoute = MailServer | Outbox | undefined;

/** Creates the transport of a mail route. Without a route, emails are logged and dropped. */
export function createMailTransport(route: MailRoute, from: string, logger: Log): MailTransport {
  if (!route) return { send: async (mail) => logger.info({ mail }, 'email not sent: SMTP_URL is not set') };
  return 'url' in route ? sendBy(route, from) : keepIn(route, from, logger);
}

function sendBy({ url, dkim }: MailServer, from: string): MailTransport {
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const signing = dkim && {
    dkim: {
      domainName: domainOf(from),
      keySelector: dkim.selector,
      privateKey: dkim.key,
      headerFieldNames: signedHeaders.join(':'),
    },
  };
  // Import nodemailer with the first email, because most servers rarely send one.
  const open = lazily(async () =>
    (await import('nodemailer')).createTransport({ url, ...times, ...signing }),
  );
  return {
    async send(mail) {
      const transport = await open();
      await transport.sendMail(messageOf(mail, from));
    },
  };
}

/**
 * Stores emails in the outbox and logs the file. Sign-in codes are logged too, so that people who try out the service
 * can sign in.
 */
const keepIn = (outbox: Outbox, from: string, logger: Log): MailTransport => ({
  async send(mail) {
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
    const raw = await new MailComposer(messageOf(mail, from)).compile().build();
    const { to, subject, text } = mail;
    const file = await outbox.keep(mail, raw);
    logger.info({ file, mail: { to, subject, ...(mail.kind === 'code' && { text }) } }, keptInOutbox);
  },
});

/** Log message for an email in the outbox. */
export const keptInOutbox = 'email stored in the outbox instead of sent: SMTP_URL is not set';

function messageOf({ to, fromName = '', subject, text, html, replyTo }: Mail, from: string) {
  // nodemailer would encode line breaks, and programs that decode them could read the rest as headers.
  const name = oneLine(fromName);
  const sender = name ? { name, address: from } : from;
  return { from: sender, to: [to].flat(), subject, text, html, replyTo };
}

/**
 * Creates a mailer. `send` logs failures instead of throwing them. `hand` returns whether the mail server accepted the
 * email, and never rejects.
 */
export function createMailer(route: MailRoute, from: string, logger: Log): Mailer {
  const transport = createMailTransport(route, from, logger);
  return {
    delivers: route !== undefined,
    signs: route !== undefined && 'url' in route && Boolean(route.dkim),
    outbox: route && 'keep' in route ? route : null,
    async send(mail) {
      try {
        await transport.send(mail);
      } catch (error) {
        logger.error({ err: error, subject: mail.subject }, 'sending an email failed; it is not retried');
      }
    },
    hand: (mail) =>
      transport.send(mail).then(
        () => ({ accepted: true, reply: null }),
        (error: unknown) => ({ accepted: false, reply: responseIn(error) }),
      ),
  };
}

/** Returns the mail server's answer to a refused email; null if there was none. */
export function responseIn(error: unknown): string | null {
  const response = error instanceof Error && 'response' in error ? error.response : undefined;
  return typeof response === 'string' ? response : null;
}
