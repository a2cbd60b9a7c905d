import { isDeepStrictEqual } from 'node:util';
import type { oas31 } from 'openapi3-ts';
import { mapDocument } from './tidy.ts';

/**
 * Moves every schema with a title to the document's components, so that each type is written once and generated
 * clients name it as the contract does. Throws when one title is given to two different schemas.
 */
export function nameSchemas(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const schemas: Record<string, oas31.SchemaObject> = {};
  const named = mapDocument(document, (node) => moveTitled(node, schemas));
  return { ...named, components: { ...named.components, schemas: sorted(schemas) } };
}

function moveTitled(node: Record<string, unknown>, schemas: Record<string, oas31.SchemaObject>) {
  if (typeof node.title !== 'string' || node.type === undefined) return node;
  const known = schemas[node.title] ?? node;
  if (!isDeepStrictEqual(known, node)) throw new Error(`Two different schemas have the title ${node.title}`);
  schemas[node.title] = node;
  return { $ref: `#/components/schemas/${node.title}` };
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
