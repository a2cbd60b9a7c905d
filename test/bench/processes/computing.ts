import { createHash } from 'node:crypto';

/** Process that keeps one core busy until it is ended. */
const bytes = Buffer.alloc(100_000);

function compute() {
  createHash('sha256').update(bytes).digest();
  setImmediate(compute);
}

process.on('SIGTERM', () => process.exit());
process.send?.('begins');
compute();
