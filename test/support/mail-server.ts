import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface ReceivedMail {
  from: string | undefined;
  to: string[];
  /** Headers and body as received. */
  raw: string;
}

/**
 * Starts a mail server that stores what it receives. `beforeItSays` runs before it confirms an email. Dispose of it
 * with `await using`.
 */
export async function startMailServer(beforeItSays: (mail: ReceivedMail) => unknown = () => undefined) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const take = async () => {
        const mail = {
          from: mailFrom ? mailFrom.address : undefined,
          to: rcptTo.map(({ address }) => address),
          raw: await text(stream),
        };
        mails.push(mail);
        await beforeItSays(mail);
      };
      take().then(() => done(), done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    /** Returns the code in the latest email to an address. Throws if there is none. */
    codeFor(address: string): string {
      const mail = mails.findLast(({ to }) => to.includes(address));
      const code = /\b\d{6}\b/.exec(textOf(mail?.raw ?? ''))?.[0];
      if (!code) throw new Error(`no code was sent to ${address}`);
      return code;
    },
    /** Returns the last link in the latest email to an address; null if there is none. */
    linkFor(address: string): string | null {
      const mail = mails.findLast(({ to }) => to.includes(address));
      return (
        textOf(mail?.raw ?? '')
          .match(/https?:\/\/\S+/g)
          ?.at(-1) ?? null
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the plain text of an email, decoded. */
export function textOf(raw: string): string {
  const head = /^Content-Type: text\/plain[\s\S]*?\r\n\r\n/m.exec(raw);
  const part = raw.slice(head ? head.index + head[0].length : 0).split('\r\n--')[0] ?? '';
  return part.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
