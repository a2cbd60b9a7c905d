import type { ClientOptions } from '../../client/sdk/index.ts';
import type { Time } from '../../client/sdk/time.ts';
import { createTimedClient } from '../../client/sdk/timed-client.ts';
import type { TestApp } from './app.ts';
import type { TestClock } from './clock.ts';
import { createRandom } from './random.ts';

/**
 * Creates time for clients in step with a server's clock. Whenever no request is running, both jump to the next alarm.
 * The random source depends on the seed. Clients must send requests with `fetch`.
 */
export function createVirtualTime(clock: TestClock, seed = 1) {
  const alarms = new Set<{ at: number; ring: () => void }>();
  let underWay = 0;
  let idle: NodeJS.Timeout | undefined;
  const now = () => clock.now().getTime();

  /**
   * Jumps once no request has run for several turns of the event loop. A due call is first collected into a batch by a
   * timer, and an answer passes several promises before its call ends or waits again.
   */
  function jumpOnceIdle(turns = 8) {
    clearTimeout(idle);
    idle = setTimeout(() => (turns > 0 ? jumpOnceIdle(turns - 1) : jump()), 1);
  }

  function jump() {
    const [next] = [...alarms].toSorted((a, b) => a.at - b.at);
    if (underWay > 0 || !next) return;
    alarms.delete(next);
    // A clock of whole milliseconds reaches a time between two of them at the later one.
    clock.advance({ ms: Math.ceil(Math.max(next.at - now(), 0)) });
    next.ring();
    jumpOnceIdle();
  }

  const time: Time = {
    now,
    random: createRandom(seed),
    setAlarm(ms, ring) {
      const alarm = { at: now() + ms, ring };
      alarms.add(alarm);
      jumpOnceIdle();
      return () => void alarms.delete(alarm);
    },
  };
  return {
    time,
    /** Number of alarms. Each would keep a real process from ending. */
    alarms: () => alarms.size,
    async fetch(target: string | URL | Request, init?: RequestInit): Promise<Response> {
      underWay++;
      try {
        const response = await fetch(target, init);
        const body = await response.arrayBuffer();
        return new Response(body, response);
      } finally {
        underWay--;
        jumpOnceIdle();
      }
    },
  };
}

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
