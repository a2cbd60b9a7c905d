import superjson from 'superjson';
import { z } from 'zod';
import { ApiError } from './api-error.ts';

/**
 * Encoding of values over RPC, in superjson's format, so that a Date arrives as a Date. `deserialize` throws
 * `invalid_request` for a malformed value.
 *
 * Only the two types that contracts accept are rebuilt from input, and only on existing values. superjson's own
 * reader would also build Sets, Maps and shared references, with which a body of 2 MB blocks a process for 40
 * seconds.
 */
export const transformer = { serialize: superjson.serialize, deserialize };

type JsonObject = Record<string, unknown>;

const Payload = z.object({
  json: z.unknown(),
  meta: z.object({ values: z.unknown().optional() }).optional(),
});

function deserialize(payload: unknown): unknown {
  const { success, data } = Payload.safeParse(payload);
  if (!success) throw malformed();
  const root: JsonObject = { json: data.json };
  if (data.meta?.values !== undefined) rebuild(root, 'json', data.meta.values);
  return root.json;
}

/** Applies an annotation: `[type]` for the value itself, or annotations of values below it by their dotted paths. */
function rebuild(holder: JsonObject, name: string, annotation: unknown): void {
  const value = ownValue(holder, name);
  if (Array.isArray(annotation)) {
    holder[name] = rebuilt(value, annotation);
    return;
  }
  for (const [path, inner] of Object.entries(asObject(annotation))) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    rebuild(asObject(steps.reduce<unknown>(ownValue, value)), last, inner);
  }
}

function rebuilt(value: unknown, [type, below]: unknown[]): Date | undefined {
  if (below === undefined && type === 'undefined') return undefined;
  if (below === undefined && type === 'Date' && typeof value === 'string') return new Date(value);
  throw malformed();
}

function ownValue(holder: unknown, name: string): unknown {
  const object = asObject(holder);
  if (!Object.hasOwn(object, name)) throw malformed();
  return object[name];
}

function asObject(value: unknown): JsonObject {
  if (!isObject(value)) throw malformed();
  return value;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const malformed = () => new ApiError('invalid_request', 'invalid input: malformed value or type annotation');
