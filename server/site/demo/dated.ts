import type { CreateInput, Resource } from '../../../shared/contract/resource.ts';
import type { OperatorDeps } from '../../deps.ts';

/** A record to create, and how long ago it was. */
export type Dated<R> = R extends Resource<infer F> ? CreateInput<F> & { daysAgo: number } : never;

const dayMs = 86_400_000;

/** The same dependencies, so many days ago. */
export function at(deps: OperatorDeps, daysAgo: number): OperatorDeps {
  const then = new Date(deps.clock.now().getTime() - daysAgo * dayMs);
  return { ...deps, clock: { now: () => then } };
}
