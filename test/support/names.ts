import type { Lookup } from '../../shared/webhooks/index.ts';

/** A name server's answers for tests: no packet leaves the machine. A name that is not listed does not resolve. */
export const resolving =
  (addresses: Record<string, readonly string[]>): Lookup =>
  async (name) =>
    addresses[name] ?? [];
