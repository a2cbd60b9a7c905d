import { getTRPCErrorShape, type TRPCError } from '@trpc/server';
import { transformer } from '../../kernel/transformer.ts';
import { t } from '../../kernel/trpc.ts';

/** An error as RPC tells it; `path` is the procedure that failed, if one was called. */
export function rpcError(error: TRPCError, path?: string) {
  const about = { error, type: 'unknown', path, input: undefined, ctx: undefined } as const;
  return transformer.serialize(getTRPCErrorShape({ config: t._config, ...about }));
}

/** The RPC answer to a request that failed as a whole. */
export const rpcErrorBody = (error: TRPCError, path?: string) => ({ error: rpcError(error, path) });
