import { Resolver } from 'node:dns/promises';
import type { Lookup } from './target.ts';

/**
 * A lookup that asks the machine's DNS servers itself. `dns.lookup` would run in Node's few threads, where a handful of
 * names with dead servers holds up every other delivery; the price is that `/etc/hosts` is not read.
 * Answers within about 6 seconds. `servers` (`address:port`) replaces the machine's own.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}
