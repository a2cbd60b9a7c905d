import type { OperationContext, TRPCUntypedClient } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import type { CallOptions, MutationOptions, QueryOptions } from './client-options.ts';

declare module '@trpc/client' {
  interface OperationContext {
    /** True if the call is sent in a request of its own. */
    alone?: boolean;
    /** Headers of the call's own request. */
    headers?: Record<string, string>;
  }
}

/** Makes calls accept the options of this package, and passes them to the links. */
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
  // Check the headers here: an error thrown by `fetch` looks like a broken connection, so the call would be repeated.
  new Headers(headers);
  return headers;
}

/** Returns 128 random bits in hex. `randomUUID` is missing on pages served over plain HTTP. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
