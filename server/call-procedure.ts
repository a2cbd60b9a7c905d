import type { AnyProcedure, ProcedureType, TRPCError } from '@trpc/server';
import { getTRPCErrorFromUnknown } from '@trpc/server/unstable-core-do-not-import';
import type { Context } from './context.ts';

interface Call {
  ctx: Context;
  /** The procedure's name. */
  path: string;
  getRawInput(): Promise<unknown>;
  /** Its place in a batch; 0 for a call by itself. */
  batchIndex: number;
}

type Middleware = (call: object) => Promise<Result>;
type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };

/** What a procedure consists of: its type keeps the middlewares to itself. */
interface Definition {
  type: ProcedureType;
  meta: unknown;
  middlewares: readonly Middleware[];
}

/**
 * Calls a procedure as tRPC does, through its middlewares down to its resolver, and throws what it fails with. tRPC's
 * own loop defines each property of a call anew for every middleware, which takes half the time of a read from memory.
 */
export async function callProcedure(procedure: AnyProcedure, call: Call): Promise<unknown> {
  const { type, meta, middlewares } = procedure._def as object as Definition;
  const run = async (index: number, current: Call): Promise<Result> => {
    const next = (changes?: Partial<Call>) =>
      run(index + 1, {
        ...current,
        ...changes,
        ctx: changes?.ctx ? { ...current.ctx, ...changes.ctx } : current.ctx,
      });
    try {
      const middleware = middlewares[index];
      if (!middleware) throw new Error(`${call.path} has nothing that resolves it`);
      return await middleware({ ...current, next });
    } catch (cause) {
      return { ok: false, error: getTRPCErrorFromUnknown(cause) };
    }
  };
  const about = { type, meta, signal: undefined, input: undefined };
  const result = await run(0, { ...about, ...call });
  if (!result.ok) throw result.error;
  return result.data;
}
