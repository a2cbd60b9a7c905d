import autocannon from 'autocannon';
import { z } from 'zod';

/** Asks for pages at random: `*` in the address becomes a number from 1 to AMONG, another in every request. */
const Settings = z.object({
  LOAD_URL: z.url(),
  AMONG: z.coerce.number().int(),
  CONNECTIONS: z.coerce.number().int(),
  SECONDS: z.coerce.number(),
  AUTHORIZATION: z.string(),
});
const { LOAD_URL, AMONG, CONNECTIONS, SECONDS, AUTHORIZATION } = Settings.parse(process.env);
const { origin, pathname } = new URL(LOAD_URL);

const result = await autocannon({
  url: origin,
  connections: CONNECTIONS,
  duration: SECONDS,
  headers: { authorization: AUTHORIZATION },
  requests: [
    {
      setupRequest: (request) => ({
        ...request,
        path: pathname.replace('*', `${1 + Math.floor(Math.random() * AMONG)}`),
      }),
    },
  ],
});
process.send?.(result);
