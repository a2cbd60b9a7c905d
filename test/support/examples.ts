import { z } from 'zod';
import type { Procedure } from '../../server/api/procedures.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** Returns a valid input of a procedure, made of the examples in its contract. */
export function exampleInput({ input }: Procedure): Record<string, unknown> {
  return Object.assign({}, input && exampleOf(toJsonSchema(input)));
}

/** Returns the names of a procedure's inputs. */
export const inputNames = ({ input }: Procedure): string[] => Object.keys(input?.shape ?? {});

/** Converts a contract to the JSON schema of the documentation. */
export const toJsonSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/**
 * Returns a value that `schema` accepts: its first example, or one made of the examples inside it. Undefined if there
 * are none.
 */
export function exampleOf(schema: Schema | boolean | undefined): unknown {
  if (schema === undefined || typeof schema === 'boolean') return undefined;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return schema.anyOf.map(exampleOf).find((example) => example !== undefined);
  if (schema.type === 'array' && !Array.isArray(schema.items)) return [exampleOf(schema.items)];
  if (schema.type !== 'object') return undefined;
  const entries = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner)]);
  return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
}
