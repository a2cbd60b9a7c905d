import { isObject } from './is-object.ts';

/**
 * How values travel: as superjson writes them, so that a Date arrives as a Date. Contracts take and give no other type
 * that JSON lacks, so this is all of superjson that it needs, at a tenth of what that adds to a page.
 */
export const values = { serialize, deserialize };

/** A value in JSON, and of what type those are in it that JSON has no words for, by their dotted paths. */
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

/** `annotation` is `[type]`. */
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
