/** A process that asks a shared rate limiter over and over, and writes a line for each request that it lets through. */
import { openSharedLimiter } from './shared-limiter.ts';

const { DATABASE_URL = '', ASKS = '0', SUBJECTS = '1', TIER = '' } = process.env;

/** Asked by so many at once, as requests of a busy server do. */
const atOnce = 50;

await using limiter = openSharedLimiter({ databaseUrl: DATABASE_URL, tiers: { normal: JSON.parse(TIER) } });

let asked = 0;
const ask = async () => {
  asked += 1;
  const subject = String(asked % Number(SUBJECTS));
  const decision = await limiter.take('normal', subject);
  if (decision?.allowed) console.log(`let ${subject} through`);
};

await ask();
console.log(`began at ${Date.now()}`);
const askUntilDone = async () => {
  while (asked < Number(ASKS)) await ask();
};
await Promise.all(Array.from({ length: atOnce }, askUntilDone));
console.log(`ended at ${Date.now()} with ${limiter.uncounted.length} uncounted`);
