import { Counter, type Registry } from 'prom-client';
import type { Context } from '../kernel/context.ts';
import type { Infrastructure } from '../kernel/deps.ts';
import { t } from '../kernel/trpc.ts';

/**
 * The one place from where reads go to standbys: what runs behind it finds them in `deps.database`. A standby answers only with
 * what the request itself saw of collections that `meta.cached` or `meta.reads` name; so it is for what reads these alone, and
 * stands behind whoever looks up sessions, members or tokens. Writes, and all else, stay on the primary.
 */
export function depsToRead<D extends Pick<Infrastructure, 'database' | 'standbys'>>({
  deps,
  seen,
  reader,
}: Reading<D>): D {
  // For a member with many purchases the statement also reads these, which no version of content guards.
  const isContentAlone = reader?.buyer === undefined;
  return seen && deps.standbys && isContentAlone ? { ...deps, database: deps.standbys.reading(seen) } : deps;
}

interface Reading<D> extends Pick<Context, 'seen' | 'reader'> {
  deps: D;
}

/** For procedures that keep no answers: those that do go by `cachedRead`. */
export const readElsewhere = t.procedure.use(({ ctx, next }) => next({ ctx: { deps: depsToRead(ctx) } }));

/** Counts what of that standbys answer, where metrics are wanted. */
export function createReadCounter(registry: Registry | undefined) {
  if (!registry) return () => {};
  const reads = new Counter({
    name: 'standby_reads_total',
    help: 'Statements that a standby may answer, by what answered them',
    labelNames: ['from'],
    registers: [registry],
  });
  return (from: 'standby' | 'primary') => reads.inc({ from });
}
