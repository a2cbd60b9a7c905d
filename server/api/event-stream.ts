import { type TrackedEnvelope, tracked } from '@trpc/server';
import { z } from 'zod';

/** What a subscription gives: values one after the other, each with an id that one can go on from. */
export interface EventStream<T> extends AsyncIterable<TrackedEnvelope<T>> {
  /** The id to go on from for whoever has had no value yet. */
  readonly beginsAfter: string;
}

/**
 * The contract of a subscription's output. `value` is the contract of each value, which is checked when it is taken and
 * passed on as it is: a parser would put its fields into another order.
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
