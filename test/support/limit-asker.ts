/** A process that asks a shared rate limiter over and over, and writes a line for each request that it lets through. */
import { openSharedLimiter } from './shared-limiter.ts';

const { DATABASE_URL = '', ASKS, AT_ONCE, SUBJECTS, TIER = '' } = process.env;

await using limiter = openSharedLimiter({ databaseUrl: DATABASE_URL, tiers: { normal: JSON.parse(TIER) } });

let asked = 0;
let lastAskedAt = 0;
const ask = async () => {
  asked += 1;
  lastAskedAt = Date.now();
  const subject = String(asked % Number(SUBJECTS));
  const decision = await limiter.take('normal', subject);
  if (decision?.allowed) console.log(`let ${subject} through`);
};

await ask();
console.log(`heard first at ${Date.now()}`);
const askUntilDone = async () => {
  while (asked < Number(ASKS)) await ask();
};
await Promise.all(Array.from({ length: Number(AT_ONCE) }, askUntilDone));
console.log(`asked last at ${lastAskedAt}, with ${limiter.uncounted.length} uncounted`);
