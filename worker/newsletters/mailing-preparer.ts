import type { Logger } from 'pino';
import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import { createBackoff } from '../queue/queue.ts';
import { type PreparingDeps, prepareStep } from './prepare-mailing.ts';

/**
 * Number of sites whose mailings one process prepares concurrently. Two, so that a slow body does not block other
 * sites.
 */
const maxConcurrent = 2;

/**
 * Creates the preparer of mailings. Sites take turns, one step at a time, and a failure of one does not affect the
 * others.
 */
export function createPreparer(deps: PreparingDeps & { logger: Logger }) {
  /**
   * Mailings that wait for their next step of preparation, keyed by site, the next one first. A site prepares one mailing
   * at a time.
   */
  const waiting = new Map<string, MailingKey>();
  const underWay = new Map<string, Promise<void>>();
  const { mustWait, noteFailure, noteSuccess } = createBackoff({ first: 500, longest: 60_000 });
  let stopped = false;

  function run() {
    for (const [site, mailing] of waiting) {
      if (stopped || underWay.size >= maxConcurrent) return;
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
    /** Adds mailings that are due for preparation. */
    wake(mailings: readonly MailingKey[]) {
      for (const { site_id, mailing_id } of mailings)
        if (!waiting.has(site_id) && !underWay.has(site_id) && !mustWait(site_id))
          waiting.set(site_id, { site_id, mailing_id });
      run();
    },
    /** Starts no further step, and waits for running ones. */
    async stop() {
      stopped = true;
      await Promise.all(underWay.values());
    },
  };
}
