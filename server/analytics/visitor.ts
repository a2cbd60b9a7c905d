import { createHash } from 'node:crypto';

/**
 * Who viewed, without saying who: a hash of address and agent with a salt that is thrown away after the day, so the same
 * person counts once a day and can't be followed from one day to the next (DECISIONS 7). Fits a PostgreSQL bigint.
 */
export function visitorHash(salt: string, address: string, agent: string): string {
  return createHash('sha256').update(`${salt}\n${address}\n${agent}`).digest().readBigInt64BE(0).toString();
}
