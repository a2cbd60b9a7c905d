import { Resolver } from 'node:dns/promises';

export interface DnsOptions {
  /** `address:port`, in place of the machine's own. */
  servers?: readonly string[];
  /** Longest wait for one answer, in milliseconds; each is asked for twice. */
  timeoutMs?: number;
}

/** What a name has of one kind; null where no server said. */
export type Answer<T> = Promise<T[] | null>;

/** Asks the DNS. An answer takes at most some three times `timeoutMs`. */
export function createDns({ servers, timeoutMs = 2_000 }: DnsOptions) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  const asked = async <T>(answer: Promise<T[]>): Answer<T> => answer.catch(noneIfSaid);
  return {
    /** Texts that begin so, each in one piece. */
    async texts(name: string, beginning: string): Answer<string> {
      const found = await asked(resolver.resolveTxt(name));
      return found?.map((parts) => parts.join('')).filter((text) => text.startsWith(beginning)) ?? null;
    },
    mailServers: async (name: string): Answer<string> =>
      (await asked(resolver.resolveMx(name)))?.map(({ exchange }) => exchange) ?? null,
    async addresses(name: string): Answer<string> {
      const [four, six] = await Promise.all([asked(resolver.resolve4(name)), asked(resolver.resolve6(name))]);
      return four && six && [...four, ...six];
    },
    names: (address: string): Answer<string> => asked(resolver.reverse(address)),
  };
}

export type Dns = ReturnType<typeof createDns>;

/** That there is none is an answer, too. */
function noneIfSaid(error: unknown): never[] | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null;
}
