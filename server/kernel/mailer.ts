import type { FastifyBaseLogger } from 'fastify';
import { createTransport } from 'nodemailer';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /**
   * Hands a message to the mail server. One that can't be sent is logged; callers are never told, since the answer would
   * show which addresses are known.
   */
  send(mail: Mail): Promise<void>;
}

/** Longest wait for the mail server, in milliseconds, at each step of a delivery. */
const timeoutMs = 10_000;

/** Sends through the server at `smtpUrl`; without one, messages are written to the log. */
export function createMailer(smtpUrl: string | undefined, from: string, logger: FastifyBaseLogger): Mailer {
  if (!smtpUrl)
    return { send: async (mail) => logger.info({ mail }, 'no SMTP_URL: this message was not sent') };
  const transport = createTransport(
    { url: smtpUrl, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    { from },
  );
  return {
    async send(mail) {
      try {
        await transport.sendMail(mail);
      } catch (error) {
        logger.error({ err: error, subject: mail.subject }, 'a message could not be sent');
      }
    },
  };
}
