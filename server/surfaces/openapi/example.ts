import type { oas31 } from 'openapi3-ts';

/** A value that `schema` describes: its first example, or one made of the examples inside it; undefined when it has none. */
export function exampleOf(schema: oas31.SchemaObject | oas31.ReferenceObject): unknown {
  if ('$ref' in schema) return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (!schema.properties) return undefined;
  const entries = Object.entries(schema.properties).map(([name, inner]) => [name, exampleOf(inner)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}
