import { createSocket } from 'node:dgram';
import { expect, test } from 'vitest';
import { createDnsLookup } from './target.ts';

const typeA = 1;

/**
 * Starts a DNS server on loopback that answers A queries with the addresses, and other queries with an empty answer.
 */
async function startNameServer(addresses: readonly string[]) {
  const socket = createSocket('udp4');
  socket.on('message', (query, client) => {
    const questionEnd = query.indexOf(0, 12) + 5;
    const isA = query.readUInt16BE(questionEnd - 4) === typeA;
    const answers = isA ? addresses.map(recordA) : [];
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), ...answers]), client.port);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

/** Resource record: pointer to the queried name, type A, class IN, TTL of one minute, four bytes. */
function recordA(address: string): Buffer {
  return Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
}

test('every address of a name is returned, although it has none of the other family', async () => {
  await using dns = await startNameServer(['93.184.215.14', '10.0.0.1']);
  expect(await createDnsLookup([dns.server])('hooks.example.com')).toEqual(['93.184.215.14', '10.0.0.1']);
});

test('a name without addresses returns an empty list', async () => {
  await using dns = await startNameServer([]);
  expect(await createDnsLookup([dns.server])('hooks.example.com')).toEqual([]);
});
