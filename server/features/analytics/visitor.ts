import { createHash } from 'node:crypto';

/**
 * Who viewed, without saying who: a hash of address and agent with a salt that is thrown away after the day, so the same
 * person counts once a day and can't be followed from one day, or one site, to the next. Fits a PostgreSQL bigint.
 */
export function visitorHash(salt: string, who: { siteId: string; client: string; agent: string }): string {
  const { siteId, client, agent } = who;
  return createHash('sha256')
    .update(`${salt}\n${siteId}\n${client}\n${agent}`)
    .digest()
    .readBigInt64BE(0)
    .toString();
}
