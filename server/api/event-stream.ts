import { type TrackedEnvelope, tracked } from '@trpc/server';
import { z } from 'zod';

/** Output of a subscription: a sequence of values, each with an id from which a client can resume. */
export interface EventStream<T> extends AsyncIterable<TrackedEnvelope<T>> {
  /** Id to resume from before the first value. */
  readonly beginsAfter: string;
}

/**
 * Creates the contract of a subscription's output. `value` is the contract of each value. Values are checked but
 * passed on unparsed, because a parser would change the order of their fields. A value that breaks its contract ends
 * the stream with a `ZodError`.
 */
export function streamOf<T>(value: z.ZodType<T>) {
  const stream = z.custom<EventStream<T>>(isEventStream);
  return Object.assign(
    stream.transform((values) => checked(values, value)),
    { value },
  );
}

export const isEventStream = (output: unknown): output is EventStream<unknown> =>
  typeof output === 'object' && output !== null && Symbol.asyncIterator in output && 'beginsAfter' in output;

function checked<T>(values: EventStream<T>, contract: z.ZodType<T>): EventStream<T> {
  const { beginsAfter } = values;
  async function* check() {
    for await (const [id, value] of values) {
      contract.parse(value);
      yield tracked(id, value);
    }
  }
  return Object.assign(check(), { beginsAfter });
}
