import autocannon from 'autocannon';
import { z } from 'zod';

/**
 * Process that posts BODY over several connections, which use the credentials in turn. `[<id>]` in it is replaced by a
 * different word in each request.
 */
const Settings = z.object({
  LOAD_URL: z.url(),
  BODY: z.string(),
  CONNECTIONS: z.coerce.number().int(),
  SECONDS: z.coerce.number(),
  AUTHORIZATIONS: z.string(),
});
const { LOAD_URL, BODY, CONNECTIONS, SECONDS, AUTHORIZATIONS } = Settings.parse(process.env);
const credentials = AUTHORIZATIONS.split(',');
let clients = 0;

const result = await autocannon({
  url: LOAD_URL,
  method: 'POST',
  body: BODY,
  idReplacement: true,
  connections: CONNECTIONS,
  duration: SECONDS,
  headers: { 'content-type': 'application/json' },
  setupClient(client) {
    const authorization = credentials[clients++ % credentials.length] ?? '';
    client.setHeaders({ 'content-type': 'application/json', authorization });
  },
});
process.send?.(result);
