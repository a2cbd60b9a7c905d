import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { TierName } from '../../shared/contract/limits.ts';
import { visitorAdmission } from '../api/access/site-of-host.ts';
import type { VisitedSite } from '../api/callers.ts';
import { call } from '../api/calls/call.ts';
import type { Context } from '../api/context.ts';
import type { Meta } from '../api/meta.ts';
import { type Procedure, proceduresOf } from '../api/procedures.ts';
import { type AppRouter, appRouter, type VisitorsRouter, visitorsRouter } from '../api/router/app-router.ts';

type Inputs = inferRouterInputs<AppRouter> & inferRouterInputs<VisitorsRouter>;
type Outputs = inferRouterOutputs<AppRouter> & inferRouterOutputs<VisitorsRouter>;

/**
 * Type at a dotted path, such as `v1.posts.list`, of a nested object type; `never` if the path does not exist.
 */
type PathOf<R, Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof R
    ? PathOf<R[Head], Rest>
    : never
  : Name extends keyof R
    ? R[Name]
    : never;

export type OutputOf<Name extends string> = PathOf<Outputs, Name>;

type ArgumentsOf<Input> = undefined extends Input ? [input?: Input] : [input: Input];

/** Calls a procedure by its name, with the same access checks, tenancy and output contract as on other surfaces. */
export type CallByName = <const Name extends string>(
  name: Name,
  ...input: ArgumentsOf<PathOf<Inputs, Name>>
) => Promise<OutputOf<Name>>;

const procedures: ReadonlyMap<string, Procedure> = new Map([
  ...proceduresOf(appRouter),
  ...proceduresOf(visitorsRouter),
]);

/**
 * Returns a function that calls procedures by name, as a visitor of `site`. It throws an `Error` for a procedure that reads
 * a collection which is not in `uses`. The cached page would not be updated with that collection.
 */
export const readsOf = (ctx: Context, site: VisitedSite, uses: readonly string[]): CallByName => {
  const admission = visitorAdmission(site);
  return calling((procedure) => {
    const { cached, reads = cached === undefined ? [] : [cached] } = procedure.meta;
    const undeclared = reads.find((collection) => !uses.includes(collection));
    if (undeclared) throw new Error(`${procedure.name} reads ${undeclared}, which the page does not declare`);
    return { ...ctx, admission };
  });
};

export const callsOf = (ctx: Context): CallByName => calling(() => ctx);

/**
 * Returns a function that calls procedures by name, as a visitor who sends a form. It throws an `Error` for a mutation that is
 * not in `names`, because the form does not count in that mutation's rate limit tier.
 */
export const callsOfForm = (ctx: Context, names: readonly string[]): CallByName =>
  calling(({ name, type }) => {
    if (type === 'mutation' && !names.includes(name))
      throw new Error(`${name} is not among the calls that the form declares`);
    return ctx;
  });

/**
 * Returns the rate limit of a form: the tier that all of these procedures declare. `countsByInput` is true if they count
 * themselves. Throws an `Error` if they differ.
 */
export function limitOfForm(names: readonly string[]): { tier: TierName; countsByInput: boolean } {
  const limits = names.map((name) => getProcedure(name).meta);
  const [first] = limits;
  const isSame = ({ tier, countsByInput }: Meta) =>
    tier === first?.tier && countsByInput === first?.countsByInput;
  if (!first?.tier || !limits.every(isSame))
    throw new Error(`${names.join(', ')}: a form needs calls that declare the same tier`);
  return { tier: first.tier, countsByInput: first.countsByInput ?? false };
}

function getProcedure(name: string): Procedure {
  const procedure = procedures.get(name);
  if (!procedure) throw new Error(`no procedure is named ${name}`);
  return procedure;
}

// The name determines the procedure, whose contract checks the output, so that the cast is safe.
const calling =
  (contextFor: (procedure: Procedure) => Context): CallByName =>
  async (name, ...[input]) => {
    const procedure = getProcedure(name);
    const output = await call(procedure, {
      ctx: contextFor(procedure),
      getRawInput: async () => input,
    });
    return output as OutputOf<typeof name>;
  };
