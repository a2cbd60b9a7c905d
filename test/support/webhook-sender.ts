import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { createWebhookSender, parseCidr } from '../../shared/webhooks/index.ts';
import { startReceiver } from './tls-receiver.ts';

const allowCidrs = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')];
/** Body of all requests. */
export const body = Buffer.from('{"event":"test","timestamp":"2026-01-31T09:05:00.123Z","data":{}}');

/** Starts a sender that may call loopback. Names resolve to loopback too. */
export function startSender(
  options: { ca?: string; timeoutMs?: number; lookup?: () => Promise<string[]> } = {},
) {
  const { lookup = async () => ['127.0.0.1'], timeoutMs = 60_000, ...rest } = options;
  const sender = createWebhookSender({ lookup, allowCidrs, timeoutMs, ...rest });
  return { ...sender, [Symbol.asyncDispose]: () => sender.close() };
}

/** Returns the result that a sender reports for an answer. */
export async function outcomeOf(answer: RequestListener, timeoutMs = 60_000) {
  await using receiver = await startReceiver({ answer });
  await using sender = startSender({ ca: receiver.ca, timeoutMs });
  return await sender.send({ url: receiver.url, headers: {}, body });
}

/** Result of an acknowledged attempt. */
export function delivered(statusCode: number) {
  return { ok: true, statusCode, durationMs: expect.any(Number) };
}

/** Result of any other attempt. On a busy machine, the sender may also report a stall of its own process. */
export function failed(error: string, statusCode: number | null = null) {
  const result = { ok: false, statusCode, error, durationMs: expect.any(Number) };
  return expect.toBeOneOf([result, { ...result, stoodStill: true }]);
}

/** Writes text repeatedly for as long as the sender reads. */
export function writeForever(socket: Socket, text: string): void {
  if (socket.destroyed) return;
  if (socket.write(text.repeat(1000))) setImmediate(writeForever, socket, text);
  else socket.once('drain', () => writeForever(socket, text));
}
