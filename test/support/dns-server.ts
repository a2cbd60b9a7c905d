import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const types = { A: 1, PTR: 12, MX: 15, TXT: 16, AAAA: 28 } as const;

type RecordType = Exclude<keyof typeof types, 'AAAA'>;

/** DNS records by name; `silent` for a name that is never answered. */
export type Zone = Readonly<Record<string, Partial<Record<RecordType, readonly string[]>> | 'silent'>>;

/** Starts a DNS server (RFC 1035) for these names, on loopback over UDP. Dispose of it with `await using`. */
export async function startDnsServer(zone: Zone) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const records = zone[name];
    if (records === 'silent') return;
    const kind = (Object.keys(types) as (keyof typeof types)[]).find((one) => types[one] === type);
    const answers = (kind && kind !== 'AAAA' && records?.[kind]) || [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(records ? 0x8580 : 0x8583, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    const rows = answers.map((value) => rowOf(type, dataOf(kind, value)));
    socket.send(Buffer.concat([head, query.subarray(12, end), ...rows]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Writes a record for the requested name. */
function rowOf(type: number, data: Buffer) {
  const row = Buffer.alloc(12);
  row.writeUInt16BE(0xc00c, 0);
  row.writeUInt16BE(type, 2);
  row.writeUInt16BE(1, 4);
  row.writeUInt32BE(60, 6);
  row.writeUInt16BE(data.length, 10);
  return Buffer.concat([row, data]);
}

const counted = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
const named = (name: string) => Buffer.concat([...name.split('.').map(counted), Buffer.from([0])]);

function dataOf(kind: keyof typeof types | undefined, value: string): Buffer {
  if (kind === 'A') return Buffer.from(value.split('.').map(Number));
  if (kind === 'TXT') return Buffer.concat((value.match(/.{1,255}/gs) ?? []).map(counted));
  return kind === 'MX' ? Buffer.concat([Buffer.from([0, 10]), named(value)]) : named(value);
}
