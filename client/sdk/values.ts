import { isObject } from './is-object.ts';

/**
 * Serialization of values, compatible with superjson, so that a Date arrives as a Date. Contracts use no other type that
 * JSON lacks, so this part of superjson suffices, at a tenth of its size.
 */
export const values = { serialize, deserialize };

/** A value as JSON, with the types that JSON cannot express, by dotted path. */
interface Payload {
  json: unknown;
  meta?: { values: object };
}

function serialize(value: unknown): Payload | undefined {
  if (value === undefined) return undefined;
  const dates = Object.fromEntries(datesIn(value).map((path) => [path.join('.'), ['Date']]));
  return Object.keys(dates).length > 0 ? { json: value, meta: { values: dates } } : { json: value };
}

function datesIn(value: unknown): string[][] {
  if (value instanceof Date) return [[]];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => datesIn(inner).map((path) => [name, ...path]));
}

function deserialize({ json, meta }: Payload): unknown {
  const root = { json };
  for (const [path, annotation] of Object.entries(meta?.values ?? {})) rebuild(root, path, annotation);
  return root.json;
}

/** Restores the type of one value. `annotation` is `[type]`. */
function rebuild(root: { json: unknown }, path: string, annotation: unknown) {
  const steps = ['json', ...path.split('.')];
  const last = steps.pop() ?? '';
  const holder = steps.reduce<unknown>(ownValue, root);
  if (!isObject(holder) || !Object.hasOwn(holder, last)) return;
  const type = Array.isArray(annotation) && annotation[0];
  if (type === 'Date') Reflect.set(holder, last, new Date(Reflect.get(holder, last)));
  if (type === 'undefined') Reflect.set(holder, last, undefined);
}

const ownValue = (holder: unknown, name: string): unknown =>
  isObject(holder) && Object.hasOwn(holder, name) ? Reflect.get(holder, name) : undefined;
