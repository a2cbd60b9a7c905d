import { toApiError } from '../../api/api-error.ts';
import { LargeAnswerError } from '../../api/large-answer.ts';
import { transformer } from '../../api/transformer.ts';
import { jsonOf, type LargeAnswer, openLargeAnswer } from '../large-answer.ts';
import type { Outcomes } from './run-calls.ts';
import { type RpcRequest, rpcErrorBody } from './wire-format.ts';

/** True if one of the outcomes is sent in parts. */
export const isLarge = (outcomes: Outcomes) =>
  outcomes.some(
    ({ status, ...outcome }) => 'reason' in outcome && outcome.reason instanceof LargeAnswerError,
  );

/**
 * Yields the body of a batch with large answers. Each one is opened after all before it are sent, and reported to
 * `setCurrent`.
 */
export async function* batchBody(
  outcomes: Outcomes,
  { names }: RpcRequest,
  setCurrent: (answer: LargeAnswer | undefined) => void,
): AsyncGenerator<string> {
  let before = '[';
  for (const [index, outcome] of outcomes.entries()) {
    yield before;
    if (outcome.status === 'fulfilled')
      yield JSON.stringify({ result: { data: transformer.serialize(outcome.value) } });
    else yield* failedOrLarge(outcome.reason, names[index], setCurrent);
    before = ',';
  }
  yield ']';
}

async function* failedOrLarge(
  reason: unknown,
  name: string | undefined,
  setCurrent: (answer: LargeAnswer | undefined) => void,
): AsyncGenerator<string> {
  const answer =
    reason instanceof LargeAnswerError ? await openLargeAnswer(reason).catch(asError) : asError(reason);
  if (answer instanceof Error) return yield JSON.stringify(rpcErrorBody(answer, name));
  using opened = answer;
  setCurrent(opened);
  yield* resultBody(opened);
  setCurrent(undefined);
}

const asError = (error: unknown) => toApiError(error, false);

/** Yields a large answer as the result of one call; the types of its values follow at the end. */
export async function* resultBody({ rest, key, records }: LargeAnswer): AsyncGenerator<string> {
  const around = transformer.serialize({ ...rest, [key]: [] });
  let { meta } = around;
  const types = createTypes();
  async function* serialized() {
    for await (const record of records()) {
      const { json, meta: ofRecord } = transformer.serialize(record);
      meta ??= ofRecord;
      types.add(Object.entries(Object(ofRecord?.values)));
      yield json;
    }
  }
  yield '{"result":{"data":{"json":';
  yield* jsonOf({ rest: Object(around.json), key, records: serialized });
  if (meta?.values) yield* metaOf({ ...meta, values: Object(around.meta?.values) }, types.below(key));
  yield '}}}';
}

type TypeEntry = [path: string, type: unknown];

/** Collects the types of records in a list. Most records have equal types, so each combination is stored once. */
function createTypes() {
  const combinations = new Map<string, TypeEntry[]>();
  const ofRecords: TypeEntry[][] = [];
  return {
    add(entries: TypeEntry[]) {
      const name = JSON.stringify(entries);
      const combination = combinations.get(name) ?? entries;
      combinations.set(name, combination);
      ofRecords.push(combination);
    },
    *below(key: string): Generator<TypeEntry> {
      for (const [index, entries] of ofRecords.entries())
        for (const [path, type] of entries) yield [`${key}.${index}.${path}`, type];
    },
  };
}

function* metaOf({ values, ...meta }: { values: object }, further: Iterable<TypeEntry>): Generator<string> {
  let before = ',"meta":{"values":{';
  for (const types of [Object.entries(values), further])
    for (const [path, type] of types) {
      yield `${before}${JSON.stringify(path)}:${JSON.stringify(type)}`;
      before = ',';
    }
  yield '}';
  for (const [name, value] of Object.entries(meta)) yield `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  yield '}';
}
