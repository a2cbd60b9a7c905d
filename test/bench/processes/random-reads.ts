import { once } from 'node:events';
import autocannon from 'autocannon';
import { z } from 'zod';

/**
 * Process that requests random pages. In each request, `*` in the URL is replaced by a number from 1 to `among`, and a
 * random set of headers is used.
 */
const Settings = z.object({
  url: z.url(),
  among: z.int(),
  anyOf: z.array(z.record(z.string(), z.string())),
  connections: z.int(),
  seconds: z.number(),
});
const [told] = await once(process, 'message');
const { url, among, anyOf, connections, seconds } = Settings.parse(told);
const { origin, pathname, search } = new URL(url);
const below = (count: number) => Math.floor(Math.random() * count);

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  requests: [
    {
      setupRequest: (request) => ({
        ...request,
        path: (pathname + search).replace('*', `${1 + below(among)}`),
        headers: { ...request.headers, ...anyOf[below(anyOf.length)] },
      }),
    },
  ],
});
process.send?.(result);
process.disconnect();
