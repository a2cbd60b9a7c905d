import { toApiError } from '../../kernel/api-error.ts';
import { jsonOf, type LargeAnswer, LargeAnswerError, openLargeAnswer } from '../../kernel/large-answer.ts';
import { transformer } from '../../kernel/transformer.ts';
import { rpcErrorBody } from '../../kernel/trpc.ts';
import type { RpcRequest } from './path.ts';
import type { Outcomes } from './run-calls.ts';

/** Whether an answer is among the outcomes that is sent piece by piece. */
export const isLarge = (outcomes: Outcomes) =>
  outcomes.some(
    ({ status, ...outcome }) => 'reason' in outcome && outcome.reason instanceof LargeAnswerError,
  );

/** The body of a batch with large answers: each is opened when all before it are sent. */
export async function* batchBody(outcomes: Outcomes, { names }: RpcRequest): AsyncGenerator<string> {
  let before = '[';
  for (const [place, outcome] of outcomes.entries()) {
    yield before;
    if (outcome.status === 'fulfilled')
      yield JSON.stringify({ result: { data: transformer.serialize(outcome.value) } });
    else yield* failedOrLarge(outcome.reason, names[place]);
    before = ',';
  }
  yield ']';
}

async function* failedOrLarge(reason: unknown, name: string | undefined): AsyncGenerator<string> {
  const answer =
    reason instanceof LargeAnswerError ? await openLargeAnswer(reason).catch(asError) : asError(reason);
  if (answer instanceof Error) return yield JSON.stringify(rpcErrorBody(answer, name));
  using opened = answer;
  yield* resultBody(opened);
}

const asError = (error: unknown) => toApiError(error, false);

/** A large answer as the result of one call: what tells of its values' types comes after them. */
export async function* resultBody({ rest, key, records }: LargeAnswer): AsyncGenerator<string> {
  const around = transformer.serialize({ ...rest, [key]: [] });
  const types = new Map<string, unknown>(Object.entries(Object(around.meta?.values)));
  let meta = around.meta;
  async function* serialized() {
    let place = 0;
    for await (const record of records()) {
      const { json, meta: ofRecord } = transformer.serialize(record);
      meta ??= ofRecord;
      for (const [path, type] of Object.entries(Object(ofRecord?.values)))
        types.set(`${key}.${place}.${path}`, type);
      yield json;
      place += 1;
    }
  }
  yield '{"result":{"data":{"json":';
  yield* jsonOf({ rest: Object(around.json), key, records: serialized });
  if (types.size > 0) yield `,"meta":${JSON.stringify({ ...meta, values: Object.fromEntries(types) })}`;
  yield '}}}';
}
