import type { Logger } from 'pino';
import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import { createBackoff } from '../queue/queue.ts';
import { type PreparingDeps, prepareStep } from './prepare.ts';

/** Sites whose mailings one process prepares at once: of a body that takes long, the others feel little. */
const mostAtOnce = 2;

/** Prepares mailings, the sites by turns and a step each, whatever becomes of those of others. */
export function createPreparer(deps: PreparingDeps & { logger: Logger }) {
  /** By site, of which no two mailings are prepared at once; who comes first has the next turn. */
  const waiting = new Map<string, MailingKey>();
  const underWay = new Map<string, Promise<void>>();
  const { mustWait, noteFailure, noteSuccess } = createBackoff({ first: 500, longest: 60_000 });
  let stopped = false;

  function run() {
    for (const [site, mailing] of waiting) {
      if (stopped || underWay.size >= mostAtOnce) return;
      waiting.delete(site);
      const step = take(site, mailing).finally(() => {
        underWay.delete(site);
        run();
      });
      underWay.set(site, step);
    }
  }

  async function take(site: string, mailing: MailingKey) {
    try {
      if (await prepareStep(deps, mailing)) waiting.set(site, mailing);
      noteSuccess(site);
    } catch (err) {
      noteFailure(site);
      deps.logger.warn({ err, ...mailing }, 'preparing a newsletter failed; retrying');
    }
  }

  return {
    /** Says which mailings are to be prepared now. */
    wake(mailings: readonly MailingKey[]) {
      for (const { site_id, mailing_id } of mailings)
        if (!waiting.has(site_id) && !underWay.has(site_id) && !mustWait(site_id))
          waiting.set(site_id, { site_id, mailing_id });
      run();
    },
    /** Begins nothing more, and waits for the steps under way. */
    async stop() {
      stopped = true;
      await Promise.all(underWay.values());
    },
  };
}
