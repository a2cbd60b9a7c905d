import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { visitorAdmission } from '../api/access/site-of-host.ts';
import type { VisitedSite } from '../api/callers.ts';
import { call } from '../api/calls/call.ts';
import type { Context } from '../api/context.ts';
import { type Procedure, proceduresOf } from '../api/procedures.ts';
import { type AppRouter, appRouter, type VisitorsRouter, visitorsRouter } from '../api/router/app-router.ts';

type Inputs = inferRouterInputs<AppRouter> & inferRouterInputs<VisitorsRouter>;
type Outputs = inferRouterOutputs<AppRouter> & inferRouterOutputs<VisitorsRouter>;

/** What `v1.posts.list` names in a nested record. */
type At<R, Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof R
    ? At<R[Head], Rest>
    : never
  : Name extends keyof R
    ? R[Name]
    : never;

export type OutputOf<Name extends string> = At<Outputs, Name>;

type ArgumentsOf<Input> = undefined extends Input ? [input?: Input] : [input: Input];

/** Calls a procedure by its name: what it gives has passed its gate, its tenancy and its contract, as over any surface. */
export type CallByName = <const Name extends string>(
  name: Name,
  ...input: ArgumentsOf<At<Inputs, Name>>
) => Promise<OutputOf<Name>>;

const procedures: ReadonlyMap<string, Procedure> = new Map([
  ...proceduresOf(appRouter),
  ...proceduresOf(visitorsRouter),
]);

/** Calls as a visitor of `site`. Throws for a read of a collection that is not among `uses`, under which the page is kept. */
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

// The name says which procedure it is, and its contract has checked what it gives: the cast states what that is.
const calling =
  (contextFor: (procedure: Procedure) => Context): CallByName =>
  async (name, ...[input]) => {
    const procedure = procedures.get(name);
    if (!procedure) throw new Error(`no procedure is named ${name}`);
    const output = await call(procedure, {
      ctx: contextFor(procedure),
      getRawInput: async () => input,
    });
    return output as OutputOf<typeof name>;
  };
