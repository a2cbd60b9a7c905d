import { Agent, request } from 'undici';
import { eventually } from './eventually.ts';

/** One server-sent event as it came. */
interface Frame {
  event: string;
  id: string | undefined;
  data: string;
}

interface Told {
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

/** The address that follows a site's events. */
export const followPath = (input?: object) =>
  `/trpc/v1.events.follow${input ? `?input=${encodeURIComponent(JSON.stringify({ json: input }))}` : ''}`;

/** Follows a site's events as any program can that reads server-sent events. Resolves once it is told that it does. */
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
    /** The ids that lead back to where each event was told. */
    ids: () => frames.flatMap(({ event, id }) => (event === 'message' ? [String(id)] : [])),
    /** Resolves once so many events were told. */
    told: (count: number) => eventually(() => events().length >= count && events(), 30_000),
    /** Where a client goes on that is cut off now. */
    lastId: () => String(frames.findLast(({ id }) => id !== undefined)?.id),
    /** Resolves with how it ended: with a whole answer, or a broken one. */
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

const toldBy = ({ data }: Frame): Told => JSON.parse(data).json;
