import type { OperationContext, TRPCUntypedClient } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import type { CallOptions, MutationOptions, QueryOptions } from './client-options.ts';

declare module '@trpc/client' {
  interface OperationContext {
    /** Whether the call travels in a request of its own. */
    alone?: boolean;
    /** Headers of that one request. */
    headers?: Record<string, string>;
  }
}

/** Makes calls take the options of this package, and tells the links of them. */
export function withOptions(calls: TRPCUntypedClient<AnyRouter>): TRPCUntypedClient<AnyRouter> {
  const query = calls.query.bind(calls);
  const mutation = calls.mutation.bind(calls);
  return Object.assign(calls, {
    query: (path: string, input?: unknown, options: QueryOptions = {}) =>
      query(path, input, inTrpc(options, { alone: options.etag === true })),
    mutation: async (path: string, input?: unknown, options: MutationOptions = {}) =>
      mutation(path, input, inTrpc(options, { alone: true, headers: headersOfWrite(options) })),
  });
}

const inTrpc = ({ signal }: CallOptions, context: OperationContext) => ({
  ...(signal && { signal }),
  context,
});

function headersOfWrite({ idempotencyKey = newKey(), ifMatch }: MutationOptions): Record<string, string> {
  const headers = {
    'Idempotency-Key': idempotencyKey,
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  };
  // Refused here: what `fetch` fails with looks like a broken connection, after which calls are repeated.
  new Headers(headers);
  return headers;
}

/** 128 random bits. Not `randomUUID`, which pages served over plain http don't have. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
