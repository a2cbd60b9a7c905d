import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { accountRoutes } from './account.ts';
import { checkoutRoutes } from './checkout.ts';
import { expandAll } from './expand.ts';
import { drawFate, endBefore, type Faults, type GatewayFault, unexpected } from './faults.ts';
import { type Ledger, newText } from './ledger.ts';
import { readForm } from './parameters.ts';
import { paymentRoutes } from './payments.ts';
import { StripeRefusal } from './refusal.ts';
import type { Permission, Route } from './routes.ts';
import { subscriptionRoutes } from './subscriptions.ts';

const routes: Route[] = [...accountRoutes, ...checkoutRoutes, ...paymentRoutes, ...subscriptionRoutes];

/** Key of an account in one mode. */
export interface Access {
  ledger: Ledger;
  permissions: Partial<Record<Permission, 'none' | 'read' | 'write'>>;
}

export interface Call {
  account: string;
  method: string;
  path: string;
  idempotencyKey: string | null;
  /** Form of a POST, query of others, decoded. */
  body: unknown;
}

export interface ServerState {
  keys: Map<string, Access>;
  calls: Call[];
  faults: Faults;
  /** Outcomes of the next calls, before those that `faults` draws. */
  fates: GatewayFault[];
  /** Names of fields that no answer contains. */
  omitted: Set<string>;
  random: () => number;
  /** Runs before a call is done and before it is answered, for tests that end a process at this moment. */
  onCall: (call: Call, timestamp: 'before' | 'after') => Promise<void> | void;
}

interface Stored {
  fingerprint: string;
  status: number;
  text: string;
  /** In seconds: Stripe forgets keys after 24 hours. */
  at: number;
}

/** HTTP server of the stand-in. Each call changes objects in one step, so that concurrent calls have an order. */
export function createStripeServer(state: ServerState) {
  const stored = new Map<string, Stored>();

  /** Keys whose first call is being carried out. */
  const underWay = new Set<string>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const url = new URL(request.url ?? '/', 'http://stripe');
    const method = request.method ?? 'GET';
    const idempotencyKey = header(request, 'idempotency-key');
    const body = readForm(method === 'POST' ? text : url.search);
    try {
      const access = authenticate(state, request);
      const { accountId, livemode } = access.ledger;
      const call = { account: accountId, method, path: url.pathname, idempotencyKey, body };
      state.calls.push(call);
      const slot = idempotencyKey && method === 'POST' ? `${accountId} ${livemode} ${idempotencyKey}` : null;
      if (slot === null) return await carryOutOnce(response, access, call, null);
      if (underWay.has(slot)) throw inUse(idempotencyKey);
      underWay.add(slot);
      const fingerprint = `${url.pathname} ${text}`;
      await carryOutOnce(response, access, call, { slot, fingerprint }).finally(() => underWay.delete(slot));
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      if (error.status === 429) response.setHeader('retry-after', '1');
      send(response, error.status, JSON.stringify(error.body, null, 2));
    }
  }

  /** Carries out a call, or sends the answer that is stored under its idempotency key. */
  async function carryOutOnce(
    response: ServerResponse,
    { ledger, permissions }: Access,
    call: Call,
    key: { slot: string; fingerprint: string } | null,
  ): Promise<void> {
    await state.onCall(call, 'before');
    const fate = state.fates.shift() ?? drawFate(state.faults, ledger.accountId, state.random);
    if (endBefore(fate, response)) return;
    const earlier = key ? stored.get(key.slot) : undefined;
    if (key && earlier && earlier.at > ledger.now() - 86_400) {
      if (earlier.fingerprint !== key.fingerprint) throw reused(call.idempotencyKey);
      response.setHeader('idempotent-replayed', 'true');
      return send(response, earlier.status, earlier.text);
    }
    ledger.passTime();
    const done = fate === '500' ? null : carryOut(ledger, permissions, call);
    const status = fate === '500' || fate === '500 after' ? 500 : 200;
    const shown = (name: string, value: unknown) => (state.omitted.has(name) ? undefined : value);
    const answered = JSON.stringify(status === 500 ? unexpected().body : done, shown, 2);
    if (key) stored.set(key.slot, { fingerprint: key.fingerprint, status, text: answered, at: ledger.now() });
    await state.onCall(call, 'after');
    if (fate === 'cut') return void response.socket?.destroy();
    send(response, status, answered);
  }

  let server = createServer();
  let port = 0;

  function listen(): Promise<void> {
    server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        console.error(error);
        response.socket?.destroy();
      });
    });
    // A connection that closes while a busy client sends a call would be a fault that no test asked for.
    server.keepAliveTimeout = 0;
    return new Promise((resolve) =>
      server.listen(port, '127.0.0.1', () => {
        const { port: bound } = server.address() as AddressInfo;
        port = bound;
        resolve();
      }),
    );
  }

  return {
    get url() {
      return new URL(`http://127.0.0.1:${port}`);
    },
    listen,
    /** Closes every connection, as if the process were killed. Objects are kept. */
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Carries out a call and returns its answer with expanded references. */
function carryOut(ledger: Ledger, permissions: Access['permissions'], { method, path, body }: Call): unknown {
  const found = routes.find((route) => route.method === method && route.path.test(path));
  if (!found) throw new StripeRefusal(404, `Unrecognized request URL (${method}: ${path}).`);
  const permission = permissions[found.permission] ?? 'write';
  if (permission === 'none' || (permission === 'read' && method !== 'GET')) {
    const needed = `rak_${found.permission}_${method === 'GET' ? 'read' : 'write'}`;
    const reason = `Having the '${needed}' permission would allow this request to continue.`;
    throw new StripeRefusal(
      403,
      `The provided key does not have the required permissions for this endpoint. ${reason}`,
    );
  }
  const ids = found.path.exec(path)?.slice(1).map(decodeURIComponent) ?? [];
  return expandAll(ledger, found.prepare(body)(ledger, ids), body);
}

function authenticate({ keys }: ServerState, request: IncomingMessage): Access {
  const key = header(request, 'authorization')?.replace(/^Bearer /, '') ?? '';
  const access = keys.get(key);
  if (!access) {
    const shown = `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
    throw new StripeRefusal(401, `Invalid API Key provided: ${shown}`);
  }
  const version = header(request, 'stripe-version');
  if (version !== Stripe.API_VERSION) throw new StripeRefusal(400, `Invalid Stripe API version: ${version}`);
  return access;
}

const reused = (key: string | null) =>
  new StripeRefusal(
    400,
    `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    { type: 'idempotency_error' },
  );

const inUse = (key: string | null) =>
  new StripeRefusal(
    409,
    `There is currently another in-progress request using this Idempotent Key (${key}).`,
    { type: 'idempotency_error', code: 'idempotency_key_in_use' },
  );

const header = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
};

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...{ 'content-type': 'application/json', 'request-id': `req_${newText(14)}` },
    'stripe-version': Stripe.API_VERSION,
  });
  response.end(text);
}
