import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { Meta, RestRoute } from '../trpc.ts';

/** A procedure with what it says of its REST side: routes and documentation are both made from it. */
export interface RestProcedure {
  /** As RPC calls it: `v1.posts.list`. */
  name: string;
  call: AnyProcedure;
  meta: Meta;
  route: RestRoute;
  /** Whether its input comes in a JSON body, besides the path. */
  takesBody: boolean;
  /** The contract of its input, path parameters included; undefined when it takes none. */
  input: z.ZodObject | undefined;
  output: z.ZodType;
}

/** Every procedure that has a REST path. */
export function restProcedures(router: AnyRouter): RestProcedure[] {
  const procedures = Object.entries<AnyProcedure>(router._def.procedures);
  return procedures.flatMap(([name, call]) => {
    const meta = call._def.meta as Meta;
    if (!meta.rest) return [];
    const takesBody = !meta.bodyless && ['POST', 'PATCH'].includes(meta.rest.method);
    return [{ name, call, meta, route: meta.rest, takesBody, ...contractOf(name, call) }];
  });
}

function contractOf(name: string, call: AnyProcedure): Pick<RestProcedure, 'input' | 'output'> {
  const { inputs } = call._def;
  // tRPC keeps the output's parser at run time, but not in its types.
  const { output } = call._def as { output?: unknown };
  const input = inputs[0] instanceof z.ZodPrefault ? inputs[0].unwrap() : inputs[0];
  if (input !== undefined && !(input instanceof z.ZodObject)) throw new Error(`${name}: input is no object`);
  if (!(output instanceof z.ZodType)) throw new Error(`${name}: no output contract`);
  return { input, output };
}
