import type { Logger } from 'pino';
import { oneLine } from '../i18n/fit-text.ts';
import { lazily } from '../runtime/single-flight.ts';
import { type Dkim, domainOf, signedHeaders } from './dkim.ts';
import type { MailAbout, Outbox } from './outbox.ts';

export interface Mail extends MailAbout {
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

/** Whether a message was taken, and what the mail server said when it was not; null where it said nothing. */
interface MailReply {
  accepted: boolean;
  reply: string | null;
}

export interface Mailer {
  /** Whether messages go anywhere; else the log says that they do not. */
  delivers: boolean;
  /** Whether they are signed before they leave. */
  signs: boolean;
  /** Where they are kept; null where a mail server takes them, or nobody. */
  outbox: Outbox | null;
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

/** A mail server, and by what mail is signed that goes there. */
interface MailServer {
  url: string;
  /** Nothing is signed without it. */
  dkim?: Dkim | null;
}

/** Where messages go: to a mail server, or into an outbox; nowhere without either. */
export type MailRoute = MailServer | Outbox | undefined;

export function createMailTransport(route: MailRoute, from: string, logger: Log): MailTransport {
  if (!route) return { send: async (mail) => logger.info({ mail }, 'email not sent: SMTP_URL is not set') };
  return 'url' in route ? sendBy(route, from) : keepIn(route, from, logger);
}

function sendBy({ url, dkim }: MailServer, from: string): MailTransport {
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // Loaded with the first message: a server seldom sends any.
  const signing = dkim && {
    dkim: {
      domainName: domainOf(from),
      keySelector: dkim.selector,
      privateKey: dkim.key,
      headerFieldNames: signedHeaders.join(':'),
    },
  };
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

/** The log says where a message is, and of a code what it is: who tries the service out signs in by it. */
const keepIn = (outbox: Outbox, from: string, logger: Log): MailTransport => ({
  async send(mail) {
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
    const raw = await new MailComposer(messageOf(mail, from)).compile().build();
    const { to, subject, text } = mail;
    const file = await outbox.keep(mail, raw);
    logger.info({ file, mail: { to, subject, ...(mail.kind === 'code' && { text }) } }, keptInOutbox);
  },
});

/** What the log says of a message that is kept. */
export const keptInOutbox = 'email stored in the outbox instead of sent: SMTP_URL is not set';

function messageOf({ to, fromName = '', subject, text, html, replyTo }: Mail, from: string) {
  // nodemailer would keep its line breaks, encoded, and who decodes it may take what follows for headers.
  const name = oneLine(fromName);
  const sender = name ? { name, address: from } : from;
  return { from: sender, to: [to].flat(), subject, text, html, replyTo };
}

/** Sends as a transport does, and tells nobody of a failure. */
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

/** What a server said to a message that it refused; null where it said nothing. */
export function responseIn(error: unknown): string | null {
  const response = error instanceof Error && 'response' in error ? error.response : undefined;
  return typeof response === 'string' ? response : null;
}
