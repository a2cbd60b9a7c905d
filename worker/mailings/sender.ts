import { setTimeout as delay } from 'node:timers/promises';
import { leaseSeconds, type MailingKey } from './claim.ts';
import { createConnections, type MailingDeps } from './connections.ts';
import { runMailingRound } from './round.ts';
import type { Settled } from './settle.ts';

/** Pause after a round that failed, such as while the database restarts. */
const failedMs = 250;

/**
 * Sends what is due of mailings: no more copies are claimed than there are connections, so that a process that dies leaves no more
 * in doubt. Each mailing has its turn.
 */
export function createMailingSender(deps: MailingDeps) {
  const ready = new Map<string, MailingKey>();
  let ended: Settled[] = [];
  let stopped = false;
  let running: Promise<void> | null = null;
  const connections = createConnections(deps, (settled) => {
    if (settled) ended.push(settled);
    run();
  });

  const hasWork = () => ended.length > 0 || (ready.size > 0 && connections.hasFree() && !stopped);

  function run() {
    running ??= loop().finally(() => {
      running = null;
      if (hasWork()) run();
    });
  }

  async function loop() {
    while (hasWork()) {
      const [{ site_id, mailing_id } = { site_id: '', mailing_id: '' }] = [...ended, ...ready.values()];
      const mailing = { site_id, mailing_id };
      const key = textOf(mailing);
      const settled = ended.filter((one) => textOf(one) === key);
      ended = ended.filter((one) => textOf(one) !== key);
      ready.delete(key);
      const leaseEndsAt = performance.now() + leaseSeconds * 1_000;
      const most = stopped ? 0 : connections.free();
      try {
        const input = { mailing, settled, most, isRelayAway: connections.isAway() };
        const claims = await runMailingRound(deps.database, input);
        for (const claim of claims) connections.start(claim, leaseEndsAt);
        // It goes to the end of the line, as long as there was something.
        if (claims.length > 0) ready.set(key, mailing);
      } catch (error) {
        deps.logger.warn({ err: error }, 'a round of a mailing failed and is tried again');
        ended = [...settled, ...ended];
        ready.set(key, mailing);
        await delay(failedMs);
      }
    }
  }

  return {
    /** Says that these mailings have something due. */
    wake(keys: readonly MailingKey[]) {
      if (!deps.mailings) return;
      for (const { site_id, mailing_id } of keys)
        ready.set(textOf({ site_id, mailing_id }), { site_id, mailing_id });
      run();
    },
    /** Claims nothing more, waits for what is under way, and writes how it ended. */
    async stop() {
      stopped = true;
      await connections.end();
      while (running) await running;
      connections.close();
    },
  };
}

const textOf = ({ site_id, mailing_id }: MailingKey) => `${site_id}/${mailing_id}`;
