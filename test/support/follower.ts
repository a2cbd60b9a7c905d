import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { eventually } from './eventually.ts';

/** Server-sent event as received. */
interface Frame {
  event: string;
  id: string | undefined;
  data: string;
}

interface ToldEvent {
  id: string;
  event: string;
  timestamp: string;
  data: { title: string };
}

interface FollowOptions {
  key: string;
  input?: object;
  headers?: Record<string, string>;
}

/** Path for following a site's events. */
export const followPath = (input?: object) =>
  `/trpc/v1.events.follow${input ? `?input=${encodeURIComponent(JSON.stringify({ json: input }))}` : ''}`;

/**
 * Follows a site's events by server-sent events, without a client library. Resolves when the server has confirmed.
 * Throws if it refuses.
 */
export async function startFollower(baseUrl: string, { key, input, headers = {} }: FollowOptions) {
  const dispatcher = new Agent();
  const answer = await request(baseUrl + followPath(input), {
    headers: { authorization: `Bearer ${key}`, ...headers },
    dispatcher,
    bodyTimeout: 0,
  });
  if (answer.statusCode !== 200) {
    const refusal = await answer.body.text();
    await dispatcher.destroy();
    throw new Error(`${answer.statusCode}: ${refusal}`);
  }
  const frames: Frame[] = [];
  let text = '';
  const read = async () => {
    for await (const chunk of answer.body.setEncoding('utf8')) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      frames.push(...blocks.map(parseFrame));
    }
  };
  const ended = read().then(
    () => 'whole' as const,
    () => 'broken' as const,
  );
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const events = () => frames.filter(({ event }) => event === 'message').map(toldBy);
  const follower = {
    headers: answer.headers,
    frames,
    events,
    titles: () => events().map(({ data }) => data.title),
    /** Returns the IDs of the received events, by which a client can continue. */
    ids: () => frames.flatMap(({ event, id }) => (event === 'message' ? [String(id)] : [])),
    /** Resolves with the events when there are at least `count`. */
    told: (count: number) => eventually(() => events().length >= count && events()),
    /** ID from which a client continues if it is cut off now. */
    lastId: () => String(frames.findLast(({ id }) => id !== undefined)?.id),
    /** Resolves when the answer ends: 'whole' if complete, 'broken' if cut off. */
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await ended;
    },
  };
  await eventually(() => frames.length > 0 || hasEnded);
  return follower;
}

export type EventFollower = Awaited<ReturnType<typeof startFollower>>;

function parseFrame(block: string): Frame {
  const fields = new Map(
    block.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: ?/, '')]),
  );
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' };
}

const toldBy = ({ data }: Frame): ToldEvent => JSON.parse(data).json;

/** Pause after a refusal, in milliseconds. */
const pauseMs = 50;

/** Follows events like clients do that reconnect and continue after they are cut off. */
export async function follow(baseUrl: string, key: string) {
  const titles: string[] = [];
  let isOver = false;
  let current: EventFollower | null = await startFollower(baseUrl, { key });
  const going = (async () => {
    let headers = {};
    while (!isOver) {
      current ??= await startFollower(baseUrl, { key, headers }).catch(() => null);
      if (!current) {
        await delay(pauseMs);
        continue;
      }
      const followed = current;
      await followed.ended();
      headers = { 'last-event-id': followed.lastId() };
      titles.push(...updates(followed));
      current = null;
    }
  })();
  return {
    titles: () => [...titles, ...(current ? updates(current) : [])],
    async [Symbol.asyncDispose]() {
      isOver = true;
      await current?.[Symbol.asyncDispose]();
      await going;
    },
  };
}

const updates = (follower: EventFollower) =>
  follower.events().flatMap(({ event, data }) => (event === 'content.updated' ? [data.title] : []));
