import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'openapi3-ts';

/**
 * Moves every schema with a title to the document's components, so that each type is written once and generated
 * clients name it as the contract does. Throws when one title is given to two different schemas.
 */
export function nameSchemas(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const schemas: Record<string, oas31.SchemaObject> = {};
  const named = moveTitled(document, schemas) as oas31.OpenAPIObject;
  return { ...named, components: { ...named.components, schemas: sorted(schemas) } };
}

function moveTitled(node: unknown, schemas: Record<string, oas31.SchemaObject>): unknown {
  if (Array.isArray(node)) return node.map((item) => moveTitled(item, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, holdsData(key) ? value : moveTitled(value, schemas)]),
  );
  if (typeof copy.title !== 'string' || copy.type === undefined) return copy;
  const known = schemas[copy.title] ?? copy;
  if (!isDeepStrictEqual(known, copy)) throw new Error(`Two different schemas have the title ${copy.title}`);
  schemas[copy.title] = copy;
  return { $ref: `#/components/schemas/${copy.title}` };
}

/** Keys whose values are data of the API, not parts of the document. */
const holdsData = (key: string) => ['examples', 'example', 'default', 'enum', 'const'].includes(key);

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
