import { createHash } from 'node:crypto';

/** Keeps one core busy with nothing but itself until it is ended. */
const bytes = Buffer.alloc(100_000);

function compute() {
  createHash('sha256').update(bytes).digest();
  setImmediate(compute);
}

process.on('SIGTERM', () => process.exit());
process.send?.('begins');
compute();
