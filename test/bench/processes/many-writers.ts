import autocannon from 'autocannon';
import { z } from 'zod';

/** Posts BODY over so many connections, which take turns with the credentials; `[<id>]` in it becomes another word in every request. */
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
