import type { ClientOptions } from '../../client/sdk/index.ts';
import { createTimedClient } from '../../client/sdk/timed-client.ts';
import type { TestApp } from './app.ts';
import { createVirtualTime } from './virtual-time.ts';

/** Creates a client with an API key whose waits take no time. `called` lists the procedures that it called. */
export async function patientClient(app: TestApp, options: Partial<ClientOptions> = {}) {
  const { time, fetch, alarms } = createVirtualTime(app.clock);
  const called: string[] = [];
  const client = createTimedClient(
    {
      baseUrl: app.baseUrl,
      apiKey: await app.seed.key(),
      fetch(target, init) {
        called.push(...new URL(String(target)).pathname.slice('/trpc/'.length).split(','));
        return fetch(target, init);
      },
      ...options,
    },
    time,
  );
  return { client, called, startedAt: time.now(), time, alarms };
}

export const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no failure',
    (error: unknown) => error,
  );
