import { randomBytes } from 'node:crypto';
import { deliveryHeaders, generateWebhookSecret } from '../../../shared/webhooks/sign.ts';
import {
  type ApiClient,
  createClient,
  type InputOf,
  isApiError,
  type LoggedEvent,
  type OutputOf,
} from '../index.ts';
import { type ListenOptions, UsageError } from './options.ts';

type Follow = ApiClient['v1']['events']['follow'];
type FollowedEvent = OutputOf<Follow>;

interface Terminal {
  print(line: string): void;
  /** Ends the command. */
  signal: AbortSignal;
}

/** Forwards events one after the other, in their order, until `signal` aborts. Throws a `UsageError` with advice. */
export async function listen(options: ListenOptions, { print, signal }: Terminal): Promise<void> {
  const { forward: target, url, key, after } = options;
  const secret = options.secret ?? generateWebhookSecret(randomBytes);
  const client = createClient({ baseUrl: url, apiKey: key });
  print(`Signing secret: ${secret}`);
  let lastId = after;
  const sendOn = async ({ id, data: event }: FollowedEvent) => {
    if (signal.aborted) return;
    const outcome = await forward(event, target, secret, signal);
    lastId = id;
    print(line(event.event, outcome));
  };
  await follow(client, inputOf(options), { print, signal, sendOn, ...options }).catch((error: unknown) => {
    if (!signal.aborted) throw advice(error, options);
  });
  print(lastId ? `\nStopped. To resume from here: --after ${lastId}` : '\nStopped.');
}

// The event names are not checked here, because the service checks them.
const inputOf = ({ events, after }: ListenOptions) =>
  ({ ...(events && { events }), ...(after && { after }) }) as InputOf<Follow>;

interface FollowOptions extends Terminal, ListenOptions {
  sendOn(item: FollowedEvent): Promise<void>;
}

/** Follows events; settles at the end. */
const follow = (client: ApiClient, input: InputOf<Follow>, following: FollowOptions) =>
  new Promise<void>((resolve, reject) => {
    const { signal, sendOn } = following;
    let sent = Promise.resolve();
    const subscription = client.v1.events.follow.subscribe(input, {
      onData(item) {
        sent = sent.then(() => sendOn(item));
        sent.catch(reject);
      },
      onError: reject,
      onConnectionStateChange: tellStates(following),
    });
    const end = () => {
      subscription.unsubscribe();
      resolve();
    };
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

function tellStates({ print, url, forward }: FollowOptions) {
  let wasConnected = false;
  let isLost = false;
  return ({ state, error }: { state: string; error: Error | null }) => {
    if (state === 'pending' && !wasConnected)
      print(`Events of ${url.origin} go to ${forward.href}. Ctrl-C ends this.\n`);
    else if (state === 'pending' && isLost) print('Connected again; nothing was missed.');
    else if (state === 'connecting' && error && !isLost)
      print(`${wasConnected ? 'The connection is lost' : `Can't reach ${url.origin}`}: trying again …`);
    wasConnected ||= state === 'pending';
    isLost = state === 'connecting' && error !== null;
  };
}

function line(event: string, { status, ms, reason }: ForwardOutcome): string {
  const time = new Date().toTimeString().slice(0, 8);
  return `${time}  ${event.padEnd(22)} ${String(status ?? '---')} ${`${ms} ms`.padStart(9)}${reason ? `  ${reason}` : ''}`;
}

/** Converts an error into advice for the user. */
function advice(error: unknown, { url }: ListenOptions): unknown {
  if (!(error instanceof Error)) return error;
  if (!isApiError(error))
    return new UsageError(
      `Can't follow events of ${url.href}: ${error.message}. Is the service running there? Name another address with --url.`,
    );
  const { code } = error.data;
  const mend: Partial<Record<typeof code, string>> = {
    unauthorized: `The service at ${url.origin} doesn't know this key. Copy all of it, and check --url.`,
    insufficient_scope: `${error.message}. Give the key scope read, or pass another with --key.`,
    not_found: `The service at ${url.origin} does not offer events. Check that it is up to date, and that --url is its origin.`,
  };
  return new UsageError(mend[code] ?? `The service at ${url.origin} returned an error: ${error.message}`);
}

/** Outcome of a forwarded event. */
interface ForwardOutcome {
  /** Status of the response; null if there was none. */
  status: number | null;
  ms: number;
  /** Reason for a missing response. */
  reason: string | undefined;
}

/** Time limit of a delivery by the service. */
const timeoutMs = 10_000;

/** Forwards an event like a delivery. Its ID is the event's, so it stays the same if the event is forwarded again. */
async function forward(
  logged: LoggedEvent,
  url: URL,
  secret: string,
  signal: AbortSignal,
): Promise<ForwardOutcome> {
  const { id, event, timestamp, data } = logged;
  const body = Buffer.from(JSON.stringify({ event, timestamp, data }));
  const headers = deliveryHeaders({ event, deliveryId: id, secret, body, sentAt: new Date() });
  const startedAt = performance.now();
  const outcome = (status: number | null, reason?: string): ForwardOutcome => ({
    status,
    ms: Math.round(performance.now() - startedAt),
    reason,
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return outcome(response.status);
  } catch (error) {
    signal.throwIfAborted();
    return outcome(null, reasonOf(error, url));
  }
}

function reasonOf(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} seconds`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const isRefused = 'code' in cause && cause.code === 'ECONNREFUSED';
  return isRefused ? `nothing listens at ${url.origin}: start your program` : cause.message;
}
