import { type QueryKey, queryOptions } from '@tanstack/react-query';

interface Read<Input, Output> {
  query(input: Input, options: { signal: AbortSignal }): Promise<Output>;
}

/** What a procedure of the service answers, and the key that it is kept under. */
export const queryOf = <Input, Output>(queryKey: QueryKey, procedure: Read<Input, Output>, input: Input) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => procedure.query(input, { signal }) });
