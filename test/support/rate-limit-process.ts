/** Process that calls a shared rate limiter repeatedly and prints a line for each allowed request. */
import { promisify } from 'node:util';
import { openSharedLimiter } from './shared-limiter.ts';

const { DATABASE_URL = '', ASKS, AT_ONCE, SUBJECTS, TIER = '' } = process.env;

await using limiter = openSharedLimiter({ databaseUrl: DATABASE_URL, tiers: { normal: JSON.parse(TIER) } });

const write = promisify<string, void>((text, done) => process.stdout.write(text, done));

/** Resolves when the line has left the process. If the process is killed, lines inside it are lost. */
const say = (line: string) => write(`${line}\n`);

let requested = 0;
let lastAskedAt = 0;
const request = async () => {
  requested += 1;
  lastAskedAt = Date.now();
  const subject = String(requested % Number(SUBJECTS));
  const decision = await limiter.take('normal', subject);
  if (decision?.allowed) await say(`let ${subject} through`);
};

await request();
await say(`heard first at ${Date.now()}`);
const askUntilDone = async () => {
  while (requested < Number(ASKS)) await request();
};
await Promise.all(Array.from({ length: Number(AT_ONCE) }, askUntilDone));
await say(`asked last at ${lastAskedAt}, with ${limiter.uncounted.length} uncounted`);
