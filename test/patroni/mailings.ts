import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import type { MailingSite } from '../support/mailing-site.ts';
import { ownerClient } from '../support/rpc.ts';

const size = 150;

/**
 * Starts a mail server that is slow enough for mailings to last until the fault. It records all emails that it accepts.
 */
export const startSlowMailServer = () => startMailServer(() => delay(300));

/** Creates two mailings per round. One sends unconfirmed emails again, the other leaves them. */
export function createMailings(app: MailingSite, { mails }: MailServer) {
  const addresses = Array.from({ length: size }, (_, n) => `reader${n}@example.com`);
  const begun: { id: string; round: number; subject: string; mayRepeat: boolean }[] = [];
  const of = (subject: string) => mails.filter(({ raw }) => raw.includes(`Subject: ${subject}\r\n`));

  const copiesOf = async ({ id, subject, mayRepeat }: (typeof begun)[number]) => {
    const taken = Map.groupBy(of(subject), ({ to }) => to.join());
    return (await app.copies(id)).map(({ email, state, doubts }) => {
      const isLeft = !mayRepeat && state === 'unknown' && doubts > 0;
      return { state, doubts, isLeft, max: mayRepeat ? 1 + doubts : 1, got: taken.get(email)?.length ?? 0 };
    });
  };

  return {
    /**
     * Starts both mailings, each on a site of its own, because a site sends one at a time. Resolves when both
     * are being sent.
     */
    async begin(round: number) {
      for (const on_unknown of ['repeat', 'leave']) {
        const subject = `round-${round}-${on_unknown}`;
        const site = await app.seed.site({ subdomain: subject });
        await app.subscribe(addresses, site);
        const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(site));
        const { id: post } = await studio.posts.create.mutate({ title: 'News', content: 'As it is.' });
        const id = await app.mail(post, { subject, on_unknown, site });
        begun.push({ id, round, subject, mayRepeat: on_unknown === 'repeat' });
      }
      await eventually(() => begun.slice(-2).every(({ subject }) => of(subject).length > 0));
    },
    taken: (round: number) => mails.filter(({ raw }) => raw.includes(`Subject: round-${round}-`)).length,
    /** Waits until all mailings are sent, including recipients whose worker lost its claim, until their lease expires. */
    async settled() {
      const areSent = async () => {
        await app.passTime();
        const figures = await Promise.all(begun.map(({ id }) => app.figures(id)));
        return figures.every(({ status }) => status === 'sent');
      };
      await eventually(areSent, 180_000).catch(console.log);
    },
    async accountsOf(round: number) {
      const own = begun.filter((one) => one.round === round);
      const copies = (await Promise.all(own.map(copiesOf))).flat();
      const sent = copies.filter(({ state, got, isLeft }) => isLeft || (state === 'accepted' && got > 0));
      return {
        'mails missing': own.length * size - sent.length,
        'mails doubled': copies.filter(({ got, max }) => got > max).length,
        'mails in doubt': copies.filter(({ doubts }) => doubts > 0).length,
      };
    },
  };
}
