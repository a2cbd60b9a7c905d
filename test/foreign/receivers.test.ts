import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/tls-receiver.ts';
import { body, delivered, failed, startSender } from '../support/webhook-sender.ts';
import recorded from './receivers.json' with { type: 'json' };

/** Recorded answers of third-party receivers. The segments of `answer` arrive one by one. */
const Receivers = z.array(
  z.strictObject({
    from: z.string(),
    answer: z.array(z.string()),
    ends: z.boolean().default(false),
    status: z.int(),
  }),
);

const Connected = z.object({ socket: z.custom<Socket>() });
let connected = Promise.withResolvers<Socket>();
const onConnected = (message: unknown) => connected.resolve(Connected.parse(message).socket);
beforeAll(() => subscribe('undici:client:connected', onConnected));
afterAll(() => void unsubscribe('undici:client:connected', onConnected));

test.for(Receivers.parse(recorded))(
  'a webhook delivery to a receiver with a recorded answer ends as listed: $from',
  async ({ answer, ends, status }) => {
    connected = Promise.withResolvers();
    await using receiver = await startReceiver({
      certificate: null,
      answer: async ({ socket }) => {
        socket.setNoDelay();
        const { bytesRead: before } = await connected.promise;
        let sent = 0;
        for (const segment of answer) {
          socket.write(segment);
          sent += segment.length;
          await eventually(async () => (await connected.promise).bytesRead >= before + sent);
        }
        if (ends) socket.end();
      },
    });
    await using sender = startSender();
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(
      status < 300 ? delivered(status) : failed('http_status', status),
    );
  },
);
