import { getTRPCErrorShape, initTRPC, transformTRPCResponse } from '@trpc/server';
import { z } from 'zod';
import { explainIssue } from '../../shared/contract/validation-messages.ts';
import { type ApiError, toApiError } from './api-error.ts';
import type { Context } from './context.ts';
import type { Meta } from './meta.ts';
import { transformer } from './transformer.ts';

// Wherever a contract has no words of its own, these are said.
z.config({ customError: explainIssue });

export const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer,
    isDev: false,
    errorFormatter({ shape, error, type }) {
      const { errorCode, message, status, retryAfter, fields } = toApiError(error, type === 'mutation');
      const { path } = shape.data;
      return {
        code: shape.code,
        message,
        data: {
          code: errorCode,
          httpStatus: status,
          ...(path === undefined ? {} : { path }),
          ...(retryAfter === undefined ? {} : { retryAfter }),
          ...(fields === undefined ? {} : { fields }),
        },
      };
    },
  });

export const { router } = t;

/** The RPC answer to a request that failed before any procedure was called. */
export function rpcErrorBody(error: ApiError) {
  const config = t._config;
  const about = {
    config,
    error,
    type: 'unknown',
    path: undefined,
    input: undefined,
    ctx: undefined,
  } as const;
  return transformTRPCResponse(config, { error: getTRPCErrorShape(about) });
}
